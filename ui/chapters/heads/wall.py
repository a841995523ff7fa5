"""Every head of every layer at once, and the one that the reader opens (paper, section 3.2.2)."""

import numpy as np
import streamlit as st

from transformer_core import MultiHeadedAttention, Trace, attention_steps, softmax_steps
from transformer_core.softmax import masked_softmax
from ui import address, controls
from ui.chapters.heads.programs import wall_snippet
from ui.chapters.heads.values import MEASURES, every_head, mean, measured, values_of
from ui.chapters.shared.attention_programs import attention_snippet
from ui.chapters.shared.attention_values import Sequences, head_of, mask_of, names_of, path
from ui.figures import stages
from ui.figures.board import nearest
from ui.figures.figure import Board, Figure
from ui.figures.number import number
from ui.figures.wall import BEFORE, HeadName, named, table, wall
from ui.recorded import recorded
from ui.settings.chapters import page
from ui.settings.kinds import KINDS
from ui.shell import Chapter
from ui.show import show
from ui.text import Words


def all_heads(chapter: Chapter, sequences: Sequences | None) -> None:
    if not sequences:
        return
    say, at_hand, config = chapter.say, chapter.at_hand, chapter.at_hand.config
    trace = recorded(at_hand, sequences.src, sequences.given)
    shown = controls.choose(chapter, "shown")
    heads = {name: values_of(trace, name, shown) for name in every_head(config)}
    board = _wall(chapter, sequences, trace, heads)
    st.html(say("wall.legend"))
    before = nearest(board.panels, chapter.settings.cell)
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
    chosen = show(chapter, figure).chosen
    if chosen and chosen != before:
        chapter.put("opened", ("weights", *chosen[1:]))  # another head, or another cell of this one
    _open_head(chapter, named(chosen[0]) if chosen else next(iter(heads)), sequences, trace)


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


def _open_head(chapter: Chapter, name: HeadName, sequences: Sequences, trace: Trace) -> None:
    """The head of the chosen cell, large, with its sum, its numbers and the way into its stages."""
    say, words, at_hand = chapter.say, Words("attention", chapter.lang), chapter.at_hand
    chapter.heading("open", kind=say(f"kind.{name.kind}"), layer=name.layer, head=name.head)
    head = head_of(trace, *name, sequences, at_hand.config.scale)
    titles = {panel: words(f"panel.{panel}") for line in stages.LINES["weights"] for panel in line}
    names = names_of(words, name.kind, sequences, titles)
    chapter.put("opened", stages.follow(chapter.settings.opened, "weights"))
    figure = Figure(
        "open",
        stages.board(head, names, "weights", cell="opened"),
        words("alt.weights"),
        at_hand.provenance(f"{path(name.kind, name.layer)}.weights", *head.weights.shape, head=name.head),
        code=(attention_steps, masked_softmax, softmax_steps),
        program=attention_snippet(at_hand, sequences, *name),
    )
    show(chapter, figure)
    averages = {measure: number(mean(measured(trace, name, measure)), 3) for measure in MEASURES}
    st.markdown(say("open.measures", **averages, most=number(float(np.log(head.mask.shape[1])), 3)))
    st.page_link(
        page("attention"),
        label=say("open.link"),
        icon=":material/zoom_in:",
        query_params=address.query("attention", kind=name.kind, layer=name.layer, head=name.head),
    )
