"""What one head of cross-attention looks at, before and with the change, each while it writes its own output."""

from typing import NamedTuple

import numpy as np
import streamlit as st
from torch import Tensor

from transformer_core import PAD, greedy_decode, intervene
from ui.chapters.heads.alignment import gold_of, row_in_words, unknown
from ui.chapters.heads.what_if_values import WhatIf, decoded, looks_snippet
from ui.chapters.shared.attention_values import path
from ui.chapters.shared.begun import OWN
from ui.chapters.shared.look_lines import look_lines, row_chosen
from ui.figures.figure import Figure
from ui.figures.what_if import Look, looks_board
from ui.frame.chapter import Chapter, draw_again
from ui.page import controls
from ui.reading.sequences import Sequences, shifted
from ui.showing import show


class Side(NamedTuple):
    """What is read and written, the head's weights (T, S), and what stands for what (T, S) if that is known."""

    name: str
    sequences: Sequences
    weights: np.ndarray
    gold: Tensor | None


def looks(chapter: Chapter, plain: WhatIf, what: WhatIf, written: Sequences, moved: int) -> None:
    """The head that changes, or one that is chosen. Of the rows, the one that is written by hand is marked, or else
    `moved`, whose logit moves most, until the reader chooses another."""
    at_hand, say = chapter.at_hand, chapter.say
    chapter.write("what_if.look")
    crossed = _crossed(what, at_hand.config.N)
    layer, head = crossed or _chosen_head(chapter)
    sides = [_side(chapter, name, one, written, layer, head) for name, one in (("before", plain), ("after", what))]
    by_hand = what.query if crossed else None
    marked = chapter.settings.if_look_word
    if marked < 0:
        marked = moved if by_hand is None else by_hand
    chosen = []
    for side, column in zip(sides, st.columns(2, gap="medium")):
        with column:
            chosen.append(_draw(chapter, side, marked, by_hand if side.name == "after" else None))
    _legend(chapter, *sides)
    if by_hand is not None:
        chapter.write("what_if.hand_look", mark=OWN)
    if what.function == "head_off" and crossed:
        chapter.write("what_if.off_look")
    words = {name: say(f"what_if.{name}") for name in ("before", "after", "written", "source")}
    padded = [at for at, token in enumerate(plain.src) if token == PAD]
    figure = Figure(
        "what_if_looks",
        looks_board(
            [Look(side.weights, side.sequences.answers, side.sequences.sources) for side in sides], words, padded
        ),
        say("what_if.looks_alt"),
        at_hand.provenance(f"{path('cross', layer)}.weights", *sides[-1].weights.shape, head=head),
        code=[greedy_decode, intervene, *what.functions],
        program=looks_snippet(at_hand, what, layer, head),
    )
    show.close(chapter, figure)
    row = next((row for row in chosen if row is not None), marked)
    if row != marked:
        chapter.put("if_look_word", row)
        draw_again()


def _chosen_head(chapter: Chapter) -> tuple[int, int]:
    config = chapter.at_hand.config
    with st.container(horizontal=True):
        layer = controls.number_of(chapter, "if_look_layer", config.N)
        head = controls.number_of(chapter, "if_look_head", config.h)
    return layer, head


def _side(chapter: Chapter, name: str, what: WhatIf, written: Sequences, layer: int, head: int) -> Side:
    found = decoded(chapter.at_hand, what, written.given)
    read = shifted(what.src, tuple(found["ids"].tolist()), chapter.at_hand.config.vocabularies)
    return Side(name, read, found["weights"][layer, head].numpy(), gold_of(chapter, read))


def _draw(chapter: Chapter, side: Side, marked: int, by_hand: int | None) -> int | None:
    """The row that the reader has just chosen there, if any."""
    say, (name, sequences, weights, gold) = chapter.say, side
    query, heading = min(marked, len(weights) - 1), say(f"what_if.{name}")
    token = look_lines(
        chapter,
        f"what_if_{name}",
        weights,
        [f"{OWN} {word}" if row == by_hand else word for row, word in enumerate(sequences.answers)],
        sequences.sources,
        sides=(heading, say("alignment.source")),
        query=query,
        key=int(weights[query].argmax()),
        gold=gold,
        alt=f"{heading}. {say('alignment.alt_unknown' if gold is None else 'alignment.alt')}",
    )
    row_in_words(chapter, sequences, weights, gold, query)
    return row_chosen(token, weights) if token else None


def _legend(chapter: Chapter, before: Side, after: Side) -> None:
    """What the bands are, and on which side there are none."""
    if before.gold is None and after.gold is None:
        unknown(chapter)
        chapter.write("alignment.legend_unknown")
        return
    chapter.write("alignment.legend")
    for side in (before, after):
        if side.gold is None:
            chapter.write(f"what_if.no_bands_{side.name}")


def _crossed(what: WhatIf, layers: int) -> tuple[int, int] | None:
    """Layer and head of the cross-attention that changes; None if it is no cross-attention."""
    if what.head is None:
        return None
    return next(((layer, what.head) for layer in range(layers) if what.where == path("cross", layer)), None)
