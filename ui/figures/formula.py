"""The formula that made a matrix: what stands in cell (i, j), as an expression over the cells of other matrices.

    q, k, m = Matrix("q"), Matrix("k"), Matrix("m")
    q · kᵀ         Sum(K, d_k, q[I, K] * k[J, K])
    / √d_k         products[I, J] / root(Number(d_k, "d_k"))
    softmax        e[I, J] / Sum(K, S, e[I, K])
    embedding      table[I.of(token_ids, "id"), J]
    mask           Choose(mask[I, J], scores[I, J], Number(-1e9))

Everything that is said about a cell follows from it: its operands, its sum in numbers, the formula as mathematics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Values = np.ndarray
Size = tuple[int, int]


class Formula:
    """A number that depends on the row i and the column j of the cell it is about."""

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
    `name`. As a number it is that index."""

    variable: str
    shift: int = 0
    table: tuple[int, ...] | None = None
    name: str = ""

    def __add__(self, other: Formula | float) -> Formula:
        return self.moved(other) if isinstance(other, int) else super().__add__(other)

    def moved(self, by: int) -> Index:
        return Index(self.variable, self.shift + by)

    def of(self, table: Sequence[int] | Values, name: str) -> Index:
        """Entry i of `table`: an embedding's row is `I.of(token_ids, "id")`. A table of the cells has i·columns + j."""
        return Index(self.variable, 0, tuple(int(entry) for entry in np.ravel(table)), name)

    def at(self, where: Values) -> Values:
        return where + self.shift if self.table is None else np.asarray(self.table)[where]


I, J, CELL, K, L = (Index(variable) for variable in ("i", "j", "cell", "k", "l"))  # noqa: E741 - as on paper
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


@dataclass(frozen=True)
class Call(Formula):
    """A function of one number; "relu" is max(0, x)."""

    name: Literal["√", "exp", "ln", "sin", "cos", "relu", "abs", "−"]
    of: Formula


@dataclass(frozen=True)
class Fold(Formula):
    """A sum, the largest or the mean, of `body` over the values of an index: 0 … over − 1, or those named."""

    kind: Literal["sum", "max", "mean"]
    index: Index
    over: int | tuple[int, ...]
    body: Formula

    @property
    def indices(self) -> Values:
        return np.arange(self.over) if isinstance(self.over, int) else np.asarray(self.over)


@dataclass(frozen=True)
class Choose(Formula):
    """`then` where the mask's cell is true (not 0), `otherwise` where it is not."""

    mask: Cell
    then: Formula
    otherwise: Formula


@dataclass(frozen=True)
class Named(Formula):
    """A step on the way, written on a line of its own: the mean and the spread of a LayerNorm."""

    name: str
    body: Formula


@dataclass(frozen=True)
class Cases:
    """A formula for each row ("i"), column ("j") or cell of the matrix as it is shown; None where numbers are given."""

    axis: Literal["i", "j", "cell"]
    formulas: tuple[Formula | None, ...]


def by_row(*formulas: Formula | None) -> Cases:
    return Cases("i", formulas)


def by_column(*formulas: Formula | None) -> Cases:
    return Cases("j", formulas)


def by_cell(*formulas: Formula | None) -> Cases:
    """Cell (i, j) has formula number i · columns + j."""
    return Cases("cell", formulas)


def root(x: Formula | float) -> Formula:
    return Call("√", formula(x))


def exp(x: Formula) -> Formula:
    return Call("exp", x)


def ln(x: Formula) -> Formula:
    return Call("ln", x)


def sin(x: Formula) -> Formula:
    return Call("sin", x)


def cos(x: Formula) -> Formula:
    return Call("cos", x)


def relu(x: Formula) -> Formula:
    return Call("relu", x)


def absolute(x: Formula) -> Formula:
    return Call("abs", x)


def total(index: Index, over: int | Sequence[int], body: Formula) -> Formula:
    """Σ of `body` over `index`."""
    return Fold("sum", index, over if isinstance(over, int) else tuple(over), body)


def largest(index: Index, over: int | Sequence[int], body: Formula) -> Formula:
    return Fold("max", index, over if isinstance(over, int) else tuple(over), body)


def mean(index: Index, over: int | Sequence[int], body: Formula) -> Formula:
    return Fold("mean", index, over if isinstance(over, int) else tuple(over), body)


# ---------------------------------------------------------------------- numbers


@dataclass(frozen=True)
class _Where:
    """The values of the indices, as arrays that broadcast against each other."""

    indices: Mapping[str, Values]
    matrices: Mapping[str, Values]
    depth: int = field(default=0)

    def at(self, place: Place) -> Values:
        return np.asarray(place) if isinstance(place, int) else place.at(self.indices[place.variable])

    def over(self, index: str, values: Values) -> _Where:
        """One more axis, the last, on which `index` runs."""
        wider = {name: np.asarray(held)[..., None] for name, held in self.indices.items()}
        return _Where(wider | {index: values}, self.matrices, self.depth + 1)


_CALLS: dict[str, Callable[[Values], Values]] = {
    "√": np.sqrt,
    "exp": np.exp,
    "ln": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "relu": lambda x: np.maximum(x, 0.0),
    "abs": np.abs,
    "−": np.negative,
}
_SIGNS: dict[str, Callable[[Values, Values], Values]] = {
    "+": np.add,
    "−": np.subtract,
    "·": np.multiply,
    "/": np.divide,
    "^": np.power,
    "≤": np.less_equal,
    "≠": np.not_equal,
}
_FOLDS: dict[str, Callable[..., Values]] = {"sum": np.sum, "max": np.max, "mean": np.mean}


