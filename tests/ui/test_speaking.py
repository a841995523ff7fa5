"""Which row of attention a story is about."""

import numpy as np
import pytest

from ui.chapters.shared.word_choice import LEFT, speaking_row

WORDS = (1, 7, 8, 9, 2, 0)  # start, three words, end, padding


def rows(*largest: tuple[int, int, int, float]) -> np.ndarray:
    """Two heads of six rows, even but for these weights."""
    weights = np.full((2, 6, 6), 0.01)
    for head, query, key, weight in largest:
        weights[head, query, key] = weight
    return weights


@pytest.mark.parametrize(
    ("largest", "found"),
    [
        ([(0, 1, 2, 0.5), (1, 3, 1, 0.7)], (1, 3, 1)),
        ([(0, 1, 2, 0.5), (1, 3, 3, 0.9)], (0, 1, 2)),  # to itself
        ([(0, 1, 2, 0.5), (1, 4, 1, 0.9), (0, 1, 0, 0.8), (1, 2, 5, 0.9)], (0, 1, 2)),  # symbols
        ([(0, 1, 2, 0.5), (1, 3, 2, 1.0 - LEFT / 2)], (0, 1, 2)),  # nothing left to share out
        ([(1, 3, 2, 1.0)], (1, 3, 2)),
    ],
)
def test_it_is_the_row_of_a_word_that_takes_most_from_another(
    largest: list[tuple[int, int, int, float]], found: tuple[int, int, int]
) -> None:
    weights = rows(*largest)
    if len(largest) == 1:
        weights[weights < 0.5] = -0.5
    assert speaking_row(weights, WORDS) == found


def test_where_there_is_one_word_alone_symbols_speak() -> None:
    weights = np.full((1, 3, 3), 0.1)
    weights[0, 1, 2] = 0.6
    assert speaking_row(weights, (1, 7, 2)) == (0, 1, 2)
