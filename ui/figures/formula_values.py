"""What a formula gives, in float64, and whether all that it names is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ui.figures.formula import (
    Binary,
    Call,
    Cases,
    Cell,
    Choose,
    Fold,
    Formula,
    Index,
    Named,
    Number,
    Place,
    Values,
    indices,
    inner,
    pieces,
    steps,
)

Size = tuple[int, int]
Part = tuple[range, range]  # of a matrix: the rows and the columns


@dataclass(frozen=True)
class _Where:
    """The values of the indices, as arrays that broadcast against each other."""

    indices: Mapping[str, Values]
    matrices: Mapping[str, Values]

    def at(self, place: Place) -> Values:
        return np.asarray(place) if isinstance(place, int) else place.at(self.indices[place.variable])

    def over(self, index: str, values: Values) -> _Where:
        """One more axis, the last, on which `index` runs."""
        wider = {name: np.asarray(held)[..., None] for name, held in self.indices.items()}
        return _Where(wider | {index: values}, self.matrices)


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


def cells(made: Formula) -> Iterator[tuple[Cell, Mapping[str, Values]]]:
    """Every matrix cell that a formula names, with the values of the sums' indices around it."""
    yield from _cells(made, {})


def _cells(made: Formula, bound: Mapping[str, Values]) -> Iterator[tuple[Cell, Mapping[str, Values]]]:
    match made:
        case Cell(_, row, column):
            yield made, bound
            for place in (row, column):
                if isinstance(place, Index) and place.held:
                    yield Cell(*place.held, Index(place.variable)), bound
        case Fold(_, index, _, body):
            yield from _cells(body, {**bound, index.variable: made.indices})
        case _:
            for part in inner(made):
                yield from _cells(part, bound)


def read(name: str, made: Formula | Cases, sizes: Mapping[str, Size], rows: range, columns: range) -> dict[str, Part]:
    """The part of each matrix that the matrix `name` is made of.

    Raises ValueError, naming both, when a formula has an operand that is not there, or a named step that is not the
    same for the whole cell: the client works a step out once a cell.
    """
    parts: dict[str, Part] = {}
    for one, some_rows, some_columns in pieces(made, rows, columns):
        for step in steps(one):
            if inside := sorted(indices(step) - {"i", "j", "cell"}):
                raise ValueError(
                    f"the formula of panel {name!r} names the step {step.name!r}, which depends on {inside[0]!r}, "
                    "the index of a sum around it"
                )
        own = {"i": np.asarray(some_rows), "j": np.asarray(some_columns)}
        own["cell"] = np.arange(len(rows) * len(columns))
        for cell, bound in cells(one):
            if cell.panel not in sizes:
                raise ValueError(f"the formula of panel {name!r} names {cell.panel!r}, which is not on this board")
            part = []
            for place, size, axis in zip((cell.row, cell.column), sizes[cell.panel], ("row", "column")):
                reached = _reached(place, {**own, **bound})
                if reached is None or (reached.size and not 0 <= reached.min() <= reached.max() < size):
                    raise ValueError(f"the formula of panel {name!r} names a {axis} that {cell.panel!r} does not have")
                part.append(range(int(reached.min()), int(reached.max()) + 1) if reached.size else range(0))
            parts[cell.panel] = around(parts.get(cell.panel), (part[0], part[1]))
    return parts


def around(one: Part | None, other: Part) -> Part:
    """The smallest part of a matrix that holds both."""
    if one is None:
        return other
    rows, columns = (range(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other))
    return rows, columns


def _reached(place: Place, values: Mapping[str, Values]) -> Values | None:
    if isinstance(place, int):
        return np.asarray([place])
    held = values.get(place.variable)
    if held is None or (place.table is not None and held.size and held.max() >= len(place.table)):
        return None
    return place.at(held)
