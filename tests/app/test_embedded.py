"""A section within another page: the HTML that is offered for it, and the page in that frame."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import AGES, ROOT, Open, in_turn
from ui.chapters.teachers.builder import section_title
from ui.frame.embed import HEIGHT
from ui.settings.chapters import CHAPTERS, MAP, TEACHERS, page
from ui.settings.lessons import LESSONS
from ui.text import LANGUAGES, Words

FIGURES = [
    ("attention", "stages", "attention.stages"),
    ("masks", "fill", "masks.fill"),
    ("training", "run", "training.probe"),
]


def within(chapter: str, **query: str) -> AppTest:
    """The page as Streamlit has it where the address says `embed=true`."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=AGES)
    app.context["is_embedded"] = True
    if chapter != MAP:
        app.switch_page(page(chapter))
    for name, value in ({"model": "trained"} | query).items():
        app.query_params[name] = value
    return app.run()


def frame(app: AppTest) -> tuple[str, dict[str, str], str]:
    """The chapter, what the link says, and the name, of the one frame that is offered on the page."""
    (html,) = (block.value for block in app.code if block.language == "html")
    found = re.fullmatch(r'<iframe src="([^"]+)"\s+title="([^"]+)"\s[^<>]*></iframe>', html)
    assert found
    assert f'width="100%" height="{HEIGHT}"' in html
    link = urlsplit(unescape(found[1]))
    return link.path.rpartition("/")[2], dict(parse_qsl(link.query)), unescape(found[2])


def menus(app: AppTest) -> list[str]:
    return [item.proto.body for item in app.get("html") if "<nav" in item.proto.body]


def ask_for_link(app: AppTest, figure: str) -> AppTest:
    (pills,) = [group for group in app.get("button_group") if group.key == f"{figure}.caption"]
    pills.set_value("link").run()
    assert not app.exception
    return app


@in_turn(("chapter", "section", "figure"), FIGURES)
def test_beside_the_link_of_a_figure_is_the_html_of_its_section_alone(
    open_link: Open, chapter: str, section: str, figure: str, lang: str
) -> None:
    app = ask_for_link(open_link(chapter, open=section, lang=lang), figure)
    assert Words("shell", lang)("embed.name") in [caption.value for caption in app.caption]
    to, said, name = frame(app)
    say = Words(chapter, lang)
    title = f"{section}.title"
    assert (to, said["embed"], said["only"], said["lang"]) == (chapter, "true", section, lang)
    assert name == (f"{say('title')}: {say(title)}" if title in say else say("title"))


def test_the_html_has_the_state_of_the_page_and_neither_lecture_nor_replies(open_link: Open) -> None:
    link = {"present": "1", "only": "fill", "fill_mask": "keys", "blank": "zeros", "lang": "en"}
    app = ask_for_link(open_link("masks", open="", **link), "masks.fill")
    _, said, _ = frame(app)
    assert said["fill_mask"] == "keys"
    assert said["only"] == "fill"
    assert {"present", "lesson", "stop", "blank"} & said.keys() == set()


def test_the_html_of_a_figure_at_a_stop_of_a_lesson_is_out_of_the_lesson(open_link: Open) -> None:
    stop = next(at for at, one in enumerate(LESSONS["masks"], 1) if one.settings["only"] == "fill")
    link = {"lesson": "masks", "stop": str(stop), "blank": "zeros", "lang": "en"}
    app = ask_for_link(open_link("masks", open="", model="", **link), "masks.fill")
    _, said, _ = frame(app)
    assert said["only"] == "fill"
    assert {"present", "lesson", "stop", "at_stop"} & said.keys() == set()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_builder_of_links_offers_the_html_of_the_link(open_link: Open, lang: str) -> None:
    built = {"link_chapter": "scaling", "link_section": "steps", "link_hide": "factor", "link_present": "1"}
    to, said, name = frame(open_link(TEACHERS, open="", lang=lang, **built))
    assert to == "scaling"
    assert said == {"model": "translate", "only": "steps", "hide": "factor", "embed": "true"}
    assert name == f"{Words('scaling', lang)('title')}: {section_title('scaling', 'steps', lang)}"


@in_turn(("chapter", "section", "figure"), FIGURES)
def test_in_its_frame_a_section_has_no_menu_and_one_link_out_of_it(
    open_link: Open, chapter: str, section: str, figure: str, lang: str
) -> None:
    assert menus(open_link(chapter, open="", only=section, lang=lang))
    app = within(chapter, only=section, lang=lang)
    assert not app.exception
    assert not menus(app)
    assert not app.sidebar.children
    assert Words(chapter, lang)("promise") not in [block.value for block in app.markdown]
    assert f"{figure}.caption" in [group.key for group in app.get("button_group")]
    assert not app.get("page_link")
    shell = Words("shell", lang)
    labels = {button.label for button in app.button}
    assert {shell("lecture.enter"), shell("print.chapter")} & labels == set()
    (out,) = (item.proto.body for item in app.get("html") if 'class="way-out"' in item.proto.body)
    assert shell("embed.out") in out
    (href,) = re.findall(r'href="([^"]+)" target="_blank"', out)
    there = urlsplit(unescape(href))
    assert (there.scheme, there.netloc, there.path, there.fragment) == ("", "", chapter, section)
    assert {"only", "embed"} & dict(parse_qsl(there.query)).keys() == set()


@pytest.mark.parametrize("chapter", [MAP, *CHAPTERS])
def test_a_whole_chapter_stands_in_a_frame_too(open_link: Open, chapter: str) -> None:
    app = within(chapter, lang="en")
    assert not app.exception
    assert app.title
    assert not menus(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_a_menu_it_is_said_all_the_same_what_is_missing(open_link: Open, lang: str) -> None:
    shell = Words("shell", lang)
    app = within("attention", only="head", model="own", lang=lang)
    assert [one.value for one in app.warning] == [shell("model_missing.not_here")]
    app = within("heads", only="wall", compare="run", other="d_model:7", lang=lang)
    assert not app.exception
    assert len(app.warning) == 1
