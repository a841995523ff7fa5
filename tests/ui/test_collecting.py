"""Which word collects from which, on weights that a person can check."""

import numpy as np
import pytest

from ui.chapters.map.tale import AttentionLink, clarity, most_between, strongest

TOKENS = (1, 7, 8, 9, 2)  # symbols at both ends
WORDS = (1, 2, 3)
SELF = np.eye(5)


def looking(*weights: tuple[int, int, float]) -> np.ndarray:
    """Every query at itself, but for those (query, key, weight), which have the rest on the start symbol."""
    rows = SELF.copy()
    for query, key, weight in weights:
        rows[query] = 0
        rows[query, [0, key]] = 1 - weight, weight
    return rows


def test_the_largest_weight_of_a_word_on_another_is_found_in_any_head() -> None:
    heads = np.stack([looking((1, 2, 0.7)), looking((3, 2, 0.9)), SELF])
    assert strongest(heads, TOKENS, WORDS) == AttentionLink(1, 3, 2, 0.9)


def test_a_weight_that_is_not_the_largest_of_its_query_does_not_count() -> None:
    assert strongest(looking((1, 2, 0.4))[None], TOKENS, WORDS) is None


def test_symbols_and_words_alike_do_not_count() -> None:
    assert strongest(looking((0, 2, 1.0), (1, 4, 0.9))[None], TOKENS, WORDS) is None
    assert strongest(looking((1, 2, 0.9))[None], (1, 7, 7, 9, 2), WORDS) is None


def test_the_most_that_passes_between_two_words_may_be_less_than_a_query_gives_itself() -> None:
    assert most_between(looking((1, 2, 0.4), (3, 0, 1.0))[None], TOKENS, WORDS) == pytest.approx(0.4)
    assert most_between(SELF[None], (1, 7, 7, 7, 2), WORDS) is None


@pytest.mark.parametrize(
    ("weight", "keys", "said"), [(0.51, 2, "most"), (0.5, 4, "some"), (0.24, 9, "some"), (0.2, 9, "even")]
)
def test_more_than_half_is_most_and_less_than_twice_an_even_share_is_nothing(
    weight: float, keys: int, said: str
) -> None:
    assert clarity(weight, keys) == said
