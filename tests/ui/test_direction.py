"""Which way a text is translated, by its words, and by its script where no word is known."""

import pytest

from transformer_core.tasks import Letters, Translation
from ui.inputs.direction import direction_of, same_language


@pytest.mark.parametrize(
    ("direction", "text", "expected"),
    [
        ("both", "two cats", "translate en-zh"),
        ("both", "两只猫", "translate zh-en"),
        ("both", "龙", "translate zh-en"),  # no word of the small language
        ("both", "", "translate en-zh"),
        ("both-es", "dragones", "translate en-es"),
        ("both-es", "gatos", "translate es-en"),
        ("zh-en", "two cats", "translate zh-en"),
    ],
)
def test_a_text_goes_one_way(direction: str, text: str, expected: str) -> None:
    assert direction_of(Translation(direction), text) == expected


def test_letters_go_their_own_way_and_numbers_are_all_alike() -> None:
    assert direction_of(Letters("sort"), "b a") == "sort"
    assert same_language(None, "1 2", "3")
    assert same_language(Translation("both-es"), "cats", "two dogs")
    assert not same_language(Translation("both-es"), "gatos", "two dogs")