def evaluated(made: Formula | Cases, matrices: Mapping[str, Values], rows: range, columns: range) -> Values:
    """What a formula gives at `rows` x `columns`, float64; `matrices` are whole. nan where the numbers are given."""
    values = {name: np.asarray(matrix, dtype=np.float64) for name, matrix in matrices.items()}
    result = np.full((len(rows), len(columns)), np.nan)
    for one, some_rows, some_columns in pieces(made, rows, columns):
        i, j = np.asarray(some_rows)[:, None], np.asarray(some_columns)[None]
        where = _Where({"i": i, "j": j, "cell": i * len(columns) + j}, values)
        at = np.ix_([row - rows.start for row in some_rows], [column - columns.start for column in some_columns])
        with np.errstate(all="ignore"):
            result[at] = _evaluated(one, where)
    return result


def pieces(
    made: Formula | Cases, rows: Sequence[int], columns: Sequence[int]
) -> Iterator[tuple[Formula, Sequence[int], Sequence[int]]]:
    """The formulas of a matrix, each with rows and columns that it is about."""
    if isinstance(made, Formula):
        yield made, rows, columns
        return
    for one, places in grouped(made):
        match made.axis:
            case "i":
                yield one, [rows[at] for at in places], columns
            case "j":
                yield one, rows, [columns[at] for at in places]
            case "cell":
                yield from ((one, [rows[at // len(columns)]], [columns[at % len(columns)]]) for at in places)


def grouped(cases: Cases) -> list[tuple[Formula, list[int]]]:
    """Each different formula with the rows or columns, as they are shown, that have it."""
    found: dict[Formula, list[int]] = {}
    for at, one in enumerate(cases.formulas):
        if one is not None:
            found.setdefault(one, []).append(at)
    return list(found.items())


def _evaluated(made: Formula, where: _Where) -> Values:
    match made:
        case Number(value):
            return np.asarray(value)
        case Index():
            return where.at(made)
        case Cell(panel, row, column):
            return where.matrices[panel][where.at(row), where.at(column)]
        case Binary(sign, left, right):
            return np.asarray(_SIGNS[sign](_evaluated(left, where), _evaluated(right, where)), dtype=np.float64)
        case Call(name, of):
            return _CALLS[name](_evaluated(of, where))
        case Fold(kind, index, _, body):
            inside = _evaluated(body, where.over(index.variable, made.indices))
            shape = np.broadcast_shapes(inside.shape, (*[1] * (inside.ndim - 1), len(made.indices)))
            return _FOLDS[kind](np.broadcast_to(inside, shape), axis=-1)
        case Choose(mask, then, otherwise):
            return np.where(_evaluated(mask, where) != 0, _evaluated(then, where), _evaluated(otherwise, where))
        case Named(_, body):
            return _evaluated(body, where)
    raise TypeError(f"no formula: {made!r}")


# ---------------------------------------------------------------------- operands


def cells(made: Formula) -> Iterator[tuple[Cell, Mapping[str, Values]]]:
    """Every matrix cell that a formula names, with the values of the sums' indices around it."""
    yield from _cells(made, {})


def _cells(made: Formula, bound: Mapping[str, Values]) -> Iterator[tuple[Cell, Mapping[str, Values]]]:
    match made:
        case Cell():
            yield made, bound
        case Binary(_, left, right):
            yield from _cells(left, bound)
            yield from _cells(right, bound)
        case Call(_, of):
            yield from _cells(of, bound)
        case Fold(_, index, _, body):
            yield from _cells(body, {**bound, index.variable: made.indices})
        case Choose(mask, then, otherwise):
            for part in (mask, then, otherwise):
                yield from _cells(part, bound)
        case Named(_, body):
            yield from _cells(body, bound)


def check(name: str, made: Formula | Cases, sizes: Mapping[str, Size], rows: range, columns: range) -> None:
    """Raises ValueError, naming both, when a formula of the matrix `name` has an operand that is not there."""
    for one, some_rows, some_columns in pieces(made, rows, columns):
        own = {"i": np.asarray(some_rows), "j": np.asarray(some_columns)}
        own["cell"] = np.arange(len(rows) * len(columns))
        for cell, bound in cells(one):
            if cell.panel not in sizes:
                raise ValueError(f"the formula of panel {name!r} names {cell.panel!r}, which is not on this board")
            for place, size, axis in zip((cell.row, cell.column), sizes[cell.panel], ("row", "column")):
                reached = _reached(place, {**own, **bound})
                if reached is None or (reached.size and not 0 <= reached.min() <= reached.max() < size):
                    raise ValueError(f"the formula of panel {name!r} names a {axis} that {cell.panel!r} does not have")


def _reached(place: Place, values: Mapping[str, Values]) -> Values | None:
    if isinstance(place, int):
        return np.asarray([place])
    held = values.get(place.variable)
    if held is None or (place.table is not None and held.size and held.max() >= len(place.table)):
        return None
    return place.at(held)


# ---------------------------------------------------------------------- the message


def message(made: Formula | Cases | None) -> dict[str, Any] | None:
    """JSON-ready: {"axis", "table", "formulas"}; `table[at]` is the number of the formula, -1 for given numbers."""
    if made is None:
        return None
    if isinstance(made, Formula):
        return {"axis": "", "table": [], "formulas": [_message(made)]}
    found = grouped(made)
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
    return [place.variable, 0, list(place.table), place.name]
