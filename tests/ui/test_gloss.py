"""Whose words have a gloss, and in which language of the page."""

import pytest

from transformer_core.tasks import Letters, Translation, Vocabulary
from ui.inputs.gloss import gloss, glosses_for, segmented

BOTH = Translation("both").source


def test_a_page_glosses_the_words_that_are_not_of_its_language() -> None:
    english, chinese = glosses_for("en", BOTH), glosses_for("zh", BOTH)
    assert english.keys().isdisjoint(chinese.keys())
    assert english.keys() | chinese.keys() == set(BOTH.words)
    assert english["花"] == "flower"
    assert chinese["flowers"] == "花"


def test_a_reader_of_a_further_language_is_told_what_the_english_page_tells() -> None:
    assert glosses_for("de", BOTH) == glosses_for("en", BOTH)


def test_two_vocabularies_give_the_glosses_of_both() -> None:
    task = Translation("en-zh")
    assert glosses_for("en", task.source, task.target).keys() == set(task.target.words)
    assert glosses_for("zh", task.source, task.target).keys() == set(task.source.words)


@pytest.mark.parametrize("name", ["⟨s⟩", "⟨/s⟩", "⟨pad⟩", "nonsense", ""])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_symbols_and_what_is_no_word_have_none(name: str, lang: str) -> None:
    assert gloss(name, BOTH, lang) == ""


@pytest.mark.parametrize("vocabulary", [Letters("reverse").source, Vocabulary.of_numbers(11)])
def test_a_letter_is_no_word_though_it_looks_like_one(vocabulary: Vocabulary) -> None:
    assert gloss("a", BOTH, "zh") == "一"
    assert gloss("a", vocabulary, "zh") == ""
    assert glosses_for("zh", vocabulary) == {}


def test_a_sentence_without_spaces_is_taken_to_pieces_or_left_whole() -> None:
    words = glosses_for("en", BOTH)
    assert segmented("我们每天买两朵花", words) == ["我们", "每天", "买", "两", "朵", "花"]
    assert segmented("我们飞", words) == []
    assert segmented("", words) == []


def test_spanish_words_are_told_in_the_readers_language_as_far_as_it_is_known() -> None:
    spanish = Translation("both-es").source
    english, chinese = glosses_for("en", spanish), glosses_for("zh", spanish)
    assert (english["flores"], chinese["flores"], chinese["flowers"]) == ("flower", "花", "花")
    assert "flowers" not in english
    assert "?" not in english
    assert chinese["siempre"] == "always"
