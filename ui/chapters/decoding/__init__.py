"""Decoding: one token at a time."""

from ui.chapters.decoding import alignment, cache, lanes, turns, untrained
from ui.chapters.decoding.story import STORY
from ui.chapters.shared.difference import difference_from
from ui.sections.contents import Contents

DIFFERENCE = difference_from("generator.logits")
CONTENTS = Contents(
    "decoding",
    (STORY, turns.turns, alignment.alignment, DIFFERENCE, lanes.lanes, cache.cache, turns.reading, untrained.untrained),
)
