"""The questions of learners: each link opens what it names, and each number of an answer stands where it leads."""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import elements, written
from tests.app.conftest import Open
from tests.app.test_section import FOLDING
from tests.golden.shown import shown
from ui.chapters import contents
from ui.chapters.questions import CONTENTS
from ui.frame.menu import anchor, title
from ui.settings.chapters import CHAPTERS, MAP, PARTS, QUESTIONS
from ui.settings.questions import ASKED, Question, QuotedNumber
from ui.text import LANGUAGES, Words, blanks, load

CELL = re.compile(r"(\w+\.\w+)/(.+)\[([^\[\]]+)\]")
NUMBER = r"(−?[\d.,]*\d%?)"
MARKS = str.maketrans("", "", "*`")
EVERY = [pytest.param(one, id=one.name) for one in ASKED]
WORDS, CHARACTERS = 75, 150  # of the longest answer


def follow(open_link: Open, question: Question, lang: str) -> AppTest:
    """The page that the question's link opens."""
    return open_link(question.chapter, **{"open": "", **dict(parse_qsl(urlsplit(question.link(lang)).query))})


def value(printed: str) -> float:
    """A printed number; a percentage is a share."""
    number = float(printed.rstrip("%").replace(",", "").replace("−", "-"))
    return number / 100 if printed.endswith("%") else number


def half(printed: str) -> float:
    """Half of its last digit, and a little for another processor's rounding."""
    decimals = len(printed.rstrip("%").partition(".")[2])
    unit = 10.0**-decimals / (100 if printed.endswith("%") else 1)
    if "." not in printed and len(digits := printed.rstrip("%0").replace(",", "")) < 5 and value(printed) >= 1000:
        unit = 10.0 ** (len(printed.replace(",", "")) - len(digits))  # 11700 has three digits that count
    return 0.52 * unit


def source(app: AppTest, chapter: str, number: QuotedNumber) -> float:
    """What the page shows where the number is from."""
    if cell := CELL.fullmatch(number.source):
        figure, part, at = cell.groups()
        values = shown(app)[figure][part]
        if at in ("rows", "columns"):
            return float(values.shape[at == "columns"])
        return float(values[tuple(int(place) for place in at.split(","))])
    key, _, blank = number.source.partition(": ")
    text = load(chapter)[key]["en"]
    assert blank in blanks(text), number
    page = " ".join(written(app).translate(MARKS).split())
    found = re.search(pattern(text, blank), page)
    assert found, (number, page)
    return value(found[1])


def pattern(text: str, blank: str) -> str:
    """A text of a chapter as it may stand on the page, the value of this blank in the group."""
    pieces = re.split(r"\{\{(\w+)\}\}", " ".join(plain(text).split()))
    said = (re.escape(piece) if at % 2 == 0 else NUMBER if piece == blank else ".+?" for at, piece in enumerate(pieces))
    return "".join(said)


def plain(text: str) -> str:
    return re.sub(
        r"\[\[(\w+)(?:\|([^\]]+))?\]\]", lambda term: term[2] or Words("terms", "en")(f"{term[1]}.name"), text
    ).translate(MARKS)


@pytest.mark.parametrize("question", EVERY)
def test_each_number_stands_where_the_link_leads(open_link: Open, question: Question) -> None:
    app = follow(open_link, question, "en")
    assert not app.exception
    assert [warning.value for warning in app.warning] == []
    assert {name: app.query_params.get(name) for name in question.settings if name != "model"} == {
        name: said for name, said in question.settings.items() if name != "model"
    }  # nothing is misspelt, out of range, or the default said once more; a bare model the page may leave out
    for name, number in question.numbers.items():
        there = source(app, question.chapter, number)
        assert np.isfinite(there)
        assert abs(there - value(number.printed)) <= half(number.printed), (name, number, there)


