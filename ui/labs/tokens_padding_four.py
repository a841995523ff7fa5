"""F.pad on a tensor of four dimensions: each further pair of numbers belongs to one dimension further from the last."""

from functools import partial

import streamlit as st
import torch
from torch import Tensor
from torch.nn.functional import pad

from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures.board import Cell, Panel, Source, by_column, by_row
from ui.shell import Chapter

SHAPE = (3, 3, 4, 2)  # the notes' tensor; its first three calls are theirs
CALLS = {"1": (1, 1), "2": (1, 1, 2, 2), "3": (0, 1, 2, 1, 3, 3), "4": (0, 1, 2, 1, 0, 1, 1, 0)}
IN_A_ROW = 5  # matrices side by side


def numbered(shape: tuple[int, ...]) -> Tensor:
    """A tensor of four dimensions whose digits are the indices of each number, counted from 1: none is 0."""
    total = torch.zeros(shape, dtype=torch.int64)
    for axis, size in enumerate(shape):
        digits = 10 ** (3 - axis) * torch.arange(1, size + 1)
        total += digits.view([-1 if at == axis else 1 for at in range(4)])
    return total


def four_section(chapter: Chapter) -> None:
    say = chapter.say
    chapter.write("four.text")
    amounts = CALLS[controls.choose(chapter, "pairs")]
    before = numbered(SHAPE)
    after = pad(before, amounts)
    call = f"F.pad(x, {amounts})"
    chapter.write("four.shapes", call=call, before=tuple(before.shape), after=tuple(after.shape))
    shifts = [*amounts[-2::-2]]  # numbers before, from the outermost padded dimension to the last
    shifts = [0] * (4 - len(shifts)) + shifts
    drawn = panels(chapter, before, after, shifts)
    chosen = board(chapter, "four", drawn, cell="four_cell", alt=say("four.alt", call=call)).chosen
    st.html(explained(chapter, chosen, after, shifts))
    caption(
        chapter,
        "four",
        provenance(call, *after.shape),
        numbers=after.flatten(0, 2).numpy(),
        code=[pad],
        snippet=four_snippet(amounts),
    )


def panels(chapter: Chapter, before: Tensor, after: Tensor, shifts: list[int]) -> list[Panel]:
    """One matrix of the last two dimensions for each index of the second; of the first dimension, the original's 0."""
    say = chapter.say
    first, second, *inner = shifts
    rows, columns = (
        [[at - shift] if 0 <= at - shift < size else [] for at in range(length)]
        for shift, size, length in zip(inner, SHAPE[2:], after.shape[2:])
    )
    matrix = partial(Panel, row_axis=say("four.row"), col_axis=say("four.column"), scale="plain", print_values=True)
    drawn = [matrix(f"x{i}", before[0, i].numpy(), say("four.before", i=i, a=0), place=(0, i)) for i in range(SHAPE[1])]
    for at in range(after.size(1)):
        i = at - second
        real = 0 <= i < SHAPE[1]
        drawn.append(
            matrix(
                f"y{at}",
                after[first, at].numpy(),
                say("four.after", i=at, a=first),
                padded_rows=[r for r, source in enumerate(rows) if not source or not real],
                padded_cols=[c for c, source in enumerate(columns) if not source or not real],
                sources=[Source(f"x{i}", by_row(rows), by_column(columns))] if real else [],
                place=(1 + at // IN_A_ROW, at % IN_A_ROW),
            )
        )
    return drawn


def explained(chapter: Chapter, cell: Cell | None, after: Tensor, shifts: list[int]) -> str:
    if cell is None or cell[0].startswith("x"):
        return chapter.say("padding.choose")
    index = (shifts[0], int(cell[0][1:]), *cell[1:])
    source = tuple(at - shift for at, shift in zip(index, shifts))
    inside = all(0 <= at < size for at, size in zip(source, SHAPE))
    if inside:
        return chapter.say("four.is_moved", index=index, source=source, value=int(after[index]))
    return chapter.say("four.is_padding", index=index)


def four_snippet(amounts: tuple[int, ...]) -> str:
    return (
        "import torch\nimport torch.nn.functional as F\n\n"
        f"a, b, c, d = (torch.arange(1, size + 1) for size in {SHAPE})\n"
        "x = 1000 * a[:, None, None, None] + 100 * b[:, None, None] + 10 * c[:, None] + d\n"
        f"shown = F.pad(x, {amounts})\nprint(shown.shape, shown)\n"
    )
