"""All heads of all layers (paper, section 3.2.2)."""

from ui.chapters.heads import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
