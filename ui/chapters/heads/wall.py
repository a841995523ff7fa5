"""Every head of every layer at once, and the one that the reader opens (paper, section 3.2.2)."""

from functools import partial

import numpy as np
import streamlit as st

from transformer_core import MultiHeadedAttention, Trace
from ui.chapters.heads.programs import wall_snippet
from ui.chapters.heads.values import every_head, values_of
from ui.chapters.shared.attention_values import mask_of, names_of
from ui.figures.board import Cell
from ui.figures.figure import Board, Figure
from ui.figures.wall import BEFORE, HeadName, table, wall
from ui.frame.chapter import Chapter
from ui.model.recorded import recorded
from ui.page import controls
from ui.reading.sequences import Sequences
from ui.settings.kinds import KINDS
from ui.showing.show import show
from ui.text import Words


def all_heads(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand, config = chapter.say, chapter.at_hand, chapter.at_hand.config
    trace = recorded(at_hand, sequences.src, sequences.given)
    shown = controls.choose(chapter, "shown")
    heads = {name: values_of(trace, name, shown) for name in every_head(config)}
    board = _wall(chapter, sequences, trace, heads)
    st.html(say("wall.legend"))
    figure = Figure(
        "wall",
        board,
        say("wall.alt", count=len(heads)),
        at_hand.provenance(f"*.layers.*.*_attn.{shown}", len(KINDS), config.N, config.h),
        numbers=table(heads),
        columns=[say("wall.query"), say("wall.key"), *(panel.title for panel in board.panels)],
        code=[MultiHeadedAttention],
        program=wall_snippet(at_hand, sequences, shown),
    )
    show(chapter, figure, on_cell=partial(_open, chapter))


def _open(chapter: Chapter, cell: Cell | None) -> None:
    """Another head, or another cell of this one."""
    if cell:
        chapter.put("opened", ("weights", *cell[1:]))


def _wall(chapter: Chapter, sequences: Sequences, trace: Trace, heads: dict[HeadName, np.ndarray]) -> Board:
    shown, config = chapter.settings.shown, chapter.at_hand.config
    words = Words("attention", chapter.lang)
    names_by_kind = {kind: names_of(words, kind, sequences, {}) for kind in KINDS}
    return wall(
        heads,
        {name: values_of(trace, name, BEFORE[shown]) for name in heads},
        {kind: ~mask_of(kind, sequences).numpy() for kind in KINDS},
        {kind: chapter.say(f"short.{kind}") for kind in KINDS},
        {kind: (names.queries, names.keys) for kind, names in names_by_kind.items()},
        shown,
        config.d_model // config.h if config.scale else None,
    )
