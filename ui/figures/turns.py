"""One turn of the decoding loop as matrices: arrays and labels in, a board out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ui.figures.board import Operand, Panel
from ui.figures.figure import Board
from ui.figures.formula import I, J, Matrix
from ui.figures.softmax import softmax
from ui.figures.tokens import named


def turn_board(
    mask: np.ndarray,
    cross: tuple[np.ndarray, np.ndarray],
    probabilities: tuple[np.ndarray, np.ndarray],
    written: Sequence[int],
    src: Sequence[int],
    pad: int,
    labels: Mapping[str, str],
) -> Board:
    """mask (t, t); scores and weights of the last position's `cross`-attention, (heads, S) each; logits and
    `probabilities`, (turns, vocab) each; `written` t + 1 tokens.

    A choice that does not copy the source is marked.
    """
    inputs, source = named(written[:-1]), named(src)
    (scores, weights), (logits, shares) = cross, probabilities
    turns, vocab = shares.shape
    heads = [f"{labels['head']} {head}" for head in range(len(weights))]
    choices = [_choice(turn + 1, written[turn + 1], src[turn + 1]) for turn in range(turns)]
    tokens = [str(token) for token in range(vocab)]
    padded = [j for j, token in enumerate(src) if token == pad]
    allowed: dict[str, Any] = {"scale": "mask", "made": J.at_most(I), "meaning": "decoder"}
    looks = {"made": softmax(Matrix("scores"), len(src)), "symbol": "α", "meaning": "encoder", "padded_cols": padded}
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


def _choice(turn: int, token: int, wanted: int) -> str:
    return f"{turn} → {token}" + (" ✗" if token != wanted else "")
