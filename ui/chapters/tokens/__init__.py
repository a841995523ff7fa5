"""Tokens, padding, embedding × √d_model (paper, section 3.4)."""

from typing import Any

from ui.chapters.shared.difference import difference_from
from ui.chapters.tokens import equal, lookup, padding, printed, sizes, zero_row
from ui.chapters.tokens.story import STORY
from ui.page.contents import Contents
from ui.section import Section

DIFFERENCE = difference_from("src_embed.0.lut.weight")
DEEPER: Section[Any] = Section(
    "deeper", look="open", text="text", parts=(padding.padding, padding.four, zero_row.zero_row, printed.printed_rows)
)
CONTENTS = Contents("tokens", (STORY, lookup.lookup, DIFFERENCE, sizes.sizes, equal.equal_rows, DEEPER))
