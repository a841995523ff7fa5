"""The formula that made a matrix: what stands in cell (i, j), as an expression over the cells of other matrices.

    q, k, e = Matrix("q"), Matrix("k"), Matrix("e")
    q · kᵀ         total(K, d_k, q[I, K] * k[J, K])
    / √d_k         products[I, J] / root(Number(d_k, "d_k"))
    softmax        e[I, J] / total(K, S, e[I, K])
    embedding      table[I.of(token_ids, "id"), J]
    mask           Choose(mask[I, J], scores[I, J], Number(-1e9))

Everything that is said about a cell follows from it: its operands, its sum in numbers, the formula as mathematics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from ui.figures.payload import MadeMessage


class Formula:
    """A number that depends on the row i and the column j of the cell it is about."""

    @property
    def inner(self) -> tuple[Formula, ...]:
        """The formulas that it is put together from."""
        return ()

    def __add__(self, other: Formula | float) -> Formula:
        return Binary("+", self, formula(other))

    def __sub__(self, other: Formula | float) -> Formula:
        return Binary("−", self, formula(other))

    def __mul__(self, other: Formula | float) -> Formula:
        return Binary("·", self, formula(other))

    def __truediv__(self, other: Formula | float) -> Formula:
        return Binary("/", self, formula(other))

    def __pow__(self, other: Formula | float) -> Formula:
        return Binary("^", self, formula(other))

    def __rsub__(self, other: float) -> Formula:
        return Binary("−", formula(other), self)

    def __rmul__(self, other: float) -> Formula:
        return Binary("·", formula(other), self)

    def __rtruediv__(self, other: float) -> Formula:
        return Binary("/", formula(other), self)

    def __rpow__(self, other: float) -> Formula:
        return Binary("^", formula(other), self)

    def at_most(self, other: Formula | float) -> Formula:
        """1 where this is at most `other`, else 0."""
        return Binary("≤", self, formula(other))

    def differs_from(self, other: Formula | float) -> Formula:
        """1 where this is not `other`, else 0."""
        return Binary("≠", self, formula(other))

    def __neg__(self) -> Formula:
        return Call("−", self)


def formula(value: Formula | float) -> Formula:
    return value if isinstance(value, Formula) else Number(value)


@dataclass(frozen=True)
class Number(Formula):
    """A constant; `name` is what the mathematics calls it ("d_k")."""

    value: float
    name: str = ""


@dataclass(frozen=True)
class Index(Formula):
    """The row i, the column j, or the index of a sum: shifted, or looked up in a table of whole numbers that has a
    `name`, and may be `held` by a row of a matrix: (panel, row). As a number it is that index."""

    variable: str
    shift: int = 0
    table: tuple[int, ...] | None = None
    name: str = ""
    held: tuple[str, int] | None = None

    def __add__(self, other: Formula | float) -> Formula:
        return self.moved(other) if isinstance(other, int) else super().__add__(other)

    def moved(self, by: int) -> Index:
        return Index(self.variable, self.shift + by)

    def of(self, table: Sequence[int] | np.ndarray, name: str, held: tuple[str, int] | None = None) -> Index:
        """Entry i of `table`: an embedding's row is `I.of(token_ids, "id")`. A table of the cells has i·columns + j."""
        return Index(self.variable, 0, tuple(int(entry) for entry in np.ravel(table)), name, held)


# What a sum runs over is written u: k is a key.
I, J, CELL, K, L = (Index(variable) for variable in ("i", "j", "cell", "u", "l"))  # noqa: E741 - i is the row's index in every formula of the paper, and no 1 or l stands near it
Place = Index | int


@dataclass(frozen=True)
class Cell(Formula):
    """One number of the matrix `panel`."""

    panel: str
    row: Place
    column: Place


@dataclass(frozen=True)
class Matrix:
    """Whose cells a formula names: `Matrix("q")[I, K]`."""

    panel: str

    def __getitem__(self, at: tuple[Place, Place]) -> Cell:
        return Cell(self.panel, *at)


@dataclass(frozen=True)
class Binary(Formula):
    sign: Literal["+", "−", "·", "/", "^", "≤", "≠"]
    left: Formula
    right: Formula

    @property
    def inner(self) -> tuple[Formula, ...]:
        return self.left, self.right


@dataclass(frozen=True)
class Call(Formula):
    """A function of one number; "relu" is max(0, x)."""

    name: Literal["√", "exp", "ln", "sin", "cos", "relu", "abs", "−"]
    of: Formula

    @property
    def inner(self) -> tuple[Formula, ...]:
        return (self.of,)


@dataclass(frozen=True)
class Fold(Formula):
    """A sum, the largest or the mean, of `body` over the values of an index: 0 … over − 1, or those named."""

    kind: Literal["sum", "max", "mean"]
    index: Index
    over: int | tuple[int, ...]
    body: Formula

    @property
    def indices(self) -> Sequence[int]:
        return range(self.over) if isinstance(self.over, int) else self.over

    @property
    def inner(self) -> tuple[Formula, ...]:
        return (self.body,)


