"""The glossary: every mark has its entry, and every entry is marked somewhere."""

import re

import pytest

from ui.text import FOLDER, LANGUAGES, TERMS, Words, load, without_terms

FILES = sorted(path.stem for path in FOLDER.glob("*.toml"))
MARK = re.compile(r"\[\[(\w+)(?:\|([^\]]+))?\]\]")
ENTRIES = {key.removesuffix(".name") for key in load(TERMS) if key.endswith(".name")}


def marks(lang: str) -> dict[str, list[str]]:
    """The terms that each text marks, by the file's name and the key."""
    found = {
        f"{name}.{key}": [mark[1] for mark in MARK.finditer(texts[lang])]
        for name in FILES
        for key, texts in load(name).items()
    }
    return {key: terms for key, terms in found.items() if terms}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_mark_has_its_entry_and_every_entry_is_used(lang: str) -> None:
    assert {term for terms in marks(lang).values() for term in terms} == ENTRIES


def test_both_languages_mark_the_same_terms() -> None:
    english, chinese = ({key: sorted(terms) for key, terms in marks(lang).items()} for lang in ("en", "zh"))
    assert english == chinese


def test_an_entry_has_a_name_and_a_short_text_that_marks_nothing_itself() -> None:
    assert load(TERMS).keys() == {f"{term}.{part}" for term in ENTRIES for part in ("name", "text")}
    for key, texts in load(TERMS).items():
        assert not any(MARK.search(text) for text in texts.values())
        assert len(texts["en"].split()) <= 40, key


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("chapter", FILES)
def test_no_mark_is_left_where_a_text_is_said_or_explained(chapter: str, lang: str) -> None:
    for key, texts in load(chapter).items():
        assert "[[" not in without_terms(texts[lang], lang), key
        if "{{" not in texts[lang]:
            assert "[[" not in Words(chapter, lang).explained(key), key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_term_says_what_it_means_and_what_it_is_called_in_the_other_language(lang: str) -> None:
    say, text = Words(TERMS, lang), Words("decoding", lang).explained("lanes.text")
    (shown, described), (id_, told) = (
        re.findall(pattern, text)[0]
        for pattern in (
            r'<dfn class="term" tabindex="0" aria-describedby="([\w-]+)">(.*?)</dfn>',
            r'<span class="term-told" role="tooltip" id="([\w-]+)">(.*?)</span>',
        )
    )
    assert (shown, described) == (id_, say("teacher_forcing.name"))
    names = load(TERMS)["teacher_forcing.name"]
    other = {"en": "zh", "zh": "en"}[lang]
    assert told == f'<b>{names[lang]}</b> <i lang="{other}">{names[other]}</i><br>{say("teacher_forcing.text")}'
    assert re.sub(r"<dfn[^>]*>|</dfn>|<span class=\"term-told\".*?</span>", "", text) == Words("decoding", lang)(
        "lanes.text"
    )


def test_no_two_terms_of_a_text_have_the_same_place() -> None:
    for key in ("see", "name_words"):
        ids = re.findall(r' id="([\w-]+)"', Words("ways" if key == "see" else "training", "en").explained(key))
        assert len(ids) == len(set(ids)) >= 2
