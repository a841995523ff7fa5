"""The whole forward pass, one tensor at a time (paper, figure 1)."""

from ui.chapters.walkthrough import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
