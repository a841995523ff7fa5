"""Two matrices on one scale, and their difference."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from transformer_core.attention import BLOCKED
from ui.chapters.shared.tensors import MAPS, TensorPlace
from ui.figures import Board, Panel, scale_of
from ui.figures.formula import I, J, Matrix
from ui.figures.payload import Scale
from ui.inputs.sequence import TypedSequences
from ui.text import Words

BESIDE = 24  # columns of matrices that stand side by side; wider ones stand below each other
WIDEST, TALLEST = 64, 24  # columns and rows that are shown at once
ROLES = ("query", "key", "value")
NEURONS = ("pre_activation", "hidden", "w_1.bias")
PROBABILITIES = ("weights", "dropped")


class Pair(NamedTuple):
    """The same matrix of two models, (rows, columns) float64, and which of its cells count in the difference."""

    where: TensorPlace
    a: np.ndarray
    b: np.ndarray
    blocked: tuple[np.ndarray | None, np.ndarray | None]  # by the mask of either
    left_out: np.ndarray | None

    @classmethod
    def of(
        cls, where: TensorPlace, a: np.ndarray, b: np.ndarray, masked_a: np.ndarray | None, masked_b: np.ndarray | None
    ) -> "Pair":
        """`masked` are the scores of the same attention, of which the mask has overwritten some."""
        blocked: tuple[np.ndarray | None, np.ndarray | None] = None, None
        left_out = None
        if masked_a is not None and masked_b is not None and where.what in ("masked", *PROBABILITIES):
            of_a, of_b = blocked = masked_a <= BLOCKED / 2, masked_b <= BLOCKED / 2
            left_out = of_a & of_b if where.what in PROBABILITIES else of_a | of_b  # a blocked weight is 0
        return cls(where, a.astype(np.float64), b.astype(np.float64), blocked, left_out)

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.a.shape
        return rows, columns

    @property
    def difference(self) -> np.ndarray:
        return self.a - self.b

    @property
    def counted(self) -> np.ndarray:
        """|A − B|; NaN in cells that do not count."""
        size = np.abs(self.difference)
        return size if self.left_out is None else np.where(self.left_out, np.nan, size)

    @property
    def largest(self) -> float:
        return float(np.nanmax(self.counted, initial=0.0))

    @property
    def at(self) -> tuple[int, int]:
        """The row and the column of the largest difference."""
        row, column = np.unravel_index(np.nanargmax(self.counted), self.shape)
        return int(row), int(column)

    @property
    def mean(self) -> float:
        return float(np.nanmean(self.counted))

    def labels(self, sequences: TypedSequences) -> tuple[list[str], list[str]]:
        """The tokens that rows and columns stand for; none where they are dimensions."""
        stack, what = self.where.stack, self.where.what
        of_source = stack in ("src_embed", "encoder")
        own = sequences.sources if of_source else sequences.targets
        vocabulary = (sequences.source if of_source else sequences.target).every
        keys = sequences.sources if self.where.part == "src_attn" else own
        if what in MAPS:
            return own, keys
        if what in ("0.lut.weight", "proj.weight"):
            return vocabulary, []
        if what == "proj.bias":
            return [], vocabulary
        if what in ("logits", "log_probs"):
            return own, vocabulary
        rows = keys if what in ("key", "value") else own
        return (rows, []) if len(rows) == self.shape[0] and not _learned(what) else ([], [])


def window(shape: tuple[int, int]) -> tuple[int, int]:
    """The last row and column at which the part that is shown may begin; 0 where all is shown."""
    rows, columns = shape
    return max(0, rows - _tallest(columns)), max(0, columns - WIDEST)


def board(
    both: Pair, sequences: TypedSequences, titles: list[str], axes: Words, first_row: int, first_column: int
) -> Board:
    """A, B and A − B; `axes` are the words of the chapter that has names for all of them."""
    rows, columns = both.shape
    part = (
        slice(first_row, min(rows, first_row + _tallest(columns))),
        slice(first_column, min(columns, first_column + WIDEST)),
    )
    row_names, column_names = both.labels(sequences)
    row_axis, column_axis = _axes(both)
    sizes = [
        each if blocked is None else np.where(blocked, 0, each) for each, blocked in zip((both.a, both.b), both.blocked)
    ]
    scale: Scale = "probability" if both.where.what in PROBABILITIES else scale_of(*sizes)
    high = None if scale == "probability" else float(np.abs(sizes).max()) or None
    panel = partial(
        Panel,
        row_labels=(row_names or [str(row) for row in range(rows)])[part[0]] if rows > 1 else [],
        col_labels=(column_names or [str(column) for column in range(columns)])[part[1]],
        row_axis=axes(row_axis) if rows > 1 else "",
        col_axis=axes(column_axis),
        window=part,
        digits=4,
    )
    meaning = _meaning(both.where)
    kept = [None if each is None else each[part] for each in (*both.blocked, both.left_out)]
    places = [(0, at) if columns <= BESIDE else (at, 0) for at in range(3)]
    panels = [
        panel(key, values, title, scale=scale, high=high, blocked=blocked, meaning=meaning, symbol=symbol, place=at)
        for key, values, title, blocked, symbol, at in zip(
            ("first", "second"), (both.a, both.b), titles, kept, "AB", places
        )
    ]
    made = Matrix("first")[I, J] - Matrix("second")[I, J]
    delta = panel("difference", both.difference, titles[2], high=both.largest or None, blocked=kept[2], symbol="Δ")
    panels.append(replace(delta, made=made, place=places[2]))
    return Board(panels, cell="delta_cell", result="difference")


def _tallest(columns: int) -> int:
    return 2 * TALLEST if columns <= BESIDE else TALLEST


def _learned(what: str) -> bool:
    return what.endswith((".weight", ".bias", ".a_2", ".b_2"))


def _axes(both: Pair) -> tuple[str, str]:
    what = both.where.what
    if what in MAPS:
        return "axis.query", "axis.key"
    if what in ("logits", "log_probs", "proj.bias"):
        return "axis.position", "axis.token"
    if _learned(what):
        row = {
            "w_1.weight": "axis.neuron_row",
            "0.lut.weight": "axis.position",
            "1.lut.weight": "axis.position",
            "proj.weight": "axis.position",
        }
        neurons = ("w_2.weight", *NEURONS)
        return row.get(what, "axis.dimension_row"), "axis.neuron" if what in neurons else "axis.dimension"
    return "axis.position", "axis.neuron" if what in NEURONS else "axis.dimension"


def _meaning(where: TensorPlace) -> str:
    if where.what in ROLES:
        return where.what
    return "encoder" if where.stack in ("src_embed", "encoder") else "decoder"
