"""One turn of the decoding loop as matrices: arrays and labels in, panels out."""

from collections.abc import Mapping, Sequence

import numpy as np

from ui.figures.board import Panel
from ui.figures.tokens import named


def turn_panels(
    mask: np.ndarray,
    cross: np.ndarray,
    probabilities: np.ndarray,
    written: Sequence[int],
    src: Sequence[int],
    pad: int,
    labels: Mapping[str, str],
) -> list[Panel]:
    """mask (t, t), cross (heads, S) of the last position, probabilities (turns, vocab), `written` t + 1 tokens.

    A choice that does not copy the source is marked.
    """
    inputs = named(written[:-1])
    source = named(src)
    padded = [j for j, token in enumerate(src) if token == pad]
    turns, vocab = probabilities.shape
    return [
        Panel(
            "mask",
            mask,
            labels["mask"],
            inputs,
            inputs,
            labels["query"],
            labels["key"],
            scale="mask",
            meaning="decoder",
        ),
        Panel(
            "cross",
            cross,
            labels["cross"],
            [f"{labels['head']} {head}" for head in range(len(cross))],
            source,
            labels["heads"],
            labels["source"],
            scale="probability",
            padded_cols=padded,
            place=(0, 1),
            meaning="encoder",
        ),
        Panel(
            "probabilities",
            probabilities,
            labels["probabilities"],
            [_choice(turn + 1, written[turn + 1], src[turn + 1]) for turn in range(turns)],
            [str(token) for token in range(vocab)],
            labels["turn"],
            labels["token"],
            scale="probability",
            place=(0, 2),
            meaning="decoder",
        ),
    ]


def _choice(turn: int, token: int, wanted: int) -> str:
    return f"{turn} → {token}" + (" ✗" if token != wanted else "")
