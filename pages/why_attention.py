"""Recurrence, convolution and self-attention side by side (paper, section 4 and table 1)."""

from ui.chapters.why_attention import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
