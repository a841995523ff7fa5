"""A browser is sent each story once: the scene that is told, the others when it asks for them, then nothing."""

from ui.components.story import HELD, Scenes, _Browser
from ui.script import ASSETS


def story(name: str, poster: int = 0) -> Scenes:
    return Scenes(name, 3, lambda whole: f"{name}: {'all' if len(whole) == 3 else whole}", poster)


def test_a_story_is_sent_once() -> None:
    browser = _Browser()
    assert [browser.news(story("one"), 1) for _ in range(2)] == ["one: {1}"] * 2, "until it is heard of"
    browser.lack("one")
    assert browser.news(story("one"), 1) == "one: all"
    assert [browser.news(story("one"), at) for at in (1, 2, 0)] == ["", "", ""]
    assert browser.news(story("two"), 2) == "two: {2}"


def test_with_the_first_scene_comes_the_poster_that_is_seen_before_it() -> None:
    browser = _Browser()
    assert browser.news(story("one", poster=2), 0) == "one: {0, 2}"
    assert browser.news(story("one", poster=2), 1) == "one: {1}"


def test_who_has_lost_it_has_it_again() -> None:
    browser = _Browser()
    for _ in range(2):
        browser.lack("one")
        assert browser.news(story("one"), 0) == "one: all"
        assert browser.news(story("one"), 0) == ""


def test_what_is_asked_for_and_is_not_told_any_more_is_not_sent() -> None:
    browser = _Browser()
    browser.lack("before")
    assert browser.news(story("now"), 0) == "now: {0}"
    for nonsense in (None, 3, ["now"], {"now": 1}):
        browser.lack(nonsense)
        assert browser.news(story("now"), 0) == "now: {0}"


def test_as_many_are_sent_as_a_browser_keeps() -> None:
    browser = _Browser()
    for number in range(HELD + 1):
        browser.lack(str(number))
        browser.news(story(str(number)), 0)
    assert [browser.news(story(str(number)), 0) for number in range(HELD + 1)] == ["0: {0}", *[""] * HELD]
    assert f"const HELD = {HELD};" in (ASSETS / "story" / "held.js").read_text(encoding="utf-8")
