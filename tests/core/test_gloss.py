"""The gloss of a word is a word of the other language that names it back, or says in brackets what the word does."""

import re

import pytest

from transformer_core.tasks import Translation
from transformer_core.tasks.gloss import BRACKETS, OR, glosses
from transformer_core.tasks.grammar import CHINESE, ENGLISH, english_chinese

WORDS = {side: english_chinese().words(side) for side in (ENGLISH, CHINESE)}


def test_every_word_of_both_vocabularies_has_one_and_no_symbol_has():
    both = Translation("both")
    assert glosses().keys() == set(both.source.words) == set(both.target.words)
    assert all(glosses().values())
    assert glosses().keys().isdisjoint(set(both.source.names) - set(both.source.words))


def test_a_gloss_is_of_the_other_language():
    assert [word for word in WORDS[CHINESE] if not re.fullmatch(r"[A-Za-z ()/]+", glosses()[word])] == []
    assert [word for word in WORDS[ENGLISH] if not re.fullmatch("[\u4e00-\u9fff（）]+", glosses()[word])] == []


@pytest.mark.parametrize("word", [word for word in WORDS[CHINESE] if not glosses()[word].startswith(BRACKETS)])
def test_a_chinese_word_is_named_by_the_english_words_of_its_gloss(word: str):
    first, *others = ["".join(glosses()[part] for part in gloss.split()) for gloss in glosses()[word].split(OR)]
    assert first == word
    assert all(other.startswith(word) for other in others)  # 我的, my, and 这些, these


@pytest.mark.parametrize("word", [word for word in WORDS[ENGLISH] if not glosses()[word].startswith(BRACKETS)])
def test_an_english_word_or_another_form_of_it_is_named_by_the_chinese_word_of_its_gloss(word: str):
    gloss = glosses()[word]
    forms = {other for other in WORDS[ENGLISH] if gloss.startswith(glosses()[other])}  # 我的, my, begins with 我, I
    back = [glosses()[other] for other in WORDS[CHINESE] if gloss.startswith(other) or other.endswith(gloss)]
    back += [glosses()[other] for other in WORDS[CHINESE] if other.startswith(gloss)]  # 每, of 每天
    assert forms & {name for named in back for name in re.split("[ /]", named)}


def test_only_words_with_a_duty_are_in_brackets():
    assert {word for word, gloss in glosses().items() if gloss.startswith(BRACKETS)} == (
        {"的", "在", "the", "do", "does", "of"} | english_chinese().measures - {"杯"}
    )


@pytest.mark.parametrize(
    ("word", "gloss"),
    [
        ("花", "flower"),
        ("flowers", "花"),
        ("libraries", None),
        ("看", "read/watch"),
        ("这", "this/these"),  # 这两只猫, these two cats
        ("那", "that/those"),
        ("我", "I/my"),  # 我猫, my cat
        ("每天", "every day"),
        ("buys", "买"),
    ],
)
def test_words_that_a_person_can_check(word: str, gloss: str | None):
    assert glosses().get(word) == gloss
