"""What a reader may type as a sequence."""

import pytest

from ui.sequence import NotASequence, parse


@pytest.mark.parametrize("text", ["1 3 2", "1,3,2", "[1, 3, 2]", " 1  3\t2 ", "1，3、2"])
def test_spaces_and_commas_separate_tokens(text: str) -> None:
    assert parse(text, vocab=11, longest=10) == (1, 3, 2)


def test_the_start_symbol_is_put_in_front_where_it_is_missing() -> None:
    assert parse("5 3", vocab=11, longest=10) == (1, 5, 3)


def test_what_was_typed_is_counted_apart_from_the_start_symbol() -> None:
    with pytest.raises(NotASequence) as caught:
        parse("2 3 4", vocab=11, longest=3)
    assert (caught.value.key, caught.value.values["typed"]) == ("sequence.long_started", 3)


def test_padding_may_be_typed() -> None:
    assert parse("1 4 0 0", vocab=11, longest=10) == (1, 4, 0, 0)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "empty"), (" , ", "empty"), ("hello", "letters"), ("1 -2", "letters"), ("1.5", "letters"),
        ("１２", "letters"), ("9" * 500, "letters"), ("1 11", "unknown"), ("0 0", "padding"),
        ("1 2 3 4 5 6 7 8 9 10 2", "long"),
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_its_reason(text: str, key: str) -> None:
    with pytest.raises(NotASequence) as caught:
        parse(text, vocab=11, longest=10)
    assert caught.value.key == f"sequence.{key}"
