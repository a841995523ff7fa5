"""One head of scaled dot-product attention, stage by stage (paper, section 3.2.1)."""

from ui.chapters.attention import dropout, projection, stages
from ui.chapters.attention.story import STORY
from ui.chapters.shared.attention_values import fields
from ui.chapters.shared.difference import difference_from
from ui.sections.contents import Contents

DIFFERENCE = difference_from("decoder.layers.0.src_attn.scores")
CONTENTS = Contents(
    "attention",
    (STORY, stages.head_in_stages, projection.projection, dropout.dropped_weights, DIFFERENCE),
    fields=fields,
)
