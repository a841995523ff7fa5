"""From heads back to positions: transpose moves axes, view only counts the same numbers anew (paper, section 3.2.2)."""

from functools import partial

import torch
from torch import Tensor

from transformer_core import MultiHeadedAttention
from ui.caption import caption, provenance
from ui.drawing import board, write_sums
from ui.figures.arithmetic import equation
from ui.figures.board import By, Cell, Panel, Source
from ui.labs.heads_snippets import view_snippet
from ui.shell import Chapter

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


def view_lab(chapter: Chapter) -> None:
    heads = numbered_heads()
    results = {way: merged(heads, way) for way in WAYS}
    pointed = board(chapter, "view", panels(chapter, heads, results), cell="view_cell", alt=chapter.say("view.alt"))
    if pointed.chosen:
        write_sums(chapter, arithmetic_of(pointed.chosen))
    same = int((results["transpose"] == results["view"]).sum())
    chapter.write("view.counted", same=same, all=heads.numel())
    caption(
        chapter,
        "view",
        provenance("heads.transpose(0, 1).flatten(1)", LENGTH, HEADS * D_K),
        numbers=torch.cat([results[way] for way in WAYS]).numpy(),
        code=[MultiHeadedAttention.forward, MultiHeadedAttention._split],
        snippet=view_snippet(HEADS, LENGTH, D_K),
    )


def panels(chapter: Chapter, heads: Tensor, results: dict[str, Tensor]) -> list[Panel]:
    say = chapter.say
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
            f"h{m}", heads[m].numpy(), say("view.head", head=m), col_labels=[str(d) for d in range(D_K)], place=(0, m)
        )
        for m in range(HEADS)
    ]
    for at, way in enumerate(WAYS):
        drawn.append(
            matrix(
                way,
                results[way].numpy(),
                say(f"view.{way}"),
                col_labels=[str(c) for c in range(HEADS * D_K)],
                place=(1, at),
                meaning="right" if way == "transpose" else "wrong",
                sources=[_from_head(m, results[way]) for m in range(HEADS)],
            )
        )
    return drawn


def _from_head(m: int, result: Tensor) -> Source:
    """Where the numbers of head `m` stand in it; a cell of another head's has no place there."""
    cells = result.flatten().tolist()
    rows, columns = (
        By("cell", tuple((number // unit % 10,) if number // 100 == m else () for number in cells)) for unit in (10, 1)
    )
    return Source(f"h{m}", rows, columns)


def arithmetic_of(cell: Cell) -> str:
    """Which number of which head stands in a cell, and by which rule."""
    way, t, c = cell
    if way not in WAYS:
        return ""
    if way == "transpose":
        head, dimension = divmod(c, D_K)
        return equation(f"merged[{t}, {c}]", f"heads[{head}, {t}, {dimension}]", result=100 * head + 10 * t + dimension)
    count = t * HEADS * D_K + c
    head, rest = divmod(count, LENGTH * D_K)
    position, dimension = divmod(rest, D_K)
    sides = [f"heads.flatten()[{t}·{HEADS * D_K} + {c}]", f"heads[{head}, {position}, {dimension}]"]
    return equation(f"view[{t}, {c}]", *sides, result=100 * head + 10 * position + dimension)
