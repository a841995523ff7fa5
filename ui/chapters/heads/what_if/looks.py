"""What one head of cross-attention looks at, before and with the change, each while it writes its own output."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
from torch import Tensor

from transformer_core import greedy_decode, intervene
from ui.chapters.heads.alignment.reference import reference_of, row_in_words, unknown
from ui.chapters.heads.what_if.values import WhatIf, decoded, looks_snippet
from ui.chapters.shared.attention_values import path
from ui.chapters.shared.forced_prefix import OWN
from ui.chapters.shared.look_lines import look_lines, row_chosen
from ui.components.drawings import Token
from ui.figures import Drawing, Figure
from ui.inputs.sequence import TypedSequences, shifted
from ui.sections import Chapter, controls, show
from ui.settings.fields import Settings, by_click, whole


class OfLooks(Settings):
    if_look_layer: int = whole(0, 0, 5)
    if_look_head: int = whole(3, 0, 15)
    if_look_word: int = by_click(whole(-1, -1, 99))  # of the output; -1: the one that the change is about


class Side(NamedTuple):
    """What is read and written, the head's weights (T, S), and what stands for what (T, S) if that is known."""

    name: str
    sequences: TypedSequences
    weights: np.ndarray
    reference: Tensor | None


def looks(chapter: Chapter[OfLooks], plain: WhatIf, what: WhatIf, written: TypedSequences, moved: int) -> None:
    """The head that changes, or one that is chosen. Of the rows, the one that is written by hand is marked, or else
    `moved`, whose logit moves most, until the reader chooses another."""
    at_hand = chapter.at_hand
    chapter.write("what_if.look")
    crossed = _crossed(what, at_hand.config.N)
    layer, head = crossed or _chosen_head(chapter)
    sides = [_side(chapter, name, one, written, layer, head) for name, one in (("before", plain), ("after", what))]
    by_hand = what.query if crossed else None
    marked = chapter.settings.if_look_word
    if marked < 0:
        marked = moved if by_hand is None else by_hand
    rows = [min(marked, len(side.weights) - 1) for side in sides]
    after = sides[-1].weights
    figure = Figure(
        "what_if_looks",
        [_drawn(chapter, side, row, by_hand if side.name == "after" else None) for side, row in zip(sides, rows)],
        at_hand.provenance(f"{path('cross', layer)}.weights", *after.shape, head=head),
        numbers=after,
        code=[greedy_decode, intervene, *what.functions],
        program=looks_snippet(at_hand, what, layer, head),
    )
    beside = [
        partial(row_in_words, chapter, side.sequences, side.weights, side.reference, row)
        for side, row in zip(sides, rows)
    ]
    show(chapter, figure, on_pick=chapter.then(partial(_pick, chapter, sides)), beside=beside)
    _legend(chapter, *sides)
    if by_hand is not None:
        chapter.write("what_if.hand_look", mark=OWN)
    if what.function == "head_off" and crossed:
        chapter.write("what_if.off_look")


def _pick(chapter: Chapter[OfLooks], sides: Sequence[Side], at: int, token: Token) -> None:
    row = row_chosen(token, sides[at].weights)
    if row is not None:
        chapter.put("if_look_word", row)


def _chosen_head(chapter: Chapter[OfLooks]) -> tuple[int, int]:
    config = chapter.at_hand.config
    with st.container(horizontal=True):
        layer = controls.number_of(chapter, "if_look_layer", config.N)
        head = controls.number_of(chapter, "if_look_head", config.h)
    return layer, head


def _side(chapter: Chapter[OfLooks], name: str, what: WhatIf, written: TypedSequences, layer: int, head: int) -> Side:
    found = decoded(chapter.at_hand, what, written.given)
    read = shifted(what.src, tuple(found["ids"].tolist()), chapter.at_hand.config.vocabularies)
    return Side(name, read, found["weights"][layer, head].numpy(), reference_of(chapter, read))


def _drawn(chapter: Chapter[OfLooks], side: Side, query: int, by_hand: int | None) -> Drawing:
    say, (name, sequences, weights, reference) = chapter.say, side
    heading = say(f"what_if.{name}")
    return look_lines(
        weights,
        [f"{OWN} {word}" if row == by_hand else word for row, word in enumerate(sequences.answers)],
        sequences.sources,
        sides=(heading, say("alignment.source")),
        query=query,
        reference=reference,
        alt=f"{heading}. {say('alignment.alt_unknown' if reference is None else 'alignment.alt')}",
        glosses=chapter.glosses,
    )


def _legend(chapter: Chapter[OfLooks], before: Side, after: Side) -> None:
    if before.reference is None and after.reference is None:
        unknown(chapter)
        chapter.write("alignment.legend_unknown")
        return
    chapter.write("alignment.legend")
    for side in (before, after):
        if side.reference is None:
            chapter.write(f"what_if.no_bands_{side.name}")


def _crossed(what: WhatIf, layers: int) -> tuple[int, int] | None:
    """Layer and head of the cross-attention that changes; None if it is no cross-attention."""
    if what.head is None:
        return None
    return next(((layer, what.head) for layer in range(layers) if what.where == path("cross", layer)), None)
