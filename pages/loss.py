"""Label smoothing, the divergence per position, and the Noam rate (paper, sections 5.3 and 5.4)."""

from ui.chapters.loss import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
