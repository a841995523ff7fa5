"""The search finds what is meant, in both languages, whatever is typed."""

import gzip
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.javascript import Ask, asking
from ui.chapters import contents
from ui.frame.search import KINDS, SAID, entries, found, sections, synonyms
from ui.settings.chapters import BESIDE, CHAPTERS, MAP, QUESTIONS
from ui.settings.questions import ASKED
from ui.text import LANGUAGES, TERMS, Words, load

MOST = 12
QUESTION = {one.name: one for one in ASKED}

# What is typed -> what is found first: a question by its name, a term, a chapter, or a section of one
FIRST = {
    "en": {
        "why not one big head": "question one_head",
        "multiple heads": "question one_head",
        "is attention an explanation": "question explanation",
        "explanation": "question explanation",
        "future in training": "question future",
        "causal mask": "question future",
        "why divide by sqrt(d_k)": "question root_d_k",
        "√d_k": "section scaling.size",
        "√d_model": "question root_d_model",
        "hallucination": "question nonsense",
        "kv cache": "question cache",
        "skip connection": "question residual",
        "BatchNorm": "question layer_norm",
        "LSTM": "question recurrent",
        "exposure bias": "question exposure_bias",
        "query key value": "question qkv",
        "backpropagation": "question error",
        "token": "term token",
        "softmax": "term softmax",
        "SOFTMAX": "term softmax",
        "Sóftmax": "term softmax",
        "sofmtax": "term softmax",
        "teacher forcing": "term teacher_forcing",
        "label smoothing": "term label_smoothing",
        "smoothng": "question smoothing",
        "logits": "term logits",
        "教师强制": "term teacher_forcing",
        "positions": "chapter positions",
        "masks": "chapter masks",
        "for teachers": "chapter teachers",
        "noam rate": "question warm_up",
        "residual stream": "section layers.stream",
        "mend the code": "section practice.mend",
        "greedy's mistake": "section ways.mistake",
        "FlashAttention": "section answer_cost.flash",
        "SwiGLU": "section further.parts",
    },
    "zh": {
        "为什么不用一个大头": "question one_head",
        "多头": "question one_head",
        "注意力是解释吗": "question explanation",
        "为什么除以 √d_k": "question root_d_k",
        "解码器为什么看不到后面": "question future",
        "幻觉": "question nonsense",
        "缓存": "question cache",
        "梯度消失": "question saturated",
        "预热": "term warm_up",
        "词元": "term token",
        "softmax": "term softmax",
        "标签平滑": "term label_smoothing",
        "teacher forcing": "term teacher_forcing",
        "残差连接": "term residual",
        "掩码": "term mask",
        "ｋｖ　缓存": "question cache",
    },
}
SEARCHED = tomllib.loads(Path(__file__).with_name("searched.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with asking() as answers:
        yield answers


def called(entry: dict[str, str], lang: str) -> str:
    """An entry by what it leads to."""
    kind, name = entry["kind"], entry["title"]
    if kind == "question":
        return f"{kind} {next(one.name for one in ASKED if one.asked(lang) == name)}"
    if kind == "term":
        return f"{kind} {entry['also'].split()[-1]}"
    if kind == "chapter":
        return f"{kind} {entry['chapter']}"
    return f"{kind} {entry['chapter']}.{entry['section'].replace('-', '_')}"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_meant_is_found_first(ask: Ask, lang: str) -> None:
    answers = ask("finds", found(lang), list(FIRST[lang]))
    firsts = {typed: called(one[0], lang) if one else "" for typed, one in zip(FIRST[lang], answers)}
    assert firsts == FIRST[lang]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_people_ask_is_answered_among_the_first_three(ask: Ask, lang: str) -> None:
    answers = ask("finds", found(lang), list(SEARCHED[lang]))
    names = {typed: [called(one, lang) for one in results[:3]] for typed, results in zip(SEARCHED[lang], answers)}
    assert {typed: names[typed] for typed, meant in SEARCHED[lang].items() if meant not in names[typed]} == {}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_synonym_means_something_that_is_there(ask: Ask, lang: str) -> None:
    groups = synonyms(lang)
    names = [(name, group[0]) for group in groups for name in group]
    answers = ask("finds", found(lang), [name for name, _ in names])
    assert [name for name, results in zip(names, answers) if not results] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_section_is_found_by_what_it_says_and_shows_the_sentence(ask: Ask, lang: str) -> None:
    ((first, *_),) = ask("finds", found(lang), ["Toeplitz"])
    assert called(first, lang) == "section positions.products"
    assert "Toeplitz" in first["text"]
    assert first["text"].startswith(Words("positions", lang)("title"))


def test_a_story_is_found_by_its_captions(ask: Ask) -> None:
    ((first, *_),) = ask("finds", found("en"), ["wider gaps information hops convolution"])
    assert called(first, "en") == "chapter why_attention"
    assert "convolution" in first["text"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_question_term_and_chapter_is_found_by_its_own_words(ask: Ask, lang: str) -> None:
    looked = [one for one in entries(lang) if one["kind"] != "section"]
    answers = ask("finds", found(lang), [one["title"] for one in looked])
    assert [one["title"] for one, first in zip(looked, answers) if first[0]["title"] != one["title"]] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_nothing_is_found_where_nothing_is_meant(ask: Ask, lang: str) -> None:
    assert ask("finds", found(lang), SEARCHED["nonsense"]) == [[]] * len(SEARCHED["nonsense"])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_whatever_is_typed_there_are_few_results_and_no_markup(ask: Ask, lang: str) -> None:
    typed = ["a" * 10_000, "softmax " * 2_000, "为什么" * 4_000, "<img src=x onerror=alert(1)>", "the", "的", "e"]
    typed += [
        "$&*[[mask]]{{n}}",
        "掩码mask маска قناع マスク",
        "_" * 300,
        "a_" * 5_000,
        "\u202esoftmax\x00",
        "__proto__",
        "constructor",
    ]
    assert all(len(results) <= MOST for results in ask("finds", found(lang), typed))
    for entry in entries(lang):
        for text in (entry["title"], entry["text"], *entry.get("says", ())):
            assert not re.search(r"<[/\w]|\{\{|\[\[|\*\*|\$", text), text


def test_a_letter_more_less_other_or_two_changed_round_is_one_slip(ask: Ask) -> None:
    entry = {"kind": "term", "title": "decoder", "text": ""}
    typed = ["decoders", "decder", "dexoder", "deocder", "dceoedr", "decodersss"]
    assert [bool(found) for found in ask("finds", {"entries": [entry], "synonyms": []}, typed)] == [
        True,
        True,
        True,
        True,
        False,
        False,
    ]


def test_the_sections_are_those_of_the_chapters() -> None:
    """They are read from the texts."""
    for chapter in (MAP, *CHAPTERS):
        named = {one.name for one in contents(chapter).every if not one.words}
        titled = {name for name in named if f"{name}.title" in load(chapter)}
        assert set(sections(chapter)) == titled, chapter


@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_that_there_is_can_be_found(lang: str) -> None:
    kinds = {kind: [one for one in entries(lang) if one["kind"] == kind] for kind in KINDS}
    assert len(kinds["question"]) == len(ASKED) >= 40
    assert [one["chapter"] for one in kinds["chapter"]] == [MAP, *CHAPTERS, *BESIDE]
    assert {one["also"].split()[-1] for one in kinds["term"]} == {key.rpartition(".")[0] for key in load(TERMS)}
    assert all(one["text"] for one in entries(lang))
    assert all(one["chapter"] in {MAP, *CHAPTERS, QUESTIONS} for one in kinds["term"])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_stays_small(lang: str) -> None:
    """A browser fetches it once, when the page stands, and keeps it."""
    whole = json.dumps(found(lang), ensure_ascii=False, separators=(",", ":")).encode()
    assert len(whole) < 140_000
    assert len(gzip.compress(whole)) < 48_000


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_search_has_words_for_all_that_it_says(lang: str) -> None:
    assert all(Words("shell", lang)(f"search.{name}") for name in SAID)
