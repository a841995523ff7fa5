"""F.pad on a tensor of four dimensions: each further pair of numbers belongs to one dimension further from the last."""

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import pad

from ui.chapters.tokens.padding import moved, outside
from ui.figures.board import Panel
from ui.figures.figure import Board, Figure
from ui.figures.formula import Number
from ui.figures.runnable import runnable
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.page.lecture import through
from ui.page.section import Section
from ui.settings.fields import Settings, cell, choice
from ui.showing.caption import provenance
from ui.showing.show import show

SHAPE = (3, 3, 4, 2)  # the notes' tensor; its first three calls are theirs
CALLS = {"1": (1, 1), "2": (1, 1, 2, 2), "3": (0, 1, 2, 1, 3, 3), "4": (0, 1, 2, 1, 0, 1, 1, 0)}
IN_A_ROW = 5  # matrices side by side


@dataclass(frozen=True)
class Four(Settings):
    pairs: str = choice("3", *CALLS)  # of numbers handed to F.pad
    four_cell: tuple[str, int, int] | None = cell()


def padded(amounts: tuple[int, ...]) -> Tensor:
    return pad(numbered(SHAPE), amounts)


def numbered(shape: tuple[int, ...]) -> Tensor:
    """A tensor of four dimensions whose digits are the indices of each number, counted from 1: none is 0."""
    total = torch.zeros(shape, dtype=torch.int64)
    for axis, size in enumerate(shape):
        digits = 10 ** (3 - axis) * torch.arange(1, size + 1)
        total += digits.view([-1 if at == axis else 1 for at in range(4)])
    return total


def four(chapter: Chapter[Four]) -> None:
    say = chapter.say
    amounts = CALLS[controls.choose(chapter, "pairs")]
    before, after = numbered(SHAPE), padded(amounts)
    call = f"F.pad(x, {amounts})"
    chapter.write("four.shapes", call=call, before=tuple(before.shape), after=tuple(after.shape))
    shifts = [*amounts[-2::-2]]  # numbers before, from the outermost padded dimension to the last
    shifts = [0] * (4 - len(shifts)) + shifts
    figure = Figure(
        "four",
        Board(_panels(chapter, before, after, shifts), cell="four_cell"),
        say("four.alt", call=call),
        provenance(call, *after.shape),
        numbers=after.flatten(0, 2).numpy(),
        code=(padded,),
        program=runnable(padded, amounts, then=".flatten(0, 2)"),
    )
    show(chapter, figure)


def _panels(chapter: Chapter[Four], before: Tensor, after: Tensor, shifts: list[int]) -> list[Panel]:
    """One matrix of the last two dimensions for each index of the second; of the first dimension, the original's 0."""
    say = chapter.say
    a, second, *first = shifts
    rows, columns = (outside(*axis) for axis in zip(first, SHAPE[2:], after.shape[2:]))
    matrix = partial(Panel, row_axis=say("four.row"), col_axis=say("four.column"), scale="plain", print_values=True)
    drawn = [
        matrix(f"x{i}", before[0, i].numpy(), say("four.before", i=i, a=0), symbol=f"x^(0,{i})", place=(0, i))
        for i in range(SHAPE[1])
    ]
    for at in range(after.size(1)):
        real = 0 <= at - second < SHAPE[1]
        drawn.append(
            matrix(
                f"y{at}",
                after[a, at].numpy(),
                say("four.after", i=at, a=a),
                padded_rows=rows if real else range(after.size(2)),
                padded_cols=columns if real else range(after.size(3)),
                symbol=f"y^({a},{at})",
                made=moved(f"x{at - second}", (first[0], first[1]), SHAPE[2:], after.shape[2:]) if real else Number(0),
                place=(1 + at // IN_A_ROW, at % IN_A_ROW),
            )
        )
    return drawn


FOUR = Section("four", four, settings=Four, text="text", step=through("pairs"))