@pytest.mark.parametrize("question", EVERY)
def test_each_link_opens_its_section_in_chinese_too_without_a_warning(open_link: Open, question: Question) -> None:
    app = follow(open_link, question, "zh")
    assert not app.exception
    assert [warning.value for warning in app.warning] == []
    if question.title:
        assert Words(question.chapter, "zh")(question.title) in [heading.value for heading in app.header]
    assert app.title[0].value == title(question.chapter, "zh")


def test_a_question_is_about_a_section_and_has_settings_for_it() -> None:
    for one in ASKED:
        (section,) = (part for part in contents(one.chapter).every if part.name == one.section)
        assert ("open" in one.settings) == (section.look == "folded"), one.name
        assert one.settings.get("open", one.section) == one.section
        assert "model" in one.settings
        assert one.chapter in FOLDING or "open" not in one.settings


def test_forty_questions_are_asked_about_all_chapters() -> None:
    assert len(ASKED) >= 40
    assert {one.chapter for one in ASKED} == {MAP, *CHAPTERS}
    order = [(MAP, *CHAPTERS).index(one.chapter) for one in ASKED if one.numbers]
    assert len(order) >= 40


@pytest.mark.parametrize("question", EVERY)
def test_an_answer_is_three_sentences_with_every_number(question: Question) -> None:
    """Four where it leads from what the paper has to what became of that."""
    texts, sentences = load(QUESTIONS), 4 if question.part == "later" else 3
    for lang in LANGUAGES:
        answer = texts[f"{question.name}.answer"][lang]
        assert blanks(answer) == set(question.numbers), lang
        assert len(re.findall(r"[.?!](?=\s|$)|[。？！]", answer)) == sentences, lang
        asked = question.asked(lang)
        assert asked.endswith(("?", "？"))
    assert len(question.answer("en").split()) <= WORDS
    assert len(question.answer("zh")) <= CHARACTERS


def entries(app: AppTest) -> Iterator[tuple[str, str, str, str]]:
    """Of each question on the page: its anchor, what is asked and answered, and the link."""
    for element in elements(app.main):
        if element.type == "html":
            yield from re.findall(
                r'<article class="question" id="([\w-]+)"><h3><a href="#\1">(.+?)</a></h3>'
                r'<p>(.+?)</p><p><a href="([^"]+)" target="_blank" rel="noopener">.+? ↗</a></p></article>',
                element.proto.body,
            )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_page_has_them_all_by_part_of_the_menu_each_with_an_anchor(open_link: Open, lang: str) -> None:
    app = open_link(QUESTIONS, open="", lang=lang)
    assert not app.exception
    assert app.title[0].value == Words(QUESTIONS, lang)("title")
    assert [heading.value for heading in app.header] == [Words(QUESTIONS, lang)(f"{part}.title") for part in PARTS]
    found = [tuple(unescape(part) for part in entry) for entry in entries(app)]
    by_part = [one for part in PARTS for one in ASKED if one.part == part]
    assert found == [(anchor(one.name), one.asked(lang), one.answer(lang), one.link(lang)) for one in by_part]
    anchors = [entry[0] for entry in found] + [one.name for one in CONTENTS.every] + [QUESTIONS]
    assert len(set(anchors)) == len(anchors)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_menu_has_the_page_and_a_button_for_the_search(open_link: Open, lang: str) -> None:
    app = open_link("loss", lang=lang)
    (menu,) = [item.proto.body for item in app.sidebar.get("html") if '<nav class="menu"' in item.proto.body]
    assert f"</span>{Words(QUESTIONS, lang)('title')}</a>" in menu
    assert f'</span>{Words("shell", lang)("search.name")}<kbd aria-hidden="true">/</kbd></button>' in menu
    for chapter in (MAP, *CHAPTERS, QUESTIONS):
        assert menu.count(f' data-chapter="{chapter}">') == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_pressed_to_train_has_the_name_that_the_answer_gives(lang: str) -> None:
    (one,) = (question for question in ASKED if question.name == "own_model")
    assert re.search(rf"[“‘]{re.escape(Words('training', lang)('start'))}[”’]", one.answer(lang))
