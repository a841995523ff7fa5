"""Softmax and the scale 1/√d_k (paper, section 3.2.1 and its footnote 4)."""

from ui.chapters.scaling import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
