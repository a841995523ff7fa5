"""Look-ahead and padding masks (paper, sections 3.1 and 3.2.3)."""

from typing import Any

from ui.chapters.masks.axis import AXIS
from ui.chapters.masks.convention import CONVENTION
from ui.chapters.masks.fill import FILL
from ui.chapters.masks.look_ahead import AHEAD
from ui.chapters.masks.own_batch import OWN
from ui.chapters.masks.padding import BOTH
from ui.chapters.masks.probes import PROBES
from ui.chapters.masks.reading import READING
from ui.chapters.masks.rows import ROWS
from ui.chapters.masks.slice import SLICE
from ui.chapters.masks.story import STORY
from ui.chapters.masks.triu import TRIU
from ui.chapters.shared.difference import difference_from
from ui.page.contents import Contents
from ui.section import Section

DIFFERENCE = difference_from("decoder.layers.0.self_attn.weights")
TRAPS: Section[Any] = Section("traps", look="open", text="text", parts=(READING, TRIU, CONVENTION, AXIS, SLICE, OWN))
CONTENTS = Contents("masks", (STORY, AHEAD, DIFFERENCE, BOTH, FILL, ROWS, PROBES, TRAPS))
