"""What a reader may type as a sequence."""

import pytest

from transformer_core.tasks import Translation, UnknownWord, Vocabulary
from transformer_core.tasks.task import is_held_out
from transformer_core.training.config import TrainConfig
from ui.inputs.sequence import EXAMPLES, NotASequence, example, parse, pieces

NUMBERS = Vocabulary.of_numbers(11)
WORDS = Vocabulary.of_words(["cat", "two", "white", "猫", "两", "只"])  # 3 to 8


@pytest.mark.parametrize("text", ["1 3 2", "1,3,2", "[1, 3, 2]", " 1  3\t2 ", "1，3、2", "［１，３；２］"])
def test_spaces_and_commas_separate_tokens(text: str) -> None:
    assert parse(text, NUMBERS, longest=10) == (1, 3, 2)


def test_the_start_symbol_is_put_in_front_where_it_is_missing_and_is_not_counted() -> None:
    assert parse("5 3", NUMBERS, longest=2) == (1, 5, 3)


def test_padding_may_be_typed() -> None:
    assert parse("1 4 0 0", NUMBERS, longest=10) == (1, 4, 0, 0)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "empty"), (" , ", "empty"), ("hello", "letters"), ("1 -2", "letters"), ("1.5", "letters"),
        ("١٢", "letters"), ("9" * 500, "letters"), ("1 11", "unknown"), ("0 0", "padding"),
        ("1 2 3 4 5 6 7 8 9 10 2", "long"),
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_its_reason(text: str, key: str) -> None:
    with pytest.raises(NotASequence) as caught:
        parse(text, NUMBERS, longest=10)
    assert caught.value.key == f"sequence.{key}"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("two white cat", (1, 4, 5, 3, 2)),
        ("Two, WHITE cat!", (1, 4, 5, 3, 2)),
        ("两只猫", (1, 7, 8, 6, 2)),
        ("4 5 3", (1, 4, 5, 3, 2)),
        ("<s> two cat </s>", (1, 4, 3, 2)),
        ("two cat <pad> <pad>", (1, 4, 3, 2, 0, 0)),
        ("two cat </s> <pad>", (1, 4, 3, 2, 0)),
        ("two <pad> cat", (1, 4, 0, 3, 2)),
    ],
)
def test_words_stand_between_the_start_and_the_end_symbol(text: str, read: tuple[int, ...]) -> None:
    assert parse(text, WORDS, longest=5) == read


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "no_words"), (" ?! ", "no_words"), ("<s> </s>", "no_words"), ("<pad>", "no_words"),
        ("two dog", "unknown_word"), ("two cats", "unknown_near"), ("99", "unknown_word"),
        ("cat " * 6, "long"),
    ],
)  # fmt: skip
def test_words_that_cannot_be_read_are_refused_with_their_reason(text: str, key: str) -> None:
    with pytest.raises(NotASequence) as caught:
        parse(text, WORDS, longest=5)
    assert caught.value.key == f"sequence.{key}"


def test_an_unknown_word_comes_with_the_nearest_known_ones() -> None:
    with pytest.raises(NotASequence) as caught:
        parse("two wite cat", WORDS, longest=5)
    assert caught.value.values == {"word": "wite", "count": 6, "nearest": "white"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_task_is_a_sentence_that_no_run_is_trained_on(name: str) -> None:
    task, _, direction = name.partition(" ")
    config = TrainConfig.of_task(task, direction or "en-zh")
    source = parse(example(config, "1 3 2"), config.vocabularies[0], longest=10)
    answer = config.answer(source)
    assert answer is not None
    sides = {" ".join(side.names_of(row[1:-1])) for side, row in zip(config.vocabularies, (source, answer))}
    assert any(map(is_held_out, sides))


def test_a_model_of_numbers_has_no_example_of_its_own() -> None:
    assert example(TrainConfig(), "1 3 2") == "1 3 2"


def test_what_is_typed_is_known_word_by_word() -> None:
    words = Translation("both").source
    assert pieces("two Elephants, sleep", words) == [("two", True), ("Elephants", False), ("sleep", True)]
    assert pieces("我买宇宙飞船的花", words) == [
        ("我", True),
        ("买", True),
        ("宇宙飞船", False),
        ("的", True),
        ("花", True),
    ]
    assert pieces("我買兩朵", words) == [("我", True), ("買", True), ("兩", True), ("朵", True)]
    assert pieces("don't ⟨/s⟩ 7", words) == [("don't", True), ("⟨/s⟩", True), ("7", True)]
    assert pieces("1, 99 two 1.5", Vocabulary.of_numbers(11)) == [
        ("1", True),
        ("99", False),
        ("two", False),
        ("1.5", False),
    ]


@pytest.mark.parametrize("text", ["two cats sleep", "两只猫睡觉", "two x", "我x", "", "宇宙"])
def test_a_text_is_read_just_where_all_its_pieces_are_known(text: str) -> None:
    words = Translation("both").source
    try:
        read = words.read(text)
    except UnknownWord:
        assert not all(known for _, known in pieces(text, words))
    else:
        assert words.names_of(read) == [word for word, known in pieces(text, words) if known]
