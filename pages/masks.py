"""Look-ahead and padding masks (paper, sections 3.1 and 3.2.3)."""

from ui.chapters.masks import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
