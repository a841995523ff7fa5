"""Tokens as labels."""

import pytest

from ui.figures.tokens import named


@pytest.mark.parametrize(
    ("tokens", "labels"),
    [
        ([1, 3, 0], ["⟨s⟩", "3", "0"]),
        ([3, 1, 1], ["3", "1", "1"]),
        ([1, 1], ["⟨s⟩", "1"]),
        ([0, 1], ["0", "1"]),
        ([], []),
    ],
)
def test_token_1_is_the_start_symbol_at_the_front_and_a_token_like_any_other_after_it(
    tokens: list[int], labels: list[str]
) -> None:
    assert named(tokens) == labels


def test_where_ids_are_the_subject_the_start_symbol_keeps_its_own() -> None:
    assert named([1, 4], ids=True) == ["⟨s⟩ 1", "4"]
