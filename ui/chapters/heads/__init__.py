"""All heads of all layers (paper, section 3.2.2)."""

from ui.chapters.heads.ablation.heads_off import ABLATION
from ui.chapters.heads.alignment.by_head import HEADS_ALIGNED
from ui.chapters.heads.alignment.lines import ALIGNMENT
from ui.chapters.heads.alignment.sentences import ALIGNED_SENTENCES
from ui.chapters.heads.merge import MERGE
from ui.chapters.heads.numbers import NUMBERS
from ui.chapters.heads.opened import OPENED
from ui.chapters.heads.story import STORY
from ui.chapters.heads.view import VIEW
from ui.chapters.heads.wall import WALL
from ui.chapters.heads.what_if.outcome import WHAT_IF
from ui.chapters.heads.why_word.difference import WHY_WORD
from ui.chapters.shared.attention_values import fields
from ui.chapters.shared.difference import difference_from
from ui.page.contents import Contents

DIFFERENCE = difference_from("decoder.layers.0.src_attn.weights")
ALIGNED = (ALIGNMENT, HEADS_ALIGNED, ALIGNED_SENTENCES)
CHANGED = (WHAT_IF, ABLATION, WHY_WORD)
CONTENTS = Contents(
    "heads",
    (STORY, WALL, OPENED, DIFFERENCE, *ALIGNED, NUMBERS, *CHANGED, MERGE, VIEW),
    fields=fields,
    opened="opened",  # in a link that says nothing of it, as in 1.0
)
