"""One term per thing: the words that were dropped for it come back in no text, in neither language."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.ui.test_chinese import FILES, chinese
from ui.text import FOLDER, LANGUAGES, load, without_terms

TERMS = tomllib.loads(Path(__file__).with_name("terms_used.toml").read_text(encoding="utf-8"))
WHOLE = {"en": r"\b(?:{})\b", "zh": "(?:{})"}
DROPPED = {
    lang: {
        name: re.compile(WHOLE[lang].format("|".join(term[f"never_{lang}"])), re.I)
        for name, term in TERMS.items()
        if f"never_{lang}" in term
    }
    for lang in LANGUAGES
}


def english(name: str) -> dict[str, str]:
    """All English texts of a file by key, without formulas, code and the names of blanks: these are not its words."""

    def words(text: str) -> str:
        return re.sub(r"`[^`]*`|\$\$?[^$]*\$\$?", "", re.sub(r"\{\{\w+\}\}", "{{x}}", without_terms(text, "en")))

    return {f"{name}.{key}": words(texts["en"]) for key, texts in load(name).items()}


def offences(texts: dict[str, str], lang: str) -> list[str]:
    """Where a dropped word stands, which, and what to say instead."""
    return [
        f"{key}: {found[0]}; say {TERMS[name][lang]}"
        for key, text in texts.items()
        for name, words in DROPPED[lang].items()
        if (found := words.search(text))
    ]


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.toml")))
def test_no_dropped_word_comes_back_in_english(name: str) -> None:
    assert offences(english(name), "en") == []


@pytest.mark.parametrize("name", FILES)
def test_no_dropped_word_comes_back_in_chinese(name: str) -> None:
    assert offences(chinese(name), "zh") == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_a_thing_is_called_is_dropped_for_nothing_else(lang: str) -> None:
    assert offences({name: term[lang] for name, term in TERMS.items()}, lang) == []


@pytest.mark.parametrize(
    ("lang", "text", "term"),
    [
        ("en", "By these shares the values are averaged", "weight"),
        ("en", "At turn {{x}} the model is least sure", "step"),
        ("en", "**Model at hand**", "current"),
        ("en", "Take over", "explore"),
        ("zh", "每个查询的分数", "score"),
        ("zh", "第 {{head}} 头", "head"),
        ("zh", "共 {{count}} 百万个参数", "millions"),
        ("zh", "贪心解码", "greedy"),
    ],
)
def test_a_dropped_word_is_found_and_named(lang: str, text: str, term: str) -> None:
    assert [offence.partition("; say ")[2] for offence in offences({"key": text}, lang)] == [TERMS[term][lang]]


@pytest.mark.parametrize("text", ["The layers share a matrix.", "Heads take turns.", "It turns 20 numbers into 30."])
def test_the_same_letters_with_another_meaning_are_left_alone(text: str) -> None:
    assert offences({"key": text}, "en") == []
