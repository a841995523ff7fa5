"""One turn of the decoding loop as matrices: arrays and labels in, a board out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ui.figures.board import Operand, Panel
from ui.figures.figure import Board
from ui.figures.formula import I, J, Matrix
from ui.figures.softmax import softmax


def turn_board(
    mask: np.ndarray,
    cross: tuple[np.ndarray, np.ndarray],
    probabilities: tuple[np.ndarray, np.ndarray],
    written: Sequence[str],
    source: Sequence[str],
    padded: Sequence[int],
    choices: Sequence[str],
    tokens: Sequence[str],
    labels: Mapping[str, str],
) -> Board:
    """mask (t, t); scores and weights of the last position's `cross`-attention, (heads, S) each; logits and
    `probabilities`, (turns, vocab) each.

    `written` names t + 1 tokens and `tokens` all that there are; the positions `padded` of the source are padding, and
    `choices` name the turns.
    """
    inputs = written[:-1]
    (scores, weights), (logits, shares) = cross, probabilities
    vocab = len(tokens)
    heads = [f"{labels['head']} {head}" for head in range(len(weights))]
    allowed: dict[str, Any] = {"scale": "mask", "made": J.at_most(I), "meaning": "decoder"}
    looks = {"made": softmax(Matrix("scores"), len(source)), "symbol": "α", "meaning": "encoder", "padded_cols": padded}
    chances = {"made": softmax(Matrix("logits"), vocab), "symbol": "p", "meaning": "decoder"}
    panels = [
        Panel(key, values, labels[key], rows, columns, labels[row], labels[column], **more, place=(0, at))
        for at, (key, values, rows, columns, row, column, more) in enumerate(
            (
                ("mask", mask, inputs, inputs, "query", "key", allowed),
                ("cross", weights, heads, source, "heads", "source", {"scale": "probability"} | looks),
                ("probabilities", shares, choices, tokens, "turn", "token", {"scale": "probability"} | chances),
            )
        )
    ]
    return Board(panels, [Operand("scores", scores, "s", "encoder"), Operand("logits", logits, "logit", "decoder")])
