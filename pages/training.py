"""Training, live: to copy, reverse, sort or translate (paper, section 5)."""

from ui.chapters.training import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
