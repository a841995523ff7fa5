"""A model before and with a change inside it: arrays and labels in, boards out."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ui.figures.board import Operand, Panel
from ui.figures.figure import Board
from ui.figures.formula import Cases, Formula, J, K, Matrix, by_row, total
from ui.figures.softmax import softmax

LOGITS = Matrix("logits")
LEAST = 1.0  # a difference of logits that has the strongest colour: what is far below stays pale


class Written(NamedTuple):
    """What the generator makes of T vectors: the logit of one token for each."""

    states: np.ndarray  # (T, d_model)
    logits: np.ndarray  # (T,)


class Look(NamedTuple):
    """One head of cross-attention at work on a source of S tokens."""

    masked: np.ndarray  # (T, S)
    weights: np.ndarray  # (T, S)
    output: Sequence[str]  # the T tokens that were written
    source: Sequence[str]


def logits_board(
    before: Written,
    after: Written,
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
    return Board(panels, operands, cell="if_cell")


def looks_board(
    before: Look, after: Look, hand: tuple[int, np.ndarray] | None, words: Mapping[str, str], padded: Sequence[int]
) -> Board:
    """The weights of one head before and with the change. `hand` is the row of it that was written by hand, if one was,
    with its weights (S,), not yet divided by their sum."""
    panels, operands = [], []
    for at, (key, look) in enumerate((("before", before), ("after", after))):
        row, typed = hand if hand and key == "after" else (None, None)
        panels.append(
            Panel(
                key,
                look.weights,
                words[key],
                look.output,
                look.source,
                words["written"],
                words["source"],
                scale="probability",
                padded_cols=padded,
                made=_weights(key, look, row),
                symbol="α",
                meaning="encoder",
                place=(0, at),
            )
        )
        operands.append(Operand(f"{key}.masked", look.masked, "s", "encoder"))
        if typed is not None:
            operands.append(Operand("hand", typed[None], "w"))
    return Board(panels, operands, cell="if_look_cell")


def _logit(states: str, width: int) -> Formula:
    return total(K, width, Matrix(states)[J, K] * Matrix("rows")[J, K]) + Matrix("biases")[0, J]


def _weights(key: str, look: Look, hand: int | None) -> Formula | Cases:
    size = len(look.source)
    own = softmax(Matrix(f"{key}.masked"), size)
    if hand is None:
        return own
    written = Matrix("hand")[0, J] / total(K, size, Matrix("hand")[0, K])
    return by_row(*[written if row == hand else own for row in range(len(look.output))])
