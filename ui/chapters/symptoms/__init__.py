"""For whose own model is ill: a symptom beside the healthy state, and the lines that tell its causes apart."""

from ui.chapters.symptoms.symptom import symptom
from ui.sections.contents import Contents

CONTENTS = Contents("symptoms", (symptom,))
