"""What surrounds attention: LayerNorm, residual sums, feed-forward, dropout (paper, sections 3.1, 3.3 and 5.4)."""

from ui.chapters.layers import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
