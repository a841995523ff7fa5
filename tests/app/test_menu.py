"""The menu shows the path through the chapters: what this session has seen, and what is next."""

import re
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open
from tests.kinds import kind_of
from ui.settings.chapters import BECAME, CHAPTERS, MAP, PARTS, TEACHERS, page
from ui.text import LANGUAGES, Words


def marks(app: AppTest) -> dict[str, str]:
    """The mark of each step of the path."""
    (menu,) = [item.proto.body for item in app.sidebar.get("html") if '<nav class="menu"' in item.proto.body]
    steps = re.findall(r'<a href="(\./|\w+)[^>]* class="step"([^>]*)>', menu)
    found = {MAP if to == "./" else to: re.findall(r'data-mark="(\w+)"', said) for to, said in steps}
    return {chapter: mark[0] if mark else "" for chapter, mark in found.items()}


def going(app: AppTest, chapter: str) -> AppTest:
    return app.switch_page(page(chapter)).run()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_path_is_every_chapter_in_its_order_and_the_next_one_has_its_name(open_link: Open, lang: str) -> None:
    app = open_link(MAP, lang=lang)
    assert list(marks(app)) == [MAP, *CHAPTERS]
    assert {chapter: mark for chapter, mark in marks(app).items() if mark} == {MAP: "seen", CHAPTERS[0]: "next"}
    (menu,) = [item.proto.body for item in app.sidebar.get("html") if '<nav class="menu"' in item.proto.body]
    shell = Words("shell", lang)
    for mark in ("seen", "next"):
        assert f'<span hidden id="menu-{mark}">{shell(f"page.{mark}")}</span>' in menu
        assert f'aria-describedby="menu-{mark}"' in menu
    title = Words(CHAPTERS[0], lang)("title")
    assert f'{title}<small aria-hidden="true">{shell("page.next")}</small></a>' in menu


def test_what_was_seen_stays_marked_and_next_is_the_first_after_here_that_was_not(open_link: Open) -> None:
    app = open_link(CHAPTERS[2], lang="en")
    assert marks(app)[CHAPTERS[3]] == "next"
    app = going(app, CHAPTERS[1])
    seen = {chapter: mark for chapter, mark in marks(app).items() if mark}
    assert seen == {CHAPTERS[1]: "seen", CHAPTERS[2]: "seen", CHAPTERS[3]: "next"}
    assert marks(going(app, CHAPTERS[-1]))[MAP] == "next"


def test_the_page_for_teachers_is_no_step_of_the_path(open_link: Open) -> None:
    found = marks(open_link(TEACHERS, lang="en"))
    assert TEACHERS not in found
    assert [chapter for chapter, mark in found.items() if mark] == [MAP]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_end_of_each_old_chapter_leads_to_what_became_of_it(open_link: Open, lang: str) -> None:
    old = [chapter for part in ("input", "attention", "model", "training") for chapter in PARTS[part]]
    assert [*BECAME] == old
    for chapter, (later, settings) in BECAME.items():
        assert later in PARTS["later"]
        kind = kind_of(later)
        read = kind.from_query(settings)
        for name, said in settings.items():
            assert kind.kinds()[name].format(getattr(read, name)) == said
        app = open_link(chapter, open="", lang=lang)
        links = {link.proto.label: link.proto.query_string for link in app.get("page_link")}
        assert settings.items() <= dict(parse_qsl(links[Words("shell", lang)(f"became.{chapter}")])).items()
