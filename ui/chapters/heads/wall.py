"""Every head of every layer at once, and the one that the reader opens (paper, section 3.2.2)."""

from functools import partial
from typing import Any, Literal

import numpy as np
import streamlit as st

from transformer_core import MultiHeadedAttention, SoftmaxSteps, Trace, attention_steps, softmax_steps
from transformer_core.softmax import masked_softmax
from ui import state
from ui.chapters.heads.values import every_head, mean, measured, of_every_attention, values_of
from ui.chapters.shared.attention_values import attention_snippet, head_of, mask_of, names_of, path, weights_board
from ui.figures import Board, Figure, number, runnable, stages
from ui.figures.board import Cell
from ui.figures.wall import BEFORE, HeadName, table, wall
from ui.model import recorded
from ui.sections import Chapter, Choice, Section, controls, show
from ui.sections.section_list import is_open, open_section
from ui.settings.chapters import page
from ui.settings.fields import CellSetting, Settings, cell, choice
from ui.settings.shared import KINDS
from ui.text import Words

AT_STOPS = (Choice("ask_copy", KINDS, right="cross"),)


class Wall(Settings):
    shown: Literal["weights", "scores"] = choice("weights", "weights", "scores")
    cell: CellSetting = cell("cross.0.0", 3, 4)  # `kind.layer.head` of the head that is open, and where


class Opened(Settings):
    opened: CellSetting = cell("weights", 3, 4)


@Section("wall", settings=Wall, sets=(Opened,), look="lead", why="text", lesson=AT_STOPS)
def all_heads(chapter: Chapter[Wall]) -> None:
    say, at_hand, config, sequences = chapter.say, chapter.at_hand, chapter.at_hand.config, chapter.typed
    trace = recorded(at_hand, sequences.src, sequences.given)
    above = chapter.figure_first()
    chapter.draw_fields()
    shown = controls.choose(chapter, "shown")
    heads = {name: values_of(trace, name, shown) for name in every_head(config)}
    board = wall_of(chapter, trace, heads, chapter.settings.shown)
    with above.there:
        st.html(say("wall.legend"))
    every = "dict(enumerate(head.numpy() for value in values for head in value))"
    figure = Figure(
        "wall",
        board,
        at_hand.provenance(f"*.layers.*.*_attn.{shown}", len(KINDS), config.N, config.h),
        numbers=table(heads),
        columns=[say("wall.query"), say("wall.key"), *(panel.title for panel in board.panels)],
        code=[MultiHeadedAttention],
        program=runnable(table, of_every_attention(at_hand, sequences, shown, "heads", every)),
        alt=say("wall.alt", count=len(heads)),
    )
    show(above, figure, on_cell=partial(_open, chapter))


def _open(chapter: Chapter[Wall], chosen: Cell | None) -> None:
    if chosen:
        chapter.of(Opened).put("opened", ("weights", *chosen[1:]))
        if is_open(chapter, "opened", Opened):  # unless the reader has closed it
            open_section(chapter, "opened")


def wall_of(
    chapter: Chapter[Any], trace: Trace, heads: dict[HeadName, np.ndarray], shown: Literal["weights", "scores"]
) -> Board:
    """Small matrices of these heads, whose weights or scores are `shown`."""
    config, sequences = chapter.at_hand.config, chapter.typed
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


@Section("opened", settings=Opened, reads=(Wall,))
def opened_head(chapter: Chapter[Opened]) -> None:
    say, words, at_hand, sequences = chapter.say, Words("attention", chapter.lang), chapter.at_hand, chapter.typed
    name = _chosen(chapter)
    trace = recorded(at_hand, sequences.src, sequences.given)
    chapter.write("opened.which", kind=say(f"kind.{name.kind}"), layer=name.layer, head=name.head)
    head = head_of(trace, *name, sequences, at_hand.config.scale)
    chapter.put("opened", stages.follow(chapter.settings.opened, "weights"))
    figure = Figure(
        "open",
        weights_board(chapter, head, name.kind, cell="opened"),
        at_hand.provenance(f"{path(name.kind, name.layer)}.weights", *head.weights.shape, head=name.head),
        code=(attention_steps, masked_softmax, softmax_steps, SoftmaxSteps),
        program=attention_snippet(at_hand, sequences, *name),
        alt=words("alt.weights"),
    )
    show(chapter, figure)
    averages = {measure: number(mean(of), 3) for measure, of in measured(trace, name).items()}
    chapter.write("opened.measures", **averages, most=number(float(np.log(head.mask.shape[1])), 3))
    st.page_link(
        page("attention"),
        label=say("opened.link"),
        icon=":material/zoom_in:",
        query_params=state.query("attention", kind=name.kind, layer=name.layer, head=name.head),
    )


def _chosen(chapter: Chapter[Opened]) -> HeadName:
    """The head that the wall has chosen; its first one if it is of another model."""
    every = every_head(chapter.at_hand.config)
    cell = chapter.of(Wall).settings.cell
    return next((name for name in every if cell and name.key == cell[0]), every[0])
