"""From heads back to positions: transpose moves axes, view only counts the same numbers anew (paper, section 3.2.2)."""

from functools import partial

import numpy as np
import torch
from torch import Tensor

from transformer_core import MultiHeadedAttention
from ui.figures import Board, Figure, Panel, runnable
from ui.figures.formula import Cases, I, J, Matrix, by_cell, by_column
from ui.sections import AnyChapter, Section, provenance, show

HEADS, LENGTH, D_K = 2, 3, 4  # the notes' example has shape (1, 2, 3, 4)
WAYS = ("transpose", "view")


def numbered_heads() -> Tensor:
    """(HEADS, LENGTH, D_K) int64: a number's hundreds are its head, its tens its position, its ones its dimension."""
    head, position, dimension = (torch.arange(size) for size in (HEADS, LENGTH, D_K))
    return 100 * head.view(-1, 1, 1) + 10 * position.view(-1, 1) + dimension


def merged(heads: Tensor, way: str) -> Tensor:
    """(HEADS, LENGTH, D_K) -> (LENGTH, HEADS·D_K), as the model does it or by counting anew."""
    wanted = (LENGTH, HEADS, D_K)
    return (heads.transpose(0, 1) if way == "transpose" else heads.reshape(wanted)).flatten(1)


def both_ways() -> Tensor:
    """(2, LENGTH, HEADS·D_K)"""
    return torch.stack([merged(numbered_heads(), way) for way in WAYS])


@Section("view", cell="view_cell=view.1.5", text="text", why="why")
def view(chapter: AnyChapter) -> None:
    results = both_ways()
    figure = Figure(
        "view",
        Board(_panels(chapter, results)),
        provenance("heads.transpose(0, 1).flatten(1)", LENGTH, HEADS * D_K),
        numbers=results.flatten(0, 1).numpy(),
        code=[MultiHeadedAttention.forward, MultiHeadedAttention._split],
        program=runnable(both_ways, then=".flatten(0, 1)"),
    )
    show(chapter, figure)
    chapter.write("view.counted", same=int((results[0] == results[1]).sum()), all=results[0].numel())


def _panels(chapter: AnyChapter, results: Tensor) -> list[Panel]:
    say, heads = chapter.say, numbered_heads()
    matrix = partial(
        Panel,
        row_labels=[str(position) for position in range(LENGTH)],
        row_axis=say("view.position"),
        col_axis=say("view.dimension"),
        scale="plain",
        print_values=True,
    )
    drawn = [
        matrix(
            f"h{m}",
            heads[m].numpy(),
            say("view.head", head=m),
            col_labels=[str(d) for d in range(D_K)],
            symbol=f"h^{m}",
        )
        for m in range(HEADS)
    ]
    drawn += [
        matrix(
            way,
            results[at].numpy(),
            say(f"view.{way}"),
            col_labels=[str(c) for c in range(HEADS * D_K)],
            place=(1, at),
            meaning="right" if way == "transpose" else "wrong",
            symbol="mv"[at],
            made=_made(way),
        )
        for at, way in enumerate(WAYS)
    ]
    return drawn


def _made(way: str) -> Cases:
    """From which head each number comes: `transpose` keeps its position, `view` counts on through all the heads."""
    if way == "transpose":
        return by_column(*[Matrix(f"h{c // D_K}")[I, J.moved(-(c // D_K) * D_K)] for c in range(HEADS * D_K)])
    places = [np.unravel_index(n, (HEADS, LENGTH, D_K)) for n in range(HEADS * LENGTH * D_K)]
    return by_cell(*[Matrix(f"h{m}")[int(t), int(d)] for m, t, d in places])
