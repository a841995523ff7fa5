"""Lecture mode: one section at a time, the next and the last one by a press; five lessons that lead to real ones."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import ui.section
from tests.app.answers import right
from tests.app.boards import boards
from tests.app.conftest import Open
from tests.kinds import kind_of
from transformer_core.tasks.task import is_held_out
from ui.chapters.attention.settings import PARTS, STAGES
from ui.chapters.layers.settings import FORMULAS
from ui.chapters.teachers.lessons import LESSONS, WORDS
from ui.settings.chapters import TEACHERS
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words

FIGURES = ["attention.stages", "attention.projection", "attention.dropout"]


def press(app: AppTest, key: str) -> AppTest:
    return app.button(key=key).click().run()


def test_a_section_stands_alone(open_link: Open) -> None:
    app = open_link("attention", open="", only="projection")
    assert boards(app) == ["attention.projection"]
    assert not [button for button in app.button if button.key == "lecture.on"]
    assert boards(open_link("attention", open="", only="nonsense")) == ["attention.stages"]


def test_the_arrows_lead_from_section_to_section_and_the_link_follows(open_link: Open) -> None:
    app = open_link("attention", open="", present="1", stage="all", part="v", **right("attention", "kept"))
    assert boards(app) == FIGURES[:1]
    app = press(app, "lecture.on")
    assert boards(app) == FIGURES[1:2]
    assert app.query_params["only"] == "projection"
    app = press(press(app, "lecture.on"), "lecture.back")
    assert boards(app) == FIGURES[1:2]
    app = press(app, "lecture.leave")
    # What was set in a section, or a reply, holds it open; on the page q, k and v are made before they are used.
    assert boards(app) == [FIGURES[1], FIGURES[0], FIGURES[2]]
    assert {"only", "present"} & set(app.query_params) == set()


@pytest.mark.parametrize(
    ("chapter", "section", "setting", "stages"),
    [
        ("attention", "stages", "stage", STAGES),
        ("attention", "projection", "part", PARTS),
        ("layers", "norm", "formula", FORMULAS),
        ("masks", "reading", "read_as", ("code", "colors", "picture")),
        ("masks", "axis", "unsqueeze", ("0", "1")),
        ("tokens", "four", "pairs", ("1", "2", "3", "4")),
    ],
)
def test_the_arrows_lead_through_the_stages_of_a_figure_first(
    open_link: Open, chapter: str, section: str, setting: str, stages: tuple[str, ...]
) -> None:
    app = open_link(chapter, open="", present="1", only=section, src="1 4 2", **{setting: stages[-2]})
    for stage in (*stages[-1:], *stages[-2:-1]):
        app = press(app, "lecture.on" if stage == stages[-1] else "lecture.back")
        assert app.button_group(key=f"{chapter}:{setting}").value == stage
        assert app.query_params["only"] == section
    app = press(press(app, "lecture.on"), "lecture.on")
    assert app.query_params.get("only") != section


def test_after_the_last_section_comes_the_next_chapter_and_after_the_last_chapter_nothing(open_link: Open) -> None:
    app = open_link("tokens", open="", lang="en", present="1", only="zero")
    app = press(app, "lecture.on")
    assert not app.exception
    assert app.title[0].value == Words("positions", "en")("title")
    assert app.query_params == {"lang": "en", "present": "1"}
    assert boards(app) == ["positions.code"]
    assert open_link("loss", open="", present="1").button(key="lecture.back").disabled
    assert open_link("why_attention", open="", present="1", only="rivals").button(key="lecture.on").disabled


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_for_teachers_links_to_every_stop_of_its_lessons(open_link: Open, lang: str) -> None:
    app = open_link(TEACHERS, open="", lang=lang)
    assert app.title[0].value == Words(TEACHERS, lang)("title")
    written = "\n".join(block.value for block in app.markdown)
    assert written.count("present=1&") + written.count("present=1)") == sum(map(len, LESSONS.values()))


@pytest.mark.parametrize(
    ("chapter", "settings"), [stop for stops in LESSONS.values() for stop in stops], ids=lambda part: str(part)[:40]
)
def test_a_lesson_leads_to_a_section_that_there_is(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str, settings: dict[str, Any]
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(ui.section, "lecture_bar", lambda *shown, **_: seen.append(shown))
    query = {name: str(value) for name, value in settings.items()}
    app = open_link(chapter, open="", present="1", **query)
    assert not app.exception
    ((_, names, here, _),) = seen
    assert here == settings.get("only", names[0])
    kinds = {**Frame.kinds(), **kind_of(chapter).kinds()}
    for name, value in query.items():
        assert kinds[name].allows(kinds[name].parse(value))
        assert app.query_params.get(name, value) == value  # what is the default is left out


def test_lessons_in_words_read_a_sentence_that_the_translator_was_not_trained_on() -> None:
    assert is_held_out(WORDS["src"])
    for lesson in ("attention", "masks", "order"):
        assert any(WORDS.items() <= settings.items() for _, settings in LESSONS[lesson])
