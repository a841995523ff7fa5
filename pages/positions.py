"""The sinusoidal position code (paper, section 3.5)."""

from ui.chapters.positions import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
