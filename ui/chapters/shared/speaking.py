"""Which word of a sentence a story is about: the one whose attention says most to who sees it for the first time."""

import numpy as np

from transformer_core import PAD
from transformer_core.tasks.vocabulary import END, START

LEFT = 0.08  # of its attention a row leaves to the others, so that there is something to share out


def speaking_row(weights: np.ndarray, tokens: tuple[int, ...]) -> tuple[int, int, int]:
    """(head, query, key) of the largest weight (heads, T, S) from a word to another word, among the rows that leave
    some of it to further tokens; where there is no such row, of all. Start, end and padding are no words, unless
    there are fewer than two others."""
    at = np.arange(len(tokens))
    last = max((n for n, token in enumerate(tokens) if token != PAD), default=0)
    words = np.array([token not in (PAD, START) and (n, token) != (last, END) for n, token in enumerate(tokens)])
    if words.sum() < 2:
        words = np.array([token != PAD for token in tokens])
    other = np.where(words[:, None] & words, weights, -1.0)
    other[:, at, at] = -1.0
    open_rows = np.where(other <= 1.0 - LEFT, other, -1.0)
    chosen = open_rows if open_rows.max() > 0 else other
    head, query, key = np.unravel_index(int(chosen.argmax()), chosen.shape)
    return int(head), int(query), int(key)
