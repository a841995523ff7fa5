"""From symptom to cause: what goes wrong in people's own models, made here and told apart."""

from ui.chapters.symptoms import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
