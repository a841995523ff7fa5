"""A row of weights as a reader types it."""

import pytest

from ui.chapters.heads.what_if.change import LARGEST, NotWeights, parse


@pytest.mark.parametrize("text", ["0 1 3", "0,1, 3", "[0.0; 1e0 3.]", "0，1、3"])
def test_weights_are_read_with_any_separator_and_stay_as_typed(text: str) -> None:
    assert parse(text, 3) == (0.0, 1.0, 3.0)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("1 2", "count"),
        ("1 2 3 4", "count"),
        ("", "count"),
        ("1 two 3", "letters"),
        ("1 1_0 3", "letters"),
        ("1 -0.5 3", "negative"),
        ("1 −0.5 3", "negative"),
        ("1 nan 3", "no_number"),
        ("1 inf 3", "no_number"),
        ("1 1e999 3", "no_number"),
        (f"1 {LARGEST + 1} 3", "huge"),
        ("0 0 0", "zero"),
    ],
)
def test_what_is_no_row_is_refused_with_its_reason(text: str, key: str) -> None:
    with pytest.raises(NotWeights) as problem:
        parse(text, 3)
    assert problem.value.key == key
