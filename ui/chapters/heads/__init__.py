"""All heads of all layers (paper, section 3.2.2)."""

from typing import Any

from ui.chapters.heads import by_layer, merge, numbers, view, wall
from ui.chapters.heads.ablation import heads_off
from ui.chapters.heads.alignment import sentences
from ui.chapters.heads.story import STORY
from ui.chapters.heads.what_if import outcome
from ui.chapters.heads.why_word import difference
from ui.chapters.shared.attention_values import fields
from ui.chapters.shared.difference import difference_from
from ui.sections import Section
from ui.sections.contents import Contents

DIFFERENCE = difference_from("decoder.layers.0.src_attn.weights")
ALIGNED: tuple[Section[Any], ...] = (sentences.alignment, sentences.heads_aligned, sentences.aligned_sentences)
CHANGED: tuple[Section[Any], ...] = (outcome.what_if, heads_off.ablation, difference.why_word)
CONTENTS = Contents(
    "heads",
    (
        STORY,
        wall.all_heads,
        wall.opened_head,
        by_layer.by_layer,
        DIFFERENCE,
        *ALIGNED,
        numbers.numbers,
        *CHANGED,
        merge.merged_heads,
        view.view,
    ),
    fields=fields,
    opened="opened",  # in a link that says nothing of it, as in 1.0
)
