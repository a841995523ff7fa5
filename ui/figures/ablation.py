"""Every head switched off in turn, as matrices: how many targets are still right, and what the loss has become."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ui.figures.board import Operand, Panel, scale_of
from ui.figures.figure import Board
from ui.figures.formula import CELL, Cases, Formula, I, Index, K, Matrix, by_cell, mean, total


@dataclass(frozen=True)
class Ablated:
    """A model on n targets: row 0 as it is, row 1 + m without head m, as far as it is known."""

    right: np.ndarray  # (1 + heads, n) bool
    losses: np.ndarray  # (1 + heads, n) nats, of the whole target
    tokens: np.ndarray  # (n,)
    known: np.ndarray  # (1 + heads,) bool

    @property
    def exact(self) -> np.ndarray:
        """(1 + heads,): the share of targets that are right."""
        return np.asarray(self.right.mean(1))

    @property
    def loss(self) -> np.ndarray:
        """(1 + heads,) nats per token."""
        return np.asarray(self.losses.sum(1) / self.tokens.sum())

    @property
    def added(self) -> np.ndarray:
        """(1 + heads,) nats per token that the loss rises."""
        return self.loss - self.loss[0]

    @property
    def ranked(self) -> list[int]:
        """The rows: the model as it is, then without the head that the loss rises most without, and so on."""
        order = np.argsort(-self.added, kind="stable").tolist()
        return [0, *(row for row in order if row and self.known[row])]

    @property
    def operands(self) -> list[Operand]:
        return [
            Operand("losses", self.losses, "L"),
            Operand("right", self.right.astype(float), "h"),
            Operand("tokens", self.tokens[None], "n"),
        ]

    def loss_of(self, row: Index | int) -> Formula:
        targets = self.tokens.size
        return total(K, targets, Matrix("losses")[row, K]) / total(K, targets, Matrix("tokens")[0, K])

    def exact_of(self, row: Index | int) -> Formula:
        return mean(K, self.tokens.size, Matrix("right")[row, K])


@dataclass(frozen=True)
class Labels:
    """The words on both boards."""

    added: str
    exact: str
    row_axis: str
    head_axis: str
    vacant: str


def heads_board(ablated: Ablated, rows: Sequence[str], labels: Labels) -> Board:
    """A row per attention, a column per head."""
    known = ablated.known[1:].reshape(len(rows), -1)

    def panel(key: str, values: np.ndarray, made: Formula, symbol: str, place: int) -> Panel:
        shown = np.where(ablated.known, values, 0.0)[1:].reshape(known.shape)
        return Panel(
            key,
            shown,
            title=getattr(labels, key),
            row_labels=rows,
            col_labels=[str(head) for head in range(known.shape[1])],
            row_axis=labels.row_axis,
            col_axis=labels.head_axis,
            scale="probability" if key == "exact" else scale_of(shown),
            vacant=~known,
            made=_where(known, made),
            symbol=symbol,
            place=(0, place),
            print_values=True,
        )

    head = CELL.moved(1)
    added = ablated.loss_of(head) - ablated.loss_of(0)
    panels = [
        panel("added", ablated.added, added, "ΔL\u0304", 0),
        panel("exact", ablated.exact, ablated.exact_of(head), "p", 1),
    ]
    return Board(panels, ablated.operands, cell="ablation_cell", vacant=labels.vacant, result="added")


def ranked_board(ablated: Ablated, names: Sequence[str], most: int, labels: Labels) -> Board:
    """The model as it is, and below it at most `most` heads, that which is missed most first; `names` are of all rows
    of `ablated`."""
    ranked = ablated.ranked[: 1 + most]
    row = I.of(ranked, "m")

    def panel(key: str, values: np.ndarray, made: Formula, symbol: str, place: int) -> Panel:
        return Panel(
            key,
            values[ranked][:, None],
            title=getattr(labels, key),
            row_labels=[names[at] for at in ranked],
            scale="probability" if key == "exact" else scale_of(values[ranked]),
            made=made,
            symbol=symbol,
            place=(0, place),
            print_values=True,
        )

    added = ablated.loss_of(row) - ablated.loss_of(0)
    panels = [
        panel("added", ablated.added, added, "ΔL\u0304", 0),
        panel("exact", ablated.exact, ablated.exact_of(row), "p", 1),
    ]
    return Board(panels, ablated.operands, cell="ranked_cell", result="added")


def _where(known: np.ndarray, made: Formula) -> Cases:
    return by_cell(*(made if there else None for there in known.ravel()))
