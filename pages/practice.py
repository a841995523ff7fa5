"""What is learned by doing it: questions that the model's own numbers judge."""

from ui.chapters.practice import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
