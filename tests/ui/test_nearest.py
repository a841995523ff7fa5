"""The known sentence that is offered for one that cannot be read."""

import pytest

from transformer_core.training.config import TrainConfig
from ui.inputs.nearest_sentence import nearest, nearest_words
from ui.inputs.sequence import parse
from ui.model.shipped import shipped
from ui.settings.frame import Frame
from ui.text import is_han

NUMBERS = Frame.default().src


@pytest.mark.parametrize(
    ("model", "text", "near"),
    [
        ("translate", "two white catz sleep", "two white cats sleep"),  # a slip of the finger
        ("translate", "two shiny cats sleep", "two cats sleep"),  # a word that can be left out
        ("translate", "we drinking tea", "we drink tea"),  # another form
        ("translate", "I buy two red floers every day", "I buy two red flowers every day"),
        ("translate", "two red flowes", "two red flowers"),  # no sentence, but its words can be read
        ("translate", "我买紫色的花", "我买红色的花"),
        ("translate", "我吃红色的花", "我买红色的花"),  # 吃 is like no word of the list; 买 makes a sentence of it
        ("spanish", "I buy two red floers every day", "I buy two red flowers every day"),
        ("spanish", "two Red flowes", "two red flowers"),
        ("spanish", "we like cats", "we draw cats"),
        ("spanish", "yo compro dos flroes rojas", "yo compro dos flores rojas"),
        ("spanish", "los pajaros duermn", "los pájaros duermen"),  # one accent is missing, which is no mistake
        ("spanish", "el niño lee un libro", "el médico lee un libro"),
        ("spanish", "¿Donde duermen los pajros?", "¿dónde duermen los pájaros?"),
    ],
)
def test_what_was_typed_is_mended_where_that_gives_a_sentence(model: str, text: str, near: str) -> None:
    assert nearest(text, shipped(model).config, NUMBERS, 40, "en") == near


@pytest.mark.parametrize("model", ["translate", "spanish"])
def test_of_a_word_outside_the_list_the_nearest_known_one_is_named(model: str) -> None:
    vocabulary = shipped(model).config.vocabularies[0]
    for typed, near in (("floers", "flowers"), ("sleepin", "sleep"), ("birdss", "birds"), ("flowers", "flowers")):
        assert nearest_words(typed, vocabulary, 40) == near
    assert nearest_words("unicorn", vocabulary, 40) == ""
    assert nearest_words("two unicorn", vocabulary, 40) == "two"


@pytest.mark.parametrize("model", ["translate", "spanish"])
def test_every_word_of_the_list_with_a_letter_too_few_leads_back_to_a_word_that_is_known(model: str) -> None:
    vocabulary = shipped(model).config.vocabularies[0]
    for word in (word for word in vocabulary.words if word.isalpha() and len(word) > 5 and not is_han(word)):
        typed = word[:3] + word[4:]
        found = nearest_words(typed, vocabulary, 40)
        assert found in vocabulary.words
        assert found == word or found[:2] == word[:2], "or another form of it"


@pytest.mark.parametrize("text", ["我爱学习", "unicorns", "wir lieben Bücher", "", "!!", "两 " * 60, "the the the"])
def test_what_is_offered_can_be_read_and_has_an_answer_in_the_language_that_was_typed(text: str) -> None:
    config = shipped("translate").config
    for lang in ("en", "zh"):
        near = nearest(text, config, NUMBERS, 40, lang)
        assert config.answer(parse(near, config.vocabularies[0], 40)) is not None
        assert is_han(near) == (is_han(text.strip()) if text.strip("! ") else lang == "zh")


@pytest.mark.parametrize(
    ("text", "near"), [("1 3 99 5", "1 3 5"), ("a b", NUMBERS), ("0 0", NUMBERS), ("3 " * 50, "3 " * 39 + "3")]
)
def test_of_numbers_those_are_kept_that_are_tokens(text: str, near: str) -> None:
    assert nearest(text, TrainConfig(), NUMBERS, 40, "en") == near


def test_letters_and_words_of_every_task_are_offered() -> None:
    for config in (
        TrainConfig.of_task("reverse"),
        TrainConfig.of_task("sort"),
        TrainConfig.of_task("translate", "zh-en"),
    ):
        near = nearest("? ß", config, NUMBERS, 40, "en")
        assert config.answer(parse(near, config.vocabularies[0], 40)) is not None
