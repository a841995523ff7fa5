"""One turn of the decoding loop as matrices: arrays and labels in, a board out."""

from collections.abc import Mapping, Sequence

import numpy as np

from ui.figures.board import Operand, Panel
from ui.figures.figure import Board
from ui.figures.formula import I, J, Matrix, softmax
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
    panels = [
        Panel(
            "mask",
            mask,
            labels["mask"],
            inputs,
            inputs,
            labels["query"],
            labels["key"],
            scale="mask",
            made=J.at_most(I),
            meaning="decoder",
        ),
        Panel(
            "cross",
            weights,
            labels["cross"],
            [f"{labels['head']} {head}" for head in range(len(weights))],
            source,
            labels["heads"],
            labels["source"],
            scale="probability",
            made=softmax(Matrix("scores"), len(src)),
            symbol="α",
            padded_cols=[j for j, token in enumerate(src) if token == pad],
            place=(0, 1),
            meaning="encoder",
        ),
        Panel(
            "probabilities",
            shares,
            labels["probabilities"],
            [_choice(turn + 1, written[turn + 1], src[turn + 1]) for turn in range(turns)],
            [str(token) for token in range(vocab)],
            labels["turn"],
            labels["token"],
            scale="probability",
            made=softmax(Matrix("logits"), vocab),
            symbol="p",
            place=(0, 2),
            meaning="decoder",
        ),
    ]
    return Board(panels, [Operand("scores", scores, "s", "encoder"), Operand("logits", logits, "logit", "decoder")])


def _choice(turn: int, token: int, wanted: int) -> str:
    return f"{turn} → {token}" + (" ✗" if token != wanted else "")
