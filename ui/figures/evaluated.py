"""What a formula gives, in float64, and how far that is from the numbers: the law that every cell is held to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ui.figures.figure import Board
from ui.figures.formula import Binary, Call, Cases, Cell, Choose, Fold, Formula, Index, Named, Number, Place, pieces

Values = np.ndarray


@dataclass(frozen=True)
class _Where:
    """The values of the indices, as arrays that broadcast against each other."""

    indices: Mapping[str, Values]
    matrices: Mapping[str, Values]

    def at(self, place: Place) -> Values:
        if isinstance(place, int):
            return np.asarray(place)
        index = self.indices[place.variable]
        return index + place.shift if place.table is None else np.asarray(place.table)[index]

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
        with np.errstate(all="ignore"):
            result[i - rows.start, j - columns.start] = _evaluated(one, where)
    return result


def made_by_formula(made: Formula | Cases, rows: range, columns: range) -> Values:
    """In which cells a formula stands, whatever it gives: (rows, columns) bool."""
    result = np.zeros((len(rows), len(columns)), dtype=bool)
    for _, some_rows, some_columns in pieces(made, rows, columns):
        result[np.asarray(some_rows)[:, None] - rows.start, np.asarray(some_columns)[None] - columns.start] = True
    return result


def furthest(board: Board) -> float | None:
    """The worst `error` of the panels of a board that carry a formula; None where all numbers are given."""
    return max(errors(board).values(), default=None)


def errors(board: Board) -> dict[str, float]:
    """The `error` of each panel of a board that carries a formula, by its key."""
    matrices = {one.key: one.values for one in board.panels} | {one.key: one.values for one in board.operands}
    found = {}
    for panel in board.panels:
        if panel.made is not None:
            counted = made_by_formula(panel.made, *panel.places)
            made = evaluated(panel.made, matrices, *panel.places)
            found[panel.key] = error(made[counted], panel.shown[counted])
    return found


def error(made: Values, shown: Values) -> float:
    """How far a formula is from the numbers, beside the largest of them: ∞ where only one of the two is a number."""
    shown = np.asarray(shown, dtype=np.float64)
    counted = np.isfinite(shown)
    if not (np.array_equal(made[~counted], shown[~counted], equal_nan=True) and np.isfinite(made[counted]).all()):
        return np.inf
    if not counted.any():
        return 0.0
    # What stands for minus infinity is not a size to compare with.
    size = max(1e-30, *(abs(value) for value in shown[counted] if abs(value) < 1e8), 1e-30)
    return float(np.abs(made[counted] - shown[counted]).max()) / size


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
            inside = _evaluated(body, where.over(index.variable, np.asarray(made.indices)))
            shape = np.broadcast_shapes(inside.shape, (*[1] * (inside.ndim - 1), len(made.indices)))
            return _FOLDS[kind](np.broadcast_to(inside, shape), axis=-1)
        case Choose(mask, then, otherwise):
            return np.where(_evaluated(mask, where) != 0, _evaluated(then, where), _evaluated(otherwise, where))
        case Named(_, body):
            return _evaluated(body, where)
    raise TypeError(f"no formula: {made!r}")
