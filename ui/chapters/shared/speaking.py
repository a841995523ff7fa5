"""Which word of a sentence a story is about: the one whose attention says most to who sees it for the first time."""

import numpy as np

from transformer_core import PAD

LEFT = 0.08  # of its attention a row leaves to the others, so that there is something to share out


def speaking_row(weights: np.ndarray, tokens: tuple[int, ...]) -> tuple[int, int, int]:
    """(head, query, key) of the largest weight (heads, T, S) from a word to another one, among the rows that leave
    some of it to further words; where there is no such row, of all. Padding asks nothing."""
    at = np.arange(len(tokens))
    other = weights.copy()
    other[:, at, at] = -1.0
    real = np.array([token != PAD for token in tokens])
    other[:, ~real] = -1.0
    open_rows = np.where(other <= 1.0 - LEFT, other, -1.0)
    chosen = open_rows if open_rows.max() > 0 else other
    head, query, key = np.unravel_index(int(chosen.argmax()), chosen.shape)
    return int(head), int(query), int(key)
