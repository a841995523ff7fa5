"""Tokens, padding, embedding × √d_model (paper, section 3.4)."""

from typing import Any

from ui.chapters.shared.difference import difference_from
from ui.chapters.tokens.equal import EQUAL_ROWS
from ui.chapters.tokens.lookup import LOOKUP
from ui.chapters.tokens.padding import FOUR, PADDING
from ui.chapters.tokens.printed import PRINTED
from ui.chapters.tokens.sizes import SIZES
from ui.chapters.tokens.story import STORY
from ui.chapters.tokens.zero_row import ZERO
from ui.page.contents import Contents
from ui.section import Section

DIFFERENCE = difference_from("src_embed.0.lut.weight")
DEEPER: Section[Any] = Section("deeper", look="open", text="text", parts=(PADDING, FOUR, ZERO, PRINTED))
CONTENTS = Contents("tokens", (STORY, LOOKUP, DIFFERENCE, SIZES, EQUAL_ROWS, DEEPER))
