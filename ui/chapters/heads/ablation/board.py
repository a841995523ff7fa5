"""Every head switched off in turn, as matrices: how many targets are still right, and what the loss has become."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ui.figures import Board, Operand, Panel, scale_of
from ui.figures.formula import CELL, Formula, I, Index, K, Matrix, by_cell, by_row, mean, total


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
            Operand("losses", self.losses[1:], "L"),
            Operand("right", self.right[1:].astype(float), "h"),
            Operand("whole_losses", self.losses[:1], "L^0"),
            Operand("whole_right", self.right[:1].astype(float), "h^0"),
            Operand("tokens", self.tokens[None], "n"),
        ]

    def added_of(self, head: Index | None) -> Formula:
        """The formula of what the loss rises by; None for the model as it is."""
        targets, whole = self.tokens.size, Matrix("whole_losses")[0, K]
        losses = whole if head is None else Matrix("losses")[head, K]
        tokens = total(K, targets, Matrix("tokens")[0, K])
        return total(K, targets, losses) / tokens - total(K, targets, whole) / tokens

    def exact_of(self, head: Index | None) -> Formula:
        return mean(K, self.tokens.size, Matrix("whole_right")[0, K] if head is None else Matrix("right")[head, K])


def heads_board(ablated: Ablated, rows: Sequence[str], say: Callable[[str], str]) -> Board:
    """A row per attention, a column per head."""
    known = ablated.known[1:].reshape(len(rows), -1)

    def panel(key: str, values: np.ndarray, made: Formula, symbol: str, place: int) -> Panel:
        shown = np.where(ablated.known, values, np.nan)[1:].reshape(known.shape)
        return Panel(
            key,
            shown,
            title=say(f"ablation.{key}"),
            row_labels=rows,
            col_labels=[str(head) for head in range(known.shape[1])],
            row_axis=say("layer_axis"),
            col_axis=say("head_axis"),
            scale="probability" if key == "exact" else scale_of(shown[known]),
            vacant=~known,
            made=by_cell(*(made if there else None for there in known.ravel())),
            symbol=symbol,
            print_values=True,
        )

    panels = [
        panel("added", ablated.added, ablated.added_of(CELL), "ΔL\u0304", 0),
        panel("exact", ablated.exact, ablated.exact_of(CELL), "p", 1),
    ]
    return Board(panels, ablated.operands, cell="ablation_cell", vacant=say("ablation.vacant"), result="added")


def ranked_board(ablated: Ablated, names: Sequence[str], most: int, say: Callable[[str], str]) -> Board:
    """The model as it is, and below it at most `most` heads, that which is missed most first; `names` are of all rows
    of `ablated`."""
    ranked = ablated.ranked[: 1 + most]
    head = I.of([max(row - 1, 0) for row in ranked], "m")

    def panel(key: str, values: np.ndarray, made: Callable[[Index | None], Formula], symbol: str, place: int) -> Panel:
        return Panel(
            key,
            values[ranked][:, None],
            title=say(f"ablation.{key}"),
            row_labels=[names[at] for at in ranked],
            scale="probability" if key == "exact" else scale_of(values[ranked]),
            made=by_row(made(None), *[made(head)] * (len(ranked) - 1)),
            symbol=symbol,
            print_values=True,
        )

    panels = [
        panel("added", ablated.added, ablated.added_of, "ΔL\u0304", 0),
        panel("exact", ablated.exact, ablated.exact_of, "p", 1),
    ]
    return Board(panels, ablated.operands, cell="ranked_cell", result="added")
