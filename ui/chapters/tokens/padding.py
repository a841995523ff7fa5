"""What the numbers of F.pad do: they come in pairs, the first for the last dimension, each further one for one more."""

from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import pad

from transformer_core.tasks.padding import pad_sequences, random_sequences
from ui.chapters.shared.attention_values import numbered
from ui.figures import Board, Figure, Panel, runnable
from ui.figures.formula import Cases, I, J, Matrix, Number, by_cell
from ui.sections import Chapter, Choice, Section, controls, provenance, show, through
from ui.settings.fields import Settings, choice, whole

VOCAB = 8
SIDES = ("left", "right", "top", "bottom")  # the order in which F.pad takes them for a matrix
SHAPE = (3, 3, 4, 2)  # the notes' tensor; its first three calls are theirs
CALLS = {"1": (1, 1), "2": (1, 1, 2, 2), "3": (0, 1, 2, 1, 3, 3), "4": (0, 1, 2, 1, 0, 1, 1, 0)}
IN_A_ROW = 5  # matrices side by side

PAD_SHAPE = Choice("pad_shape", ("last_first", "first_first", "around"), right="last_first")


class Padding(Settings):
    left: int = whole(2, 0, 3)
    right: int = whole(1, 0, 3)
    top: int = whole(0, 0, 3)
    bottom: int = whole(1, 0, 3)


class Four(Settings):
    pairs: str = choice("3", *CALLS)  # of numbers handed to F.pad


@Section("padding", settings=Padding, cell="pad_cell", text="lead", first=PAD_SHAPE)
def padding(chapter: Chapter[Padding]) -> None:
    say = chapter.say
    amounts = dict(zip(SIDES, controls.side_by_side(chapter, **{side: {} for side in SIDES})))
    before = torch.stack(random_sequences([3, 3], VOCAB, torch.Generator().manual_seed(0)))
    after = pad(before, tuple(amounts.values()))
    first = amounts["top"], amounts["left"]
    panels = [
        Panel(
            key,
            ids.numpy(),
            title=say(f"padding.{key}", rows=ids.size(0), columns=ids.size(1)),
            row_labels=numbered(ids.size(0)),
            row_axis=say("padding.row_axis"),
            col_labels=numbered(ids.size(1)),
            col_axis=say("padding.column_axis"),
            scale="plain",
            print_values=True,
            padded_rows=outside(first[0], len(before), len(after)) if key == "after" else (),
            padded_cols=outside(first[1], before.size(1), after.size(1)) if key == "after" else (),
            symbol="y" if key == "after" else "x",
            made=moved("before", first, before.shape, after.shape) if key == "after" else None,
            place=(0, at),
        )
        for at, (key, ids) in enumerate({"before": before, "after": after}.items())
    ]
    call = f"F.pad(x, {tuple(amounts.values())})"
    figure = Figure(
        "padding",
        Board(panels),
        provenance(call, *after.shape),
        code=(pad_sequences,),
        program=(
            "import torch\nimport torch.nn.functional as F\n\n"
            f"x = torch.tensor({before.tolist()})\nshown = {call}\nprint(shown)\n"
        ),
        alt=say("padding.alt", call=call),
    )
    show(chapter, figure)
    chapter.write("padding.text")


def outside(first: int, size: int, padded: int) -> list[int]:
    """Which of `padded` rows, or columns, are padding: all but `size` of them from `first` on."""
    return [at for at in range(padded) if not first <= at < first + size]


def moved(panel: str, first: tuple[int, int], size: tuple[int, ...], padded: tuple[int, ...]) -> Cases:
    """A padded matrix, cell by cell: `panel`'s, moved on by `first` rows and columns, and 0 around it."""
    rows, columns = (outside(*axis) for axis in zip(first, size, padded))
    there = Matrix(panel)[I.moved(-first[0]), J.moved(-first[1])]
    return by_cell(
        *(Number(0) if i in rows or j in columns else there for i in range(padded[0]) for j in range(padded[1]))
    )


def padded(amounts: tuple[int, ...]) -> Tensor:
    return pad(of_indices(SHAPE), amounts)


def of_indices(shape: tuple[int, ...]) -> Tensor:
    """A tensor of four dimensions whose digits are the indices of each number, counted from 1: none is 0."""
    total = torch.zeros(shape, dtype=torch.int64)
    for axis, size in enumerate(shape):
        digits = 10 ** (3 - axis) * torch.arange(1, size + 1)
        total += digits.view([-1 if at == axis else 1 for at in range(4)])
    return total


@Section("four", settings=Four, cell="four_cell", text="text", step=through("pairs"))
def four(chapter: Chapter[Four]) -> None:
    say = chapter.say
    amounts = CALLS[controls.choose(chapter, "pairs")]
    before, after = of_indices(SHAPE), padded(amounts)
    call = f"F.pad(x, {amounts})"
    chapter.write("four.shapes", call=call, before=tuple(before.shape), after=tuple(after.shape))
    shifts = [*amounts[-2::-2]]  # numbers before, from the outermost padded dimension to the last
    shifts = [0] * (4 - len(shifts)) + shifts
    figure = Figure(
        "four",
        Board(_matrices(chapter, before, after, shifts)),
        provenance(call, *after.shape),
        numbers=after.flatten(0, 2).numpy(),
        code=(padded,),
        program=runnable(padded, amounts, then=".flatten(0, 2)"),
        alt=say("four.alt", call=call),
    )
    show(chapter, figure)


def _matrices(chapter: Chapter[Four], before: Tensor, after: Tensor, shifts: list[int]) -> list[Panel]:
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
