"""Greedy decoding, one token at a time (paper, section 3.1)."""

from ui.chapters.decoding import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
