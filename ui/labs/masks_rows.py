"""Masks lab: padded keys blocked as columns, as here, against padded queries blanked as rows, as in the notes."""

from functools import partial
from typing import NamedTuple

import streamlit as st
from torch import Tensor

from transformer_core import PAD, query_row_mask, softmax_steps, target_mask
from transformer_core.attention import BLOCKED
from transformer_core.softmax import masked_softmax
from ui import controls
from ui.caption import caption
from ui.drawing import board, write_sums
from ui.figures import arithmetic
from ui.figures.board import Cell, Panel, Source
from ui.labs import masks_snippets
from ui.labs.masks_fill import head_of, model_scores
from ui.labs.masks_padding import chosen_sequences
from ui.shell import Chapter


class Version(NamedTuple):
    """One of the two masks and what it does to the weights, each (T, T)."""

    mask: Tensor
    masked: Tensor
    weights: Tensor


def rows_lab(chapter: Chapter) -> None:
    say = chapter.say
    sequences = chosen_sequences(chapter)
    if sequences is None:
        st.warning(say("needs_lengths"))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.number_of(chapter, "head", chapter.at_hand.config.h)
        front = controls.toggle(chapter, "front")
    tokens = sequences.tokens[sequences.which]  # (T,)
    if front:
        tokens = tokens[(tokens != PAD).int().argsort(stable=True)]
    path, _, _, scores = model_scores(chapter, tokens)
    versions = {
        name: Version(mask, *masked_softmax(scores, mask, BLOCKED))
        for name, mask in (
            ("columns", target_mask(tokens.unsqueeze(0))[0]),
            ("rows", query_row_mask(tokens.unsqueeze(0))[0]),
        )
    }
    pointed = board(chapter, "rows", panels(chapter, tokens, versions), cell="rows_cell", alt=say("rows.alt"))
    if pointed.chosen:
        write_sums(chapter, arithmetic_of(tokens, versions, pointed.chosen))
    leaks = {name: arithmetic.number(leak(tokens, version.weights)) for name, version in versions.items()}
    chapter.write("rows.leak", **leaks)
    origin = chapter.at_hand.provenance(path, *scores.shape, head=head_of(chapter))
    caption(
        chapter,
        "rows",
        origin,
        numbers=versions["rows"].weights.numpy(),
        code=[target_mask, query_row_mask, masked_softmax],
        snippet=masks_snippets.rows(tokens.tolist(), scores.tolist()),
    )


def leak(tokens: Tensor, weights: Tensor) -> float:
    """The largest share of its weight that a real token (a row) gives to paddings; 0 if there are none of either."""
    real = tokens != PAD
    given = weights[real][:, ~real].sum(-1)
    return float(given.max()) if given.numel() else 0.0


def panels(chapter: Chapter, tokens: Tensor, versions: dict[str, Version]) -> list[Panel]:
    names = [str(token) for token in tokens.tolist()]
    paddings = (tokens == PAD).nonzero().flatten().tolist()
    square = partial(
        Panel,
        row_labels=names,
        col_labels=names,
        row_axis=chapter.say("query_axis"),
        col_axis=chapter.say("key_axis"),
        padded_rows=paddings,
        padded_cols=paddings,
    )
    drawn = []
    for at, (name, version) in enumerate(versions.items()):
        mask, weights = f"{name}_mask", f"{name}_weights"
        drawn += [
            square(mask, version.mask.numpy(), chapter.say(mask), scale="mask", place=(0, 2 * at)),
            square(
                weights,
                version.weights.numpy(),
                chapter.say(weights),
                scale="probability",
                place=(0, 2 * at + 1),
                print_values=True,
                sources=[Source(mask, "row", "all")],
            ),
        ]
    return drawn


def arithmetic_of(tokens: Tensor, versions: dict[str, Version], cell: Cell | None) -> str:
    """The chosen cell: a mask's condition as 1 or 0, a weight as its share of the exponentials."""
    if cell is None:
        return ""
    panel, i, j = cell
    name, _, part = panel.partition("_")
    at = f"<sub>{i},{j}</sub>"
    if part == "weights":
        steps = softmax_steps(versions[name].masked[i])
        return arithmetic.share(f"α{at}", steps.exponentials.tolist(), j)
    token = int(tokens[j if name == "columns" else i])
    real, past = int(token != PAD), int(j <= i)
    sides = [f"[{token} ≠ {PAD}] · [{j} ≤ {i}]", f"{real} · {past}"]
    return arithmetic.equation(f"mask{at}", *sides, result=real * past)
