"""What the four numbers of F.pad do: they come in pairs, and the first pair belongs to the last dimension."""

from dataclasses import dataclass

import torch
from torch.nn.functional import pad

from transformer_core.tasks.padding import pad_sequences, random_sequences
from ui.chapters.shared.pairs import numbered
from ui.figures.board import Panel
from ui.figures.figure import Board, Figure
from ui.figures.formula import Cases, I, J, Matrix, Number, by_cell
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.page.predict import Choice, predict
from ui.page.section import Section
from ui.settings.fields import Settings, cell, reply, whole
from ui.showing.caption import provenance
from ui.showing.show import show

VOCAB = 8
SIDES = ("left", "right", "top", "bottom")  # the order in which F.pad takes them for a matrix

PAD_SHAPE = Choice("pad_shape", ("last_first", "first_first", "around"), right="last_first")


@dataclass(frozen=True)
class Padding(Settings):
    left: int = whole(2, 0, 3)
    right: int = whole(1, 0, 3)
    top: int = whole(0, 0, 3)
    bottom: int = whole(1, 0, 3)
    pad_cell: tuple[str, int, int] | None = cell()
    pad_shape: str | None = reply()


def padding(chapter: Chapter[Padding]) -> None:
    say = chapter.say
    if not predict(chapter, PAD_SHAPE):
        return
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
        Board(panels, cell="pad_cell"),
        say("padding.alt", call=call),
        provenance(call, *after.shape),
        code=(pad_sequences,),
        program=(
            "import torch\nimport torch.nn.functional as F\n\n"
            f"x = torch.tensor({before.tolist()})\nshown = {call}\nprint(shown)\n"
        ),
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


PADDING = Section("padding", padding, settings=Padding, text="lead", asks=(PAD_SHAPE,))
