"""Masks lab: paddings block keys, the look-ahead blocks the future, and both together are a broadcast."""

from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, padding_mask, subsequent_mask, target_mask
from transformer_core.padding import pad_sequences, random_sequences
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board, write_sums
from ui.figures.arithmetic import equation
from ui.figures.board import Panel, Source
from ui.labs import masks_snippets
from ui.settings.masks import MOST_SEQUENCES
from ui.shell import Chapter, draw_again
from ui.whole_numbers import NotNumbers, whole_numbers

VOCAB = 8  # the notes' vocabulary: tokens 1…7 and the padding


class Sequences(NamedTuple):
    tokens: Tensor  # (batch, width)
    which: int  # the one that the figure takes apart


def chosen_sequences(chapter: Chapter) -> Sequences | None:
    """The batch as set, without its controls; None while the lengths make no sense."""
    settings = chapter.settings
    try:
        lengths = whole_numbers(settings.lengths, 0, settings.width, MOST_SEQUENCES)
    except NotNumbers:
        return None
    vocab = min(VOCAB, chapter.at_hand.config.vocab)  # the model at hand is to read them
    tokens = batch(lengths, settings.width, settings.drawn, clicked(settings.padded), vocab)
    return Sequences(tokens, min(settings.which, len(lengths) - 1))


def batch(
    lengths: tuple[int, ...], width: int, seed: int, padded: frozenset[tuple[int, int]], vocab: int = VOCAB
) -> Tensor:
    """Drawn tokens of these lengths, filled up to `width`, those at `padded` (sequence, position) made paddings."""
    generator = torch.Generator().manual_seed(seed)
    drawn = random_sequences([width] * len(lengths), vocab, generator)  # a token stays itself while lengths change
    tokens = pad_sequences([sequence[:length] for sequence, length in zip(drawn, lengths)], width, PAD)
    for sequence, position in padded:
        if sequence < len(lengths) and position < width:
            tokens[sequence, position] = PAD
    return tokens


def clicked(text: str) -> frozenset[tuple[int, int]]:
    """The setting `padded` read: "1.0 1.3" -> {(1, 0), (1, 3)}; what is no such pair is passed over."""
    pairs = (word.split(".") for word in text.split())
    return frozenset(
        (int(pair[0]), int(pair[1]))
        for pair in pairs
        if len(pair) == 2 and all(part.isascii() and part.isdigit() and len(part) < 4 for part in pair)
    )


def toggled(text: str, sequence: int, position: int) -> str:
    """The setting `padded` after a click on a token: a padding made by a click becomes a token again."""
    pairs = clicked(text) ^ {(sequence, position)}
    return " ".join(f"{sequence}.{position}" for sequence, position in sorted(pairs))


def padding_lab(chapter: Chapter) -> None:
    """Part of a fragment with the labs below it, which follow the sequences chosen here."""
    say, settings = chapter.say, chapter.settings
    left, middle, right = st.columns([2, 2, 2], vertical_alignment="bottom")
    with left:
        controls.text(chapter, "lengths")
    with middle:
        controls.slider(chapter, "width")
    problem = lengths_problem(chapter)
    if problem:
        st.warning(problem)
        return
    sequences = chosen_sequences(chapter)
    assert sequences is not None
    with right:
        which = controls.number_of(chapter, "which", len(sequences.tokens))
    with st.container(horizontal=True, vertical_alignment="center"):
        stretched = controls.toggle(chapter, "stretched")
        if not chapter.hides("drawn"):
            next_seed = (settings.drawn + 1) % 10_000
            st.button(say("redraw"), icon=":material/casino:", on_click=chapter.put, args=["drawn", next_seed])
    sequences = Sequences(sequences.tokens, which)
    pointed = board(chapter, "both", panels(chapter, sequences, stretched), cell="both_cell", alt=say("both.alt"))
    if pointed.label and pointed.label.panel != "tokens":
        chapter.put("padded", toggled(settings.padded, which, pointed.label.index))
        draw_again()
    if pointed.chosen:
        write_sums(chapter, arithmetic_of(sequences, pointed.chosen))
    if not (sequences.tokens[which] != PAD).any():
        st.info(say("both.all_padding"))
    both = target_mask(sequences.tokens)
    origin = provenance("target_mask(tokens)", *both.shape)
    snippet = masks_snippets.both(sequences.tokens.tolist())
    shown = both[which].int().numpy()
    caption(
        chapter,
        "both",
        origin,
        numbers=shown,
        code=[padding_mask, subsequent_mask, target_mask],
        snippet=snippet,
    )


def lengths_problem(chapter: Chapter) -> str:
    """A sentence about what is wrong with the lengths as typed; "" if nothing is."""
    settings = chapter.settings
    try:
        whole_numbers(settings.lengths, 0, settings.width, MOST_SEQUENCES)
    except NotNumbers as problem:
        return chapter.say(f"lengths_problem.{problem.key}", **problem.values)
    return ""


def panels(chapter: Chapter, sequences: Sequences, stretched: bool) -> list[Panel]:
    say = chapter.say
    tokens, which = sequences
    B, T = tokens.shape
    names = [str(token) for token in tokens[which].tolist()]
    paddings = [position for position, token in enumerate(tokens[which].tolist()) if token == PAD]
    mask = partial(
        Panel,
        scale="mask",
        col_labels=names,
        col_axis=say("key_axis"),
        padded_cols=paddings,
        label_events=True,
    )
    square = partial(mask, row_labels=names, row_axis=say("query_axis"), padded_rows=paddings)
    padding = padding_mask(tokens)[which].numpy()  # (1, T): one row for all queries
    return [
        Panel(
            "tokens",
            tokens.numpy(),
            say("tokens", shape=f"({B}, {T})"),
            [say("sequence", number=number) for number in range(B)],
            col_axis=say("position_axis"),
            vacant=(tokens == PAD).numpy(),
            scale="plain",
            print_values=True,
        ),
        (square if stretched else mask)(
            "padding",
            np.broadcast_to(padding, (T if stretched else 1, T)),
            say("padding_stretched" if stretched else "padding", shape=f"({B}, {T if stretched else 1}, {T})"),
            place=(1, 0),
            sources=[Source("tokens", (which,), "column")],
        ),
        square(
            "ahead",
            subsequent_mask(T)[0].numpy(),
            say("ahead", shape=f"({B if stretched else 1}, {T}, {T})"),
            place=(1, 1),
        ),
        square(
            "both",
            target_mask(tokens)[which].numpy(),
            say("both.panel", shape=f"({B}, {T}, {T})"),
            place=(1, 2),
            sources=[
                Source("padding", "row" if stretched else (0,), "column"),
                Source("ahead", "row", "column"),
            ],
        ),
    ]


def arithmetic_of(sequences: Sequences, cell: tuple[str, int, int] | None) -> str:
    """Why the chosen pair is open (1) or blocked (0)."""
    if cell is None or cell[0] == "tokens":
        return ""
    panel, i, j = cell
    token = int(sequences.tokens[sequences.which, j])
    real, past = int(token != PAD), int(j <= i)
    at = f"<sub>{i},{j}</sub>"
    if panel == "padding":
        return equation(f"padding<sub>{j}</sub>", f"[{token} ≠ {PAD}]", result=real)
    if panel == "ahead":
        return equation(f"look-ahead{at}", f"[{j} ≤ {i}]", result=past)
    sides = [f"[{token} ≠ {PAD}] · [{j} ≤ {i}]", f"{real} · {past}"]
    return equation(f"both{at}", *sides, result=real * past)
