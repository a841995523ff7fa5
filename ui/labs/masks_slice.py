"""Masks lab: a mask that is too large, cut to size without a word as in the notes, or refused as here."""

from functools import partial

import streamlit as st
import torch
from torch import Tensor

from transformer_core import attention, subsequent_mask
from transformer_core.attention import BLOCKED
from transformer_core.masks import sliced
from transformer_core.softmax import masked_softmax
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board, write_sums
from ui.figures import arithmetic
from ui.figures.board import Cell, Panel, Source, by_row
from ui.labs import masks_snippets
from ui.shell import Chapter


def slice_lab(chapter: Chapter) -> None:
    """The last queries of a sequence with the mask of all of them."""
    left, right = st.columns(2)
    with left:
        size = controls.slider(chapter, "slice_size")
    with right:
        queries = controls.slider(chapter, "slice_queries", 1, size)
    mask = subsequent_mask(size)[0]  # (size, size)
    masks = {"cut": sliced(mask, queries, size), "own": mask[size - queries :]}  # (queries, size) each
    weights = {
        name: masked_softmax(torch.zeros(queries, size), allowed, BLOCKED).weights for name, allowed in masks.items()
    }
    drawn = panels(chapter, mask, masks, weights)
    pointed = board(chapter, "slice", drawn, cell="slice_cell", alt=chapter.say("slice.alt"))
    if pointed.chosen:
        write_sums(chapter, arithmetic_of(pointed.chosen, size - queries, masks))
    chapter.write("slice.ours", answer=answer(mask, queries))
    caption(
        chapter,
        "slice",
        provenance(f"sliced(subsequent_mask({size}), {queries}, {size})", queries, size),
        numbers=weights["cut"].numpy(),
        code=[sliced, attention],
        snippet=masks_snippets.too_large(size, queries),
    )


def panels(chapter: Chapter, mask: Tensor, masks: dict[str, Tensor], weights: dict[str, Tensor]) -> list[Panel]:
    """The mask; below it what is cut out of it, and what belongs to these queries, each with its weights."""
    say, size = chapter.say, len(mask)
    late = list(range(size - len(masks["own"]), size))
    matrix = partial(
        Panel,
        row_labels=[str(query) for query in late],
        col_labels=[str(key) for key in range(size)],
        row_axis=say("query_axis"),
        col_axis=say("key_axis"),
    )
    drawn = [
        matrix(
            "given", mask.numpy(), say("slice.given"), row_labels=[str(query) for query in range(size)], scale="mask"
        ),
    ]
    for at, (name, first) in enumerate((("cut", 0), ("own", late[0])), 1):
        rows = by_row(range(first, first + len(late)))
        drawn += [
            matrix(
                name,
                masks[name].numpy(),
                say(f"slice.{name}"),
                scale="mask",
                place=(0, at),
                sources=[Source("given", rows, "column")],
            ),
            matrix(
                f"{name}_weights",
                weights[name].numpy(),
                say(f"slice.{name}_weights"),
                scale="probability",
                place=(1, at),
                print_values=True,
                sources=[Source(name, "row", "all")],
            ),
        ]
    return drawn


def arithmetic_of(cell: Cell, late: int, masks: dict[str, Tensor]) -> str:
    """The row of the mask that a query is given, and what its allowed keys share."""
    panel, i, j = cell
    if panel == "given":
        return arithmetic.equation(f"mask<sub>{i},{j}</sub>", f"[{j} ≤ {i}]", result=int(j <= i))
    name, _, part = panel.partition("_")
    if part:
        allowed = masks[name][i].float().tolist()
        return arithmetic.share(f"α<sub>{late + i},{j}</sub>", allowed, j)
    row = i if name == "cut" else late + i
    sides = [f"mask<sub>{row},{j}</sub>", f"[{j} ≤ {row}]"]
    return arithmetic.equation(f"mask<sub>{late + i},{j}</sub>", *sides, result=int(j <= row))


def answer(mask: Tensor, queries: int) -> str:
    """What our attention says to this mask."""
    x = torch.zeros(len(mask), 1)
    try:
        output, _ = attention(x[len(mask) - queries :], x, x, mask)
    except ValueError as problem:
        return f"ValueError: {problem}"
    return f"shape {tuple(output.shape)}"
