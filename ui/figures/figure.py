"""A figure as a value: the picture, where its numbers come from, the numbers, and what computes them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ui.figures.axes import XAxis, YAxis
from ui.figures.board import NO_GLOSSES, Operand, Panel, payload
from ui.figures.curves import Curves, Marks, Style, curves
from ui.figures.markup import Markup


@dataclass(frozen=True)
class Board:
    """Matrices side by side. `operands` are named by their formulas and not drawn. The chosen cell is kept in the
    setting `cell`, by default the one that the section has. `vacant` says what the empty cells are, where there are
    any. `result` is the key of the panel that the figure is about, the last one by default. `quiet` leaves the sum of
    the chosen cell to another board, which takes that cell apart: here only a cell under the pointer has its sum."""

    panels: Sequence[Panel]
    operands: Sequence[Operand] = ()
    cell: str = ""
    vacant: str = ""
    result: str = ""
    quiet: bool = False

    @property
    def subject(self) -> Panel:
        return next((panel for panel in self.panels if panel.key == self.result), self.panels[-1])

    @cached_property
    def _written(self) -> dict[tuple[tuple[str, str], ...], str]:
        return {}

    def text(self, glosses: Mapping[str, str] = NO_GLOSSES) -> str:
        """The matrices as the canvas is told of them, JSON: written once for all who need the same glosses."""
        known = tuple(glosses.items())
        if known not in self._written:
            self._written[known] = json.dumps(payload(self.panels, self.operands, glosses), separators=(",", ":"))
        return self._written[known]


@dataclass(frozen=True)
class Drawing:
    """A drawing of our own, as markup that says by itself what it shows. `script` makes it live in the browser, where
    it is `told` what the markup does not say. The same numbers as matrices, which open large, are its `board`."""

    markup: Markup
    script: Literal["still", "lines", "tree", "map", "sheet"] = "still"
    told: Any = None
    board: Board | None = None


@dataclass(frozen=True)
class Figure:
    """`name` is unique in its chapter. `alt` describes the picture, or each of several curves that stand side by side:
    by default it is the text `<name>.alt`. Drawings have that in themselves.

    `origin` is the line of provenance, which names the tensor. `numbers` (rows, columns) are what the figure shows,
    those of the board's subject unless others are given, named by `columns`. `code` are the functions that computed
    them; `program` computes the same in a Python prompt and leaves them in `shown`.
    """

    name: str
    picture: Board | Curves | Drawing | Sequence[Curves] | Sequence[Drawing]
    origin: str
    numbers: np.ndarray | None = None
    columns: Sequence[str] = ()
    code: Sequence[Callable[..., Any]] = ()
    program: str = ""
    alt: str | Sequence[str] = ""

    @property
    def pictures(self) -> Sequence[Board | Curves | Drawing]:
        """The picture, or all that stand side by side. Curves are a tuple themselves, and one picture."""
        return [self.picture] if isinstance(self.picture, Board | Curves | Drawing) else self.picture

    @property
    def data(self) -> np.ndarray:
        """The numbers that the program computes and a table shows."""
        if self.numbers is not None:
            return np.atleast_2d(self.numbers)
        if self.board:
            return np.asarray(self.board.subject.values)
        raise ValueError(f"figure {self.name!r}: curves and drawings need their numbers")

    @property
    def board(self) -> Board | None:
        """The matrices, also where they are drawn in another way."""
        return self.picture if isinstance(self.picture, Board) else getattr(self.picture, "board", None)


# A table of numbers as curves: its first column lies along the axis, each other one is a line.


def plotted(
    name: str,
    table: np.ndarray,
    columns: Sequence[str],
    origin: str,
    *,
    code: Sequence[Callable[..., Any]],
    program: str,
    alt: str = "",
    x_axis: XAxis = XAxis(),
    y_axis: YAxis = YAxis(),
    marks: Marks = Marks(),
    style: Style = Style(),
    height: int = 260,
) -> Figure:
    """The figure of a `table` (n, 1 + lines) with a title for each of its columns, the first of which is that of x."""
    x, *lines = np.asarray(table).T
    along = x_axis._replace(title=columns[0])
    picture = curves(
        x,
        dict(zip(columns[1:], lines, strict=True)),
        x_axis=along,
        y_axis=y_axis,
        marks=marks,
        style=style,
        height=height,
    )
    return Figure(name, picture, origin, table, columns, code=code, program=program, alt=alt)
