"""What attention does in a sentence, read off its weights: which word collects from which, and how clearly."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

MOSTLY = 0.5  # more than from all others together
TWICE = 2  # an even share


class AttentionLink(NamedTuple):
    """The weight with which, in a head, one token attends to another; both by their places."""

    head: int
    query: int
    key: int
    weight: float


def strongest(weights: np.ndarray, tokens: Sequence[int], words: Sequence[int]) -> AttentionLink | None:
    """Of all heads (h, S, S) the word that attends most to one other word.

    `words` are the places of the tokens that are no symbols. A weight counts only if it is the largest of its query,
    symbols and the query itself included. None if every word attends most to itself, to a symbol or to its like.
    """
    found = [
        AttentionLink(head, query, key, float(rows[query, key]))
        for head, rows in enumerate(weights)
        for query in words
        if (key := int(rows[query].argmax())) in words and tokens[key] != tokens[query]
    ]
    return max(found, key=lambda link: link.weight, default=None)


def most_between(weights: np.ndarray, tokens: Sequence[int], words: Sequence[int]) -> float | None:
    """The largest weight of any head between two different words; None if there are no two."""
    pairs = [(i, j) for i in words for j in words if tokens[i] != tokens[j]]
    return max((float(weights[:, i, j].max()) for i, j in pairs), default=None)


def clarity(weight: float, keys: int) -> Literal["most", "some", "even"]:
    """What can be said of the largest weight of a query that may attend to so many `keys`."""
    return "most" if weight > MOSTLY else "some" if weight >= TWICE / keys else "even"
