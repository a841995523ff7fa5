"""The known sentence that is offered for one that cannot be read."""

import pytest

from transformer_core.training.config import TrainConfig
from ui.inputs.nearest_sentence import nearest
from ui.inputs.sequence import parse
from ui.model.shipped import shipped
from ui.settings.frame import Frame
from ui.text import is_han

NUMBERS = Frame.default().src


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("two white catz sleep", "two white cats sleep"),  # a slip of the finger
        ("two shiny cats sleep", "two cats sleep"),  # a word that can be left out
        ("我买紫色的花", "我买红色的花"),
    ],
)
def test_what_was_typed_is_mended_where_that_gives_a_sentence(text: str, near: str) -> None:
    assert nearest(text, shipped("translate").config, NUMBERS, 40, "en") == near


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
