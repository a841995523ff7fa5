"""All heads at once: a wall of small matrices, a line for each kind of attention."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from ui.figures.board import Operand, Panel
from ui.figures.figure import Board
from ui.figures.formula import Formula, I, J, Matrix
from ui.figures.paper import scaled, softmax
from ui.figures.stages import SYMBOLS

BEFORE = {"weights": "masked", "scores": "products"}  # what each is computed from


class HeadName(NamedTuple):
    """Which head: the kind of attention, its layer, its number."""

    kind: str
    layer: int
    head: int

    @property
    def key(self) -> str:
        return f"{self.kind}.{self.layer}.{self.head}"


def wall(
    heads: Mapping[HeadName, np.ndarray],
    before: Mapping[HeadName, np.ndarray],
    blocked: Mapping[str, np.ndarray],
    titles: Mapping[str, str],
    tokens: Mapping[str, tuple[Sequence[str], Sequence[str]]],
    shown: Literal["weights", "scores"],
    d_k: int | None,
) -> Board:
    """A panel per head, (T, S) each, a layer's heads together; `blocked`, `titles` and `tokens`, which name queries and
    keys, are by kind.

    The weights of a head are made of its masked scores, the scores of its products divided by the root of `d_k`, if
    they are divided: those stand in `before`. The scores of all heads share the ends of their scale.
    """
    per_layer = 1 + max(name.head for name in heads)
    lines = list(dict.fromkeys(name.kind for name in heads))
    largest = max(float(np.abs(values[~blocked[name.kind]]).max()) for name, values in heads.items())
    operands = {name: Operand(f"{name.key}.before", of, SYMBOLS[BEFORE[shown]]) for name, of in before.items()}
    panels = [
        Panel(
            name.key,
            values,
            title=f"{titles[name.kind]} {name.layer}·{name.head}",
            row_labels=tokens[name.kind][0],
            col_labels=tokens[name.kind][1],
            scale="probability" if shown == "weights" else "signed",
            high=1.0 if shown == "weights" else largest,
            blocked=blocked[name.kind],
            made=_made(Matrix(operands[name].key), shown, values.shape[1], d_k),
            symbol=SYMBOLS[shown],
            place=(lines.index(name.kind), at),
            wall=per_layer,
            silent=True,
            meaning="encoder" if name.kind == "encoder" else "decoder",
        )
        for at, (name, values) in enumerate(heads.items())
    ]
    # The head that is open takes the chosen weight apart.
    return Board(panels, list(operands.values()), quiet=shown == "weights")


def _made(before: Matrix, shown: str, keys: int, d_k: int | None) -> Formula:
    return softmax(before, keys) if shown == "weights" else scaled(before[I, J], d_k)


def table(heads: Mapping[HeadName, np.ndarray]) -> np.ndarray:
    """A row for each query and key, which are its first two numbers; then a column per head, nan where it has none."""
    size = max(max(values.shape) for values in heads.values())
    columns = np.full((len(heads), size, size), np.nan)
    for column, values in zip(columns, heads.values()):
        column[: values.shape[0], : values.shape[1]] = values
    return np.stack([*np.indices((size, size)).reshape(2, -1), *columns.reshape(len(heads), -1)], axis=-1)
