"""What a story lends, a reader has until the chapter is left: then the reader's own is there again."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.app.conftest import Open, come_back, menu_link
from tests.app.telling import scenes_of, with_a_button
from ui.frame.search import entries
from ui.settings.chapters import BESIDE, CHAPTERS, MAP, QUESTIONS, STORIES
from ui.settings.lessons import LESSONS
from ui.settings.questions import ASKED
from ui.text import LANGUAGES, Words

OWN = "two white cats sleep"
LEFT_BEHIND = {"only", "present", "hide", "lesson", "stop"}
SCENES = [(chapter, at) for chapter in STORIES for at in range(1, len(scenes_of(chapter)) + 1)]


@pytest.mark.parametrize(("chapter", "scene"), SCENES)
def test_a_scene_that_is_taken_over_leaves_nothing_behind(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str, scene: int
) -> None:
    with_a_button(monkeypatch)
    app = open_link(chapter, open="", model="translate", lang="en", src=OWN, scene=str(scene))
    before = menu_link(app, QUESTIONS)
    app.button(key="take over").click().run()
    assert not app.exception
    assert not {"scene", *LEFT_BEHIND} & set(app.query_params)
    assert app.query_params["explored"] == str(scene), "what the scene shows stays on its stage"
    assert menu_link(app, QUESTIONS) == before, "a link to another page says what the reader has set"
    come_back(app, QUESTIONS)
    assert (app.query_params["src"], "tgt" in app.query_params) == (OWN, False)
    come_back(app, chapter)
    assert not app.exception
    assert app.query_params["src"] == OWN
    assert app.button(key="story.open"), "all that the chapter has is there again"
    assert not LEFT_BEHIND & set(app.query_params)


def test_the_readers_own_sentence_comes_back_at_a_press(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with_a_button(monkeypatch)
    app = open_link("tokens", open="", model="translate", lang="en", src=OWN, scene="5")
    app.button(key="take over").click().run()
    lent = app.query_params["src"]
    assert lent != OWN
    assert OWN in app.button(key="src.own").label
    app.button(key="src.own").click().run()
    assert app.query_params["src"] == OWN
    assert "src.own" not in {button.key for button in app.button}


def test_the_readers_own_sentence_outlives_a_reload(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with_a_button(monkeypatch)
    app = open_link("tokens", open="", model="translate", lang="en", src=OWN, scene="5")
    app.button(key="take over").click().run()
    link = dict(app.query_params)
    again = open_link("tokens", **{"open": "", **link})
    assert again.query_params == link
    assert OWN in again.button(key="src.own").label
    assert menu_link(again, QUESTIONS)["src"] == OWN
    come_back(again, QUESTIONS)
    assert (again.query_params["src"], "own" in again.query_params) == (OWN, False)
    again = open_link("tokens", **{"open": "", **link})
    again.text_input(key="frame:src").input("a dog sleeps").run()
    assert "own" not in again.query_params


def test_what_is_typed_after_a_story_is_the_readers_own(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with_a_button(monkeypatch)
    app = open_link("tokens", open="", model="translate", lang="en", src=OWN, scene="5")
    app.button(key="take over").click().run()
    app.text_input(key="frame:src").input("a dog sleeps").run()
    come_back(app, QUESTIONS)
    assert app.query_params["src"] == "a dog sleeps"


def test_settings_come_back_too_and_a_story_is_told_of_the_readers_own(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_button(monkeypatch)
    app = open_link("scaling", open="", model="translate", scores="1 2 3", d_k="16", scene="4")
    app.button(key="take over").click().run()
    assert app.query_params["scores"] != "1 2 3"
    come_back(app, QUESTIONS)
    link = menu_link(app, "scaling")
    assert (link["scores"], link["d_k"]) == ("1 2 3", "16")

    app = open_link("positions", open="", model="translate", lang="en", src=OWN, scene="1")
    app.button(key="take over").click().run()
    assert app.query_params["src"] != OWN
    app.button(key="play again").click().run()
    assert app.query_params["src"] == OWN
    assert "explored" not in app.query_params


def test_another_model_reads_what_was_typed_for_it_and_not_what_a_story_has_lent(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_button(monkeypatch)
    app = open_link("tokens", open="", model="translate", lang="en", src=OWN, scene="5")
    app.button(key="take over").click().run()
    for model in ("trained", "translate"):
        app.selectbox(key="frame:model").select(model).run()
    assert app.query_params["src"] == OWN


@pytest.mark.parametrize("lesson", LESSONS)
def test_after_a_lesson_the_readers_own_is_there_again(open_link: Open, lesson: str) -> None:
    app = open_link("tokens", open="", model="translate", lang="en", src=OWN)
    for number, stop in enumerate(LESSONS[lesson], 1):
        app.switch_page(f"pages/{stop.chapter}.py")
        app.query_params.clear()
        for name, value in {"lang": "en", "lesson": lesson, "stop": str(number)}.items():
            app.query_params[name] = value
        app.run()
        assert app.query_params["lesson"] == lesson
    app.button(key="lecture.leave").click().run()
    assert not LEFT_BEHIND & set(app.query_params)
    come_back(app, QUESTIONS)
    assert not LEFT_BEHIND & set(app.query_params)
    assert (app.query_params["model"], app.query_params["src"]) == ("translate", OWN)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_asked_or_found_leads_to_whole_pages(lang: str) -> None:
    links = [one.link(lang) for one in ASKED] + [found["link"] for found in entries(lang) if "link" in found]
    assert links
    for link in links:
        assert not LEFT_BEHIND & set(dict(parse_qsl(urlsplit(link).query))), link


def test_every_link_of_the_menu_by_which_the_search_leads_is_to_a_whole_chapter(open_link: Open) -> None:
    app = open_link("backward", open="", model="translate", only="weight", hide="src", notes="1")
    for chapter in (MAP, *CHAPTERS, *BESIDE):
        assert not {"only", "present", "lesson"} & set(menu_link(app, chapter))
        assert chapter == "backward" or "hide" not in menu_link(app, chapter)


@pytest.mark.parametrize("way", ["only", "hide"])
def test_a_part_that_stands_alone_does_so_in_its_own_chapter(open_link: Open, way: str) -> None:
    said = {"only": "weight"} if way == "only" else {"hide": "src,word"}
    app = open_link("backward", open="", model="translate", src=OWN, **said)
    assert way in app.query_params
    assert "only" not in menu_link(app, "backward"), "which leads to the whole chapter"
    come_back(app, QUESTIONS)
    assert way not in app.query_params
    come_back(app, "backward")
    assert way not in app.query_params
    assert app.button(key="story.open")


def test_what_a_scene_opens_stands_below_its_stage(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with_a_button(monkeypatch)
    for chapter, scene, opened in (("loss", "6", "rate"), ("layers", "6", "stream"), ("decoding", "1", "")):
        app = open_link(chapter, open="", model="translate", lang="en", scene=scene)
        app.button(key="take over").click().run()
        assert app.query_params.get("follows", "") == opened
        names = [box.label for box in app.expander]
        assert not opened or names[0] == Words(chapter, "en")(f"{opened}.title"), "first of all that is below the stage"