@dataclass(frozen=True)
class Choose(Formula):
    """`then` where the mask's cell is true (not 0), `otherwise` where it is not."""

    mask: Cell
    then: Formula
    otherwise: Formula

    @property
    def inner(self) -> tuple[Formula, ...]:
        return self.mask, self.then, self.otherwise


@dataclass(frozen=True)
class Named(Formula):
    """A step on the way, written on a line of its own: the mean and the spread of a LayerNorm."""

    name: str
    body: Formula

    @property
    def inner(self) -> tuple[Formula, ...]:
        return (self.body,)


@dataclass(frozen=True)
class Cases:
    """A formula for each row ("i"), column ("j") or cell of the matrix as it is shown; None where numbers are given."""

    axis: Literal["i", "j", "cell"]
    formulas: tuple[Formula | None, ...]

    @cached_property
    def grouped(self) -> list[tuple[Formula, list[int]]]:
        """Each different formula with the rows, columns or cells, as they are shown, that have it."""
        found: dict[Formula, list[int]] = {}
        for at, one in enumerate(self.formulas):
            if one is not None:
                found.setdefault(one, []).append(at)
        return list(found.items())


def by_row(*formulas: Formula | None) -> Cases:
    return Cases("i", formulas)


def by_column(*formulas: Formula | None) -> Cases:
    return Cases("j", formulas)


def by_cell(*formulas: Formula | None) -> Cases:
    """Cell (i, j) has formula number i · columns + j."""
    return Cases("cell", formulas)


def root(x: Formula | float) -> Formula:
    return Call("√", formula(x))


exp, ln, sin, cos, relu, absolute = (partial(Call, name) for name in ("exp", "ln", "sin", "cos", "relu", "abs"))


def total(index: Index, over: int | Sequence[int], body: Formula) -> Formula:
    """Σ of `body` over `index`."""
    return Fold("sum", index, over if isinstance(over, int) else tuple(over), body)


def largest(index: Index, over: int | Sequence[int], body: Formula) -> Formula:
    return Fold("max", index, over if isinstance(over, int) else tuple(over), body)


def mean(index: Index, over: int | Sequence[int], body: Formula) -> Formula:
    return Fold("mean", index, over if isinstance(over, int) else tuple(over), body)


def steps(made: Formula) -> Iterator[Named]:
    if isinstance(made, Named):
        yield made
    for part in made.inner:
        yield from steps(part)


def indices(made: Formula) -> set[str]:
    match made:
        case Index(variable):
            return {variable}
        case Cell(_, row, column):
            return {place.variable for place in (row, column) if isinstance(place, Index)}
    found = {variable for part in made.inner for variable in indices(part)}
    return found - {made.index.variable} if isinstance(made, Fold) else found


def pieces(
    made: Formula | Cases, rows: Sequence[int], columns: Sequence[int]
) -> Iterator[tuple[Formula, Sequence[int], Sequence[int]]]:
    """The formulas of a matrix, each with rows and columns that it is about."""
    if isinstance(made, Formula):
        yield made, rows, columns
        return
    for one, places in made.grouped:
        match made.axis:
            case "i":
                yield one, [rows[at] for at in places], columns
            case "j":
                yield one, rows, [columns[at] for at in places]
            case "cell":
                yield from ((one, [rows[at // len(columns)]], [columns[at % len(columns)]]) for at in places)


def message(made: Formula | Cases | None) -> MadeMessage | None:
    """JSON-ready: {"axis", "table", "formulas"}; `table[at]` is the number of the formula, -1 for given numbers."""
    if made is None:
        return None
    if isinstance(made, Formula):
        return {"axis": "", "table": [], "formulas": [_message(made)]}
    found = made.grouped
    table = [-1] * len(made.formulas)
    for number, (_, places) in enumerate(found):
        for at in places:
            table[at] = number
    return {"axis": made.axis, "table": table, "formulas": [_message(one) for one, _ in found]}


def _message(made: Formula) -> list[Any]:
    match made:
        case Number(value, name):
            return ["number", value, name]
        case Index():
            return ["index", _place(made)]
        case Cell(panel, row, column):
            return ["cell", panel, _place(row), _place(column)]
        case Binary(sign, left, right):
            return [sign, _message(left), _message(right)]
        case Call(name, of):
            return ["call", name, _message(of)]
        case Fold(kind, index, over, body):
            return ["fold", kind, index.variable, over, _message(body)]
        case Choose(mask, then, otherwise):
            return ["choose", _message(mask), _message(then), _message(otherwise)]
        case Named(name, body):
            return ["named", name, _message(body)]
    raise TypeError(f"no formula: {made!r}")


def _place(place: Place) -> int | list[Any]:
    if isinstance(place, int):
        return place
    if place.table is None:
        return [place.variable, place.shift]
    return [place.variable, 0, list(place.table), place.name, place.held]
