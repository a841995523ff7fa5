"""Every text keeps the rules of the linter, and each rule finds what it is about."""

import re

import pytest

from tests.ui import text_linter
from tests.ui.text_linter import RULES, WORDS, Rule, documents, every_text, read, sentences, wordy

OURS = {*read("text_rules.toml")} - {"once"}
SIMPLER = [  # of a pattern: without what may be missing, of alternatives the last one
    (r"\(\?<?[=!][^()]*\)|\{\d+(,\d*)?\}|(?<!\\)[?+]", ""),
    (r"\[\^[^\]]*\]|\\[Sw]", "x"),
    (r"\[[^\]]*([^\]])\]", r"\1"),
    *[(r"\((?:[^()]*\|)?([^()|]*)\)", r"\1")] * 3,
    (r"\\d", "1"),
    (r"\\(.)", r"\1"),
]


@pytest.mark.parametrize("name", RULES)
def test_no_text_breaks_a_rule(name: str) -> None:
    assert [*RULES[name].offences()] == []


@pytest.mark.parametrize("name", RULES)
def test_a_rule_finds_what_it_is_about_and_lets_the_rest_pass(name: str) -> None:
    rule = RULES[name]
    assert rule.found or name not in OURS
    assert [text for text in rule.found if not rule.offends(text)] == []
    assert [text for text in rule.passed if rule.offends(text)] == []
    assert any(Rule("", keys=rule.keys, must="$^").offences()), "there are texts that it is about"


def test_each_word_that_was_dropped_is_found() -> None:
    for name, term in read("terms_used.toml").items():
        for lang in ("en", "zh"):
            for said in term.get(f"never_{lang}", ()):
                word = said
                for part, instead in SIMPLER:
                    word = re.sub(part, instead, word)
                assert any(RULES[f"{name} {lang}"].offends(before + word) for before in ("", "{{x")), (name, said, word)


def test_the_texts_are_those_of_both_languages_and_the_chinese_pages() -> None:
    assert {"en", "zh"} <= {lang for _, lang, _ in every_text()}
    assert ("README.zh", "zh") in [(key, lang) for key, lang, _ in every_text()]


@pytest.mark.parametrize("name", documents())
def test_the_sentences_of_a_document_are_short(name: str) -> None:
    assert [*wordy(name, documents()[name])] == []


def test_long_sentences_are_found_and_what_is_no_sentence_is_not_counted() -> None:
    short = (
        "# A long heading\n\nIt trains. `it` says [so](https://here).\n- One item:\n```\na b c\n```\n| a | b | c |\n"
    )
    assert [len(part.split()) for part in sentences(short)] == [2, 3, 3]
    said = f"page: 20.0 words a sentence; on average fewer than {WORDS}"
    assert [*wordy("page", short + "\n" + "word " * 4 * WORDS)] == [said]


def test_the_linter_says_which_text_where_and_what_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = Rule("say nothing", lang="en", keys=r"^shell\.next$", never="Next")
    for rules, said in (({}, 0), ({"silence": rule}, "shell.next (en): “Next: {{titl”; say nothing")):
        monkeypatch.setattr(text_linter, "RULES", rules)
        with pytest.raises(SystemExit) as ended:
            text_linter.main()
        assert ended.value.code == said
