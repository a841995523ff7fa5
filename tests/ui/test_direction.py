"""Which way a text is translated, by its words, and by its script where no word is known."""

import pytest

from transformer_core.tasks import Letters, Translation
from ui.inputs.direction import alike, way


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
    assert way(Translation(direction), text) == expected


def test_letters_go_their_own_way_and_numbers_are_all_alike() -> None:
    assert way(Letters("sort"), "b a") == "sort"
    assert alike(None, "1 2", "3")
    assert alike(Translation("both-es"), "cats", "two dogs")
    assert not alike(Translation("both-es"), "gatos", "two dogs")
