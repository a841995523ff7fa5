"""The sections in which a part of the model is changed, switched off or asked what it adds."""

from functools import partial

from ui.chapters.heads.ablation import ablation
from ui.chapters.heads.what_if import what_if
from ui.chapters.heads.why_word import why_word
from ui.page.section import Section
from ui.reading.sequences import Sequences

OF_THE_CHANGE = (
    "hurts if_how if_kind if_layer if_head if_query if_row if_place if_first if_second if_cell "
    "if_look_layer if_look_head if_look_word"
)
OF_THE_HEADS = "ablation_cell ranked_cell"
OF_THE_WORD = "why_row why_rival why_cell"


def experiments(sequences: Sequences) -> tuple[Section, ...]:
    return (
        Section("what_if", partial(what_if, sequences=sequences), OF_THE_CHANGE, text="text", why="why"),
        Section("ablation", ablation, OF_THE_HEADS, text="text", why="why"),
        Section("why_word", partial(why_word, sequences=sequences), OF_THE_WORD, text="text", why="why"),
    )
