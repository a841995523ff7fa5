"""A board of matrices: arrays and labels in, the message for the canvas out. No Streamlit, no torch, no wording."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from ui.figures import formula
from ui.figures.formula import Cases, Formula, Index
from ui.figures.operands import Part, around, read
from ui.figures.payload import Axis, DrawnMessage, NamedMessage, OperandMessage, PanelMessage, Scale
from ui.theme import MEANINGS, canvas


@dataclass(frozen=True)
class Few:
    """Of `size` columns those at the places `shown`, in that order; the others, if there are any, make one more."""

    size: int
    shown: tuple[int, ...]

    @classmethod
    def every(cls, size: int) -> Few:
        return cls(size, tuple(range(size)))

    @classmethod
    def largest(cls, row: np.ndarray, count: int, always: Iterable[int] = ()) -> Few:
        """The places of the largest numbers of a row (size,), the largest first, with those that are shown anyway."""
        order = np.argsort(-row, kind="stable").tolist()
        kept = {*order[:count], *always}
        return cls(len(order), tuple(place for place in order if place in kept))

    @cached_property
    def others(self) -> tuple[int, ...]:
        return tuple(sorted(set(range(self.size)) - set(self.shown)))

    @property
    def borders(self) -> list[int]:
        """Before which column a line is to stand."""
        return [len(self.shown)] if self.others else []

    def of(self, values: np.ndarray) -> np.ndarray:
        """(rows, size) -> (rows, shown and the sum of the others)."""
        few = values[:, list(self.shown)]
        return np.append(few, values[:, list(self.others)].sum(1, keepdims=True), 1) if self.others else few

    def names(self, names: Sequence[str], rest: str) -> list[str]:
        """The names of the columns; `rest` is that of the sum."""
        return [names[place] for place in self.shown] + [rest] * bool(self.others)

    def at(self, index: Index) -> Index:
        """The column of the whole matrix that the shown one at `index` is."""
        return index.of(self.shown, "id") if self.others else index


Cell = tuple[str, int, int]  # (panel key, row, column)

ALL = (slice(None), slice(None))
NO_GLOSSES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Operand:
    """A matrix that formulas name and the board does not draw."""

    key: str
    values: np.ndarray
    symbol: str | Sequence[str] = ""
    meaning: str | None = None


@dataclass(frozen=True)
class Panel:
    """One matrix of the board, `values` of shape (rows, cols); raises ValueError when labels or masks do not fit it.

    Of a large matrix `window`, rows and columns, is shown; labels and masks are those of what is shown. `made` is the
    formula of its cells, about the whole matrix; without one the numbers are given. `symbol` is its name in formulas,
    or the names of its rows, or columns (`symbol_axis`), where each is a quantity of its own.
    `scale`: "signed" is centred on zero, "probability" runs 0..1, "magnitude" 0..max, "mask" shows True = may attend
    and hatches False, "plain" has no colours. `low`, `high` fix the ends, so that a change stays visible while a
    control moves. `blocked` cells are hatched, which means masked and nothing else; `vacant` ones, where no number
    stands or one that was thrown away, are empty with a dashed border, or a dot where they are small. Neither counts
    for the scale. A heavy line stands before each column of `borders`. `place` is (row, column) on the board, by
    default in one row, in their order. On a `wall`, panels stand in groups of so many, and a row breaks only between
    groups, so that a column keeps its meaning at any width. `silent` labels are said of a cell and not drawn; of one
    `beside` another, with the same rows, theirs are drawn where a line begins only. `digits` are significant digits;
    `print_values` writes numbers into cells that are large enough, `blank` into no vacant one.
    """

    key: str
    values: np.ndarray
    title: str = ""
    row_labels: Sequence[str] = ()
    col_labels: Sequence[str] = ()
    row_axis: str = ""
    col_axis: str = ""
    scale: Scale = "signed"
    low: float | None = None
    high: float | None = None
    blocked: np.ndarray | None = None
    vacant: np.ndarray | None = None
    borders: Sequence[int] = ()
    padded_rows: Sequence[int] = ()
    padded_cols: Sequence[int] = ()
    made: Formula | Cases | None = None
    symbol: str | Sequence[str] = ""
    symbol_axis: Axis = "row"
    window: tuple[slice, slice] = ALL
    place: tuple[int, int] | None = None
    wall: int = 0
    silent: bool = False
    beside: bool = False
    digits: int = 3
    meaning: str | None = None
    print_values: bool = False
    blank: bool = False
    label_events: bool = False

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        if values.ndim != 2 or 0 in values.shape:
            raise ValueError(f"panel {self.key!r}: values must be a non-empty matrix, not shape {values.shape}")
        if 0 in self.shape:
            raise ValueError(f"panel {self.key!r}: the window {self.window} shows nothing of {values.shape}")
        for name, labels, length in zip(("row_labels", "col_labels"), (self.row_labels, self.col_labels), self.shape):
            if len(labels) not in (0, length):
                raise ValueError(f"panel {self.key!r}: {len(labels)} {name} for {length}")
        for name, left_out in (("blocked", self.blocked), ("vacant", self.vacant)):
            if left_out is not None and np.shape(left_out) != self.shape:
                raise ValueError(f"panel {self.key!r}: {name} is {np.shape(left_out)}, values are {self.shape}")
        if self.meaning is not None and self.meaning not in MEANINGS:
            raise ValueError(f"panel {self.key!r}: no colour for the meaning {self.meaning!r}")

    @property
    def shape(self) -> tuple[int, int]:
        rows, cols = self.shown.shape
        return rows, cols

    @property
    def shown(self) -> np.ndarray:
        return np.asarray(self.values)[self.window]

    @property
    def first(self) -> tuple[int, int]:
        """The row and the column of the matrix that the first shown cell is."""
        rows, cols = (part.start or 0 for part in self.window)
        return rows, cols

    @property
    def places(self) -> tuple[range, range]:
        """The rows and the columns of the matrix that are shown."""
        (row, col), (rows, cols) = self.first, self.shape
        return range(row, row + rows), range(col, col + cols)

    def hidden(self) -> np.ndarray | None:
        """Cells drawn hatched, (rows, cols) bool: the blocked ones, and those where a mask says no."""
        if self.scale == "mask":
            closed = ~self.shown.astype(bool)
            return closed if self.blocked is None else closed | np.asarray(self.blocked, dtype=bool)
        return None if self.blocked is None else np.asarray(self.blocked, dtype=bool)

    def ends(self) -> tuple[float, float]:
        """The two values at the ends of the colour scale; blocked, vacant and non-finite cells do not stretch it."""
        values = self.shown.astype(np.float64)
        counted = np.isfinite(values)
        for left_out in (self.blocked, self.vacant):
            if left_out is not None:
                counted &= ~np.asarray(left_out, dtype=bool)
        largest = float(np.abs(values[counted]).max()) if counted.any() else 0.0
        largest = largest or 1.0
        low, high = {
            "signed": (-largest, largest),
            "magnitude": (0.0, largest),
            "plain": (0.0, largest),
        }.get(self.scale, (0.0, 1.0))
        if self.scale == "signed" and self.low is None and self.high is not None:
            low = -self.high
        return (low if self.low is None else self.low), (high if self.high is None else self.high)


def scale_of(*arrays: np.ndarray) -> Scale:
    """The scale on which these can be compared: centred on zero only if one of them goes below it."""
    return "signed" if any(float(np.min(array)) < 0 for array in arrays) else "magnitude"


def inside(panels: Sequence[Panel], cell: object) -> Cell | None:
    """`cell` as (panel key, row, column) when it names a cell of the board, else None; safe for anything at all."""
    if not isinstance(cell, (tuple, list)) or len(cell) != 3:
        return None
    key, row, col = cell
    if not all(isinstance(index, int) and not isinstance(index, bool) for index in (row, col)):
        return None
    for panel in panels:
        if panel.key == key and 0 <= row < panel.shape[0] and 0 <= col < panel.shape[1]:
            return panel.key, row, col
    return None


def nearest(panels: Sequence[Panel], cell: Cell | None) -> Cell | None:
    """`cell`, moved to the edge of its panel when that has become smaller; None when its panel is not on the board."""
    panel = next((panel for panel in panels if cell and panel.key == cell[0]), None)
    if cell is None or panel is None:
        return None
    return cell[0], min(cell[1], panel.shape[0] - 1), min(cell[2], panel.shape[1] - 1)


def payload(
    panels: Sequence[Panel], operands: Sequence[Operand] = (), glosses: Mapping[str, str] = NO_GLOSSES
) -> DrawnMessage:
    """The matrices as JSON-ready data. `glosses` are what words mean, for labels made of them.

    Raises ValueError when two matrices share a key, or a formula names a matrix that is not there or a cell outside it.
    """
    matrices: list[Panel | Operand] = [*panels, *operands]
    keys = [matrix.key for matrix in matrices]
    if len(set(keys)) != len(keys):
        raise ValueError(f"panel keys must differ: {keys}")
    sizes = {matrix.key: np.shape(matrix.values) for matrix in matrices}
    parts: dict[str, Part] = {}  # of each matrix, what formulas name
    for panel in panels:
        if panel.made is not None:
            for key, part in read(panel.key, panel.made, sizes, *panel.places).items():
                parts[key] = around(parts.get(key), part)
    return {
        "panels": [_panel(panel, parts.get(panel.key), glosses, at) for at, panel in enumerate(panels)],
        "operands": [_operand(operand, parts[operand.key]) for operand in operands if operand.key in parts],
        "colors": {"light": canvas("light"), "dark": canvas("dark")},
    }


def _operand(operand: Operand, part: Part) -> OperandMessage:
    return {
        "key": operand.key,
        "size": _size(operand.values),
        "named": _named(operand.values, part),
        "symbol": _symbol(operand),
        "meaning": operand.meaning,
    }


def _named(values: np.ndarray, part: Part) -> NamedMessage:
    """What formulas name of a matrix that is not drawn, or not all of it, and where in the matrix that part begins."""
    rows, columns = part
    held = np.asarray(values, dtype="<f4")[rows.start : rows.stop, columns.start : columns.stop]
    return {"values": _bytes(held), "first": (rows.start, columns.start), "columns": len(columns)}


def _panel(panel: Panel, part: Part | None, glosses: Mapping[str, str], at: int) -> PanelMessage:
    """`part` is what formulas name of it."""
    hidden, vacant = panel.hidden(), panel.vacant
    beyond = part is not None and around(panel.places, part) != panel.places
    return {
        "key": panel.key,
        "shape": panel.shape,
        "values": _bytes(panel.shown.astype("<f4")),
        "named": _named(panel.values, part) if part is not None and beyond else None,
        "size": _size(panel.values),
        "first": panel.first,
        "made": formula.message(panel.made),
        "symbol": _symbol(panel),
        "symbol_axis": panel.symbol_axis,
        "hidden": None if hidden is None else _bytes(hidden.astype(np.uint8)),
        "vacant": None if vacant is None else _bytes(np.asarray(vacant, dtype=np.uint8)),
        "borders": [int(column) for column in panel.borders],
        "title": panel.title,
        "labels": {"row": list(panel.row_labels), "column": list(panel.col_labels)},
        "glosses": {
            "row": [_meant(label, glosses) for label in panel.row_labels],
            "column": [_meant(label, glosses) for label in panel.col_labels],
        },
        "axes": {"row": panel.row_axis, "column": panel.col_axis},
        "padded": {"row": [int(i) for i in panel.padded_rows], "column": [int(j) for j in panel.padded_cols]},
        "scale": panel.scale,
        "ends": panel.ends(),
        "place": panel.place or (0, at),
        "wall": panel.wall,
        "silent": panel.silent,
        "beside": panel.beside,
        "digits": panel.digits,
        "meaning": panel.meaning,
        "print": panel.print_values,
        "blank": panel.blank,
        "label_events": panel.label_events,
    }


def _meant(label: str, glosses: Mapping[str, str]) -> str:
    """Its words by their glosses: "两 → 朵" is "two → (measure)". Ids and marks beside a word are left out."""
    parts = label.split()
    if glosses.keys().isdisjoint(parts):
        return ""
    meant = (glosses.get(part, part) for part in parts if part in glosses or part == "→" or part.startswith("⟨"))
    return " ".join(meant).removeprefix("→ ")


def _size(values: np.ndarray) -> tuple[int, int]:
    rows, columns = np.shape(values)
    return rows, columns


def _symbol(matrix: Panel | Operand) -> str | list[str]:
    """Its name in formulas, or those of its rows or columns."""
    symbol = matrix.symbol or matrix.key
    return symbol if isinstance(symbol, str) else list(symbol)


def _bytes(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")
