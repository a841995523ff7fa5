"""Look-ahead and padding masks (paper, sections 3.1 and 3.2.3)."""

from typing import Any

from ui.chapters.masks import axis, convention, fill, look_ahead, padding, probes, reading, rows, slice
from ui.chapters.masks.story import STORY
from ui.chapters.shared.difference import difference_from
from ui.sections import Section
from ui.sections.contents import Contents

DIFFERENCE = difference_from("decoder.layers.0.self_attn.weights")
TRAPS: Section[Any] = Section(
    "traps",
    look="open",
    text="text",
    parts=(
        reading.read_mask,
        reading.triangles,
        convention.conventions,
        axis.axis_of_heads,
        slice.too_large,
        slice.own_batch,
    ),
)
CONTENTS = Contents(
    "masks",
    (STORY, look_ahead.look_ahead, DIFFERENCE, padding.both, fill.fill_blocked, rows.rows, probes.probes, TRAPS),
)
