"""A list of whole numbers, as readers type it."""

import pytest

from ui.inputs.typed_numbers import NotNumbers, whole_numbers


@pytest.mark.parametrize("text", ["2 4", " 2,4 ", "[2, 4]", "2，4", "2、4", "2;4", "２，４"])
def test_numbers_may_be_separated_in_any_usual_way(text: str) -> None:
    assert whole_numbers(text, 0, 9, 3) == (2, 4)


@pytest.mark.parametrize(
    ("text", "key", "values"),
    [
        ("", "empty", {}),
        (" , ", "empty", {}),
        ("2 x", "letters", {"word": "x"}),
        ("2.5", "letters", {"word": "2.5"}),
        ("١", "letters", {"word": "١"}),
        ("9" * 30, "letters", {"word": "9" * 20}),
        ("2 10", "range", {"word": "10"}),
        ("-1", "range", {"word": "-1"}),
        ("1 2 3 4", "many", {"count": 4}),
    ],
)
def test_anything_else_says_what_is_wrong_and_what_is_accepted(text: str, key: str, values: dict[str, object]) -> None:
    with pytest.raises(NotNumbers) as problem:
        whole_numbers(text, 0, 9, 3)
    assert (problem.value.key, problem.value.values) == (key, values | {"low": 0, "high": 9, "most": 3})
