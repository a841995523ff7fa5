"""Tokens, padding, embedding × √d_model (paper, section 3.4)."""

from ui.chapters.shared.difference import difference_from
from ui.chapters.tokens import equal, lookup, padding, printed, zero_row
from ui.chapters.tokens.story import STORY
from ui.sections import deeper
from ui.sections.contents import Contents

DIFFERENCE = difference_from("src_embed.0.lut.weight")
CONTENTS = Contents(
    "tokens",
    (
        STORY,
        lookup.lookup,
        DIFFERENCE,
        lookup.sizes,
        equal.equal_rows,
        deeper(padding.padding, padding.four, zero_row.zero_row, printed.printed_rows),
    ),
)
