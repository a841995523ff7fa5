"""A model before and with a change inside it: arrays and labels in, boards out."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ui.figures import Board, Operand, Panel
from ui.figures.formula import Formula, J, K, Matrix, by_row, total

LOGITS = Matrix("logits")
LEAST = 1.0  # a difference of logits that has the strongest colour: what is far below stays pale


class TokenLogits(NamedTuple):
    """What the generator makes of T vectors: the logit of one token for each."""

    states: np.ndarray  # (T, d_model)
    logits: np.ndarray  # (T,)


def logits_board(
    before: TokenLogits,
    after: TokenLogits,
    rows: np.ndarray,
    biases: np.ndarray,
    tokens: Sequence[str],
    words: Mapping[str, str],
) -> Board:
    """Logits of the same tokens before and with the change, and the difference; `rows` (T, d_model) of the generator's
    matrix and `biases` (T,) are those of the tokens."""
    labels: dict[str, Any] = {"col_labels": tokens, "col_axis": words["token"], "scale": "signed", "print_values": True}
    names = [words["before"], words["after"]]
    both = np.stack([before.logits, after.logits])
    states = by_row(*(_logit(key, rows.shape[1]) for key in ("before", "after")))
    delta = after.logits.astype(np.float64) - before.logits
    made = LOGITS[1, J] - LOGITS[0, J]
    panels = [
        Panel("logits", both, words["logits"], names, **labels, symbol=("z", "z′"), made=states, place=(0, 0)),
        Panel(
            "delta",
            delta[None],
            words["delta"],
            ["Δz"],
            **labels,
            high=max(LEAST, float(np.abs(delta).max())),
            symbol="Δz",
            made=made,
            place=(1, 0),
        ),
    ]
    operands = [
        Operand("before", before.states, "x", "decoder"),
        Operand("after", after.states, "x′", "decoder"),
        Operand("rows", rows, "W"),
        Operand("biases", biases[None], "b"),
    ]
    return Board(panels, operands)


def _logit(states: str, width: int) -> Formula:
    return total(K, width, Matrix(states)[J, K] * Matrix("rows")[J, K]) + Matrix("biases")[0, J]
