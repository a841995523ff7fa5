"""Names of tokens: what a reader types becomes ids, and ids become words."""

import pytest

from transformer_core.tasks.vocabulary import UnknownWord, Vocabulary

WORDS = Vocabulary.of_words(["cat", "I", "my", "tea", "we", "white"])
CHINESE = Vocabulary.of_words(["两", "只", "我", "我们", "桌子", "的", "白色", "猫"])


def test_padding_start_and_end_come_first():
    assert WORDS.names[:4] == ("⟨pad⟩", "⟨s⟩", "⟨/s⟩", "cat")
    assert WORDS.words == ("cat", "I", "my", "tea", "we", "white")
    assert len(WORDS) == 9
    assert WORDS.tokens_of(["⟨/s⟩", "I"]) == [2, 4]
    assert WORDS.sequence([3, 8]) == [1, 3, 8, 2]


def test_numbers_are_called_by_their_ids_and_have_no_end_symbol():
    numbers = Vocabulary.of_numbers(5)
    assert numbers.names == ("⟨pad⟩", "⟨s⟩", "2", "3", "4")
    assert numbers.read("2, 4 3;1 0") == [2, 4, 3, 1, 0]
    assert numbers.sequence([2, 4]) == [1, 2, 4]
    assert numbers.text([1, 2, 4, 0]) == "2 4"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("my white cat", ["my", "white", "cat"]),
        ("  MY White\ncat. ", ["my", "white", "cat"]),
        ("i, we: TEA?!", ["I", "we", "tea"]),
        ("⟨s⟩ cat <pad> </s>", ["⟨s⟩", "cat", "⟨pad⟩", "⟨/s⟩"]),
        ("3 cat 8", ["cat", "cat", "white"]),
        ("", []),
        (" … !", []),
    ],
)
def test_a_text_is_read_without_regard_to_capitals_and_punctuation(text: str, names: list[str]):
    assert WORDS.names_of(WORDS.read(text)) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("我们两只白色的猫", ["我们", "两", "只", "白色", "的", "猫"]),
        ("我的猫，桌子。", ["我", "的", "猫", "桌子"]),
        ("我 们的 3", None),
        ("白色 的猫 4", ["白色", "的", "猫", "只"]),
    ],
)
def test_chinese_is_cut_into_the_longest_known_words(text: str, names: list[str] | None):
    if names is None:
        with pytest.raises(UnknownWord, match="们"):
            CHINESE.read(text)
    else:
        assert CHINESE.names_of(CHINESE.read(text)) == names


def test_do_not_may_be_written_as_it_is_spoken():
    words = Vocabulary.of_words(["do", "does", "not", "I"])
    assert words.names_of(words.read("I don't, Doesn’t")) == ["I", "do", "not", "does", "not"]
    with pytest.raises(UnknownWord, match=r"^can't"):
        words.read("I can't")


def test_chinese_is_written_without_spaces_and_english_with_them():
    assert CHINESE.text(CHINESE.sequence(CHINESE.read("两 只 猫"))) == "两只猫"
    assert WORDS.text(WORDS.sequence(WORDS.read("my cat"))) == "my cat"
    assert Vocabulary.of_words(["tea", "茶", "水"]).text([3, 4, 5, 3]) == "tea 茶水 tea"


@pytest.mark.parametrize(
    ("vocabulary", "text", "word", "nearest"),
    [
        (WORDS, "my wite cat", "wite", "white"),
        (WORDS, "Cats", "Cats", "cat"),
        (WORDS, "don't", "don't", None),
        (Vocabulary.of_words(["tea", "library"]), "zebra", "zebra", None),
        (WORDS, "猫", "猫", None),
        (WORDS, "9", "9", None),
        (WORDS, "²", "²", None),
        (WORDS, "99999999999", "99999999999", None),
        (CHINESE, "两只黑色的猫", "黑色", "白色"),
        (CHINESE, "桌椅", "桌椅", "桌子"),
        (CHINESE, "cat", "cat", None),
    ],
)
def test_an_unknown_word_comes_with_the_nearest_known_ones(
    vocabulary: Vocabulary, text: str, word: str, nearest: str | None
):
    with pytest.raises(UnknownWord) as error:
        vocabulary.read(text)
    assert error.value.word == word
    assert error.value.nearest[:1] == (() if nearest is None else (nearest,))
    assert len(error.value.nearest) <= 3


def test_a_token_or_a_name_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match=r"0…8, not be 9"):
        WORDS.names_of([9])
    with pytest.raises(ValueError, match=r"0…8, not be -1"):
        WORDS.text([-1])
    with pytest.raises(ValueError, match="same name"):
        Vocabulary.of_words(["cat", "Cat"])


def test_an_answer_ends_before_its_first_end_symbol():
    words = Vocabulary.of_words(["a", "b"])
    assert words.until_end([1, 3, 4, 2, 3, 2]) == [1, 3, 4]
    assert words.until_end([1, 3, 4]) == [1, 3, 4]
    assert Vocabulary.of_numbers(9).until_end([1, 2, 5]) == [1, 2, 5]


def test_a_figure_calls_tokens_by_their_names_and_keeps_ids_where_they_are_the_subject():
    assert WORDS.labels([1, 3, 2, 0]) == ["⟨s⟩", "cat", "⟨/s⟩", "⟨pad⟩"]
    assert WORDS.labels([1, 3], ids=True) == ["⟨s⟩ 1", "cat 3"]
    assert WORDS.every == list(WORDS.names)


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
def test_among_numbers_1_is_the_start_symbol_at_the_front_and_a_token_like_any_other_after_it(
    tokens: list[int], labels: list[str]
):
    assert Vocabulary.of_numbers(5).labels(tokens) == labels
    assert Vocabulary.of_numbers(5).labels([1, 4], ids=True) == ["⟨s⟩ 1", "4"]
    assert Vocabulary.of_numbers(3).every == ["0", "1", "2"]
