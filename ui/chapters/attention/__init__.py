"""One head of scaled dot-product attention, stage by stage (paper, section 3.2.1)."""

from ui.chapters.attention.dropout import DROPOUT
from ui.chapters.attention.projection import PROJECTION
from ui.chapters.attention.stages import STAGES
from ui.chapters.attention.story import STORY
from ui.chapters.shared.attention_values import fields
from ui.chapters.shared.difference import difference_from
from ui.page.contents import Contents

DIFFERENCE = difference_from("decoder.layers.0.src_attn.scores")
CONTENTS = Contents("attention", (STORY, STAGES, PROJECTION, DROPOUT, DIFFERENCE), fields=fields)
