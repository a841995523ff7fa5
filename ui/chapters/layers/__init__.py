"""What surrounds attention: LayerNorm, residual sums, feed-forward, dropout (paper, sections 3.1, 3.3 and 5.4)."""

from typing import Any

from ui.chapters.layers.depth import DEPTH
from ui.chapters.layers.dropout import DROPOUT
from ui.chapters.layers.gain import GAIN
from ui.chapters.layers.init import FIRST
from ui.chapters.layers.linear import LINEAR
from ui.chapters.layers.network import NETWORK
from ui.chapters.layers.norm import NORM
from ui.chapters.layers.ratio import RATIO
from ui.chapters.layers.story import STORY
from ui.chapters.layers.stream import STREAM
from ui.chapters.layers.sum import SUM
from ui.chapters.layers.training import TRAINING
from ui.chapters.shared.attention_values import fields
from ui.chapters.shared.difference import difference_from
from ui.page.contents import Contents
from ui.section import Section

DIFFERENCE = difference_from("encoder.layers.0.sublayer.0.sum")
DEEPER: Section[Any] = Section("deeper", look="open", text="text", parts=(RATIO, FIRST, GAIN, LINEAR))
CONTENTS = Contents(
    "layers",
    (STORY, NORM, DIFFERENCE, SUM, STREAM, NETWORK, DROPOUT, DEPTH, TRAINING, DEEPER),
    fields=fields,
)
