"""Decoding: one token at a time."""

from ui.chapters.decoding.alignment import ALIGNMENT
from ui.chapters.decoding.cache import CACHE
from ui.chapters.decoding.lanes import LANES
from ui.chapters.decoding.story import STORY
from ui.chapters.decoding.turns import READING, TURNS
from ui.chapters.decoding.untrained import UNTRAINED
from ui.chapters.shared.difference import difference_from
from ui.page.contents import Contents

DIFFERENCE = difference_from("generator.logits")
CONTENTS = Contents("decoding", (STORY, TURNS, ALIGNMENT, DIFFERENCE, LANES, CACHE, READING, UNTRAINED))
