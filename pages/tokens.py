"""Tokens, padding, embedding × √d_model (paper, section 3.4)."""

from ui.chapters.tokens import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
