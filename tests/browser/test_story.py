"""A story in the browser: it plays, its buttons, keys and link, without motion, on paper, on a phone."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.access import faults
from tests.browser.driver import AGES, settle
from ui.text import Words

Open = Callable[..., Page]

ENDED = """(scene) => {
  const dataset = document.querySelector(".story")?.dataset;
  return dataset?.scene === String(scene) && dataset.moving === "false";
}"""
PLAYED = """() => {
  const { scene, moment } = document.querySelector(".story").dataset;
  return scene === "0" && document.querySelector(".story-place").value === moment && moment > 0;
}"""


# Time goes so many times as fast on the page; but its films can be fetched for as long as ever
HASTE = """(times) => {
  const [frame, timer, now] = [requestAnimationFrame, setTimeout, performance.now.bind(performance)];
  window.requestAnimationFrame = (act) => frame(() => act(times * now()));
  window.setTimeout = (act, wait = 0, ...given) => timer(act, wait < 10_000 ? wait / times : wait, ...given);
  performance.now = () => times * now();
}"""


def story(page: Page) -> Page:
    """As it stands once it has begun."""
    expect(page.locator(".story-stage")).to_be_visible()
    return page


def at(page: Page, scene: int) -> None:
    page.wait_for_function(ENDED, arg=scene)
    settle(page)


def test_play_and_next_lead_on_from_the_poster_and_each_scene_is_in_the_link(open_page: Open) -> None:
    page = story(open_page("/attention", lang="en"))
    assert "scene=1" in page.url
    expect(page.locator(".story-count")).to_have_text("1 / 6")
    page.locator(".story-play").click()
    page.wait_for_function(PLAYED)
    page.locator(".story-play").click()
    page.locator(".story-on").click()
    at(page, 1)
    assert "scene=2" in page.url
    said = page.locator(".story-sentences [data-told]")
    expect(said).to_have_count(1)
    expect(said.locator("em").first).to_have_text("red")
    expect(page.locator("[class*=st-key-predict-attention-story_share]")).to_be_visible()
    page.go_back()
    at(page, 0)
    assert "scene=1" in page.url


def test_keys_lead_and_a_link_begins_at_its_scene(open_page: Open) -> None:
    page = story(open_page("/attention?scene=3&model=translate", lang="zh"))
    at(page, 2)
    page.locator(".story-stage").focus()
    page.keyboard.press("ArrowRight")
    at(page, 3)
    page.keyboard.press("ArrowLeft")
    at(page, 2)
    page.keyboard.press("Space")
    expect(page.locator(".story")).to_have_attribute("data-state", "playing")
    page.keyboard.press("Space")
    expect(page.locator(".story")).to_have_attribute("data-state", "paused")


def test_to_take_over_shows_the_controls_at_what_the_story_showed(open_page: Open) -> None:
    page = story(open_page("/attention?scene=3&model=translate", lang="en"))
    at(page, 2)
    page.locator(".story-take").click()
    expect(page.locator(".story[data-stays]")).to_be_visible()
    settle(page)
    assert {"stage=weights", "kind=encoder"} <= set(page.url.partition("?")[2].split("&"))
    assert "scene=" not in page.url
    chosen = page.locator("canvas.matrix-base").first.get_attribute("data-chosen")
    assert chosen
    assert chosen.startswith("weights ")
    page.get_by_role("button", name=Words("shell", "en")("story.open", count=6)).click()
    at(page, 0)


@pytest.mark.parametrize("width", [1280, 390])
def test_who_takes_over_in_the_middle_of_a_scene_is_at_the_stop_of_that_beat(open_page: Open, width: int) -> None:
    page = story(open_page("/walkthrough?scene=2&model=translate", lang="en", width=width))
    at(page, 1)
    for beat, place in ((3, "place=12"), (1, "place=8")):  # the values, the queries
        page.locator(".story-place").fill(str(3 + beat))  # after those of the first scene
        page.locator(".story-take").click()
        expect(page.locator(".story[data-stays]")).to_be_visible()
        settle(page)
        assert place in page.url.partition("?")[2].split("&")
        page = story(open_page("/walkthrough?scene=2&model=translate", lang="en", width=width))
        at(page, 1)


def test_without_motion_each_scene_is_its_end(open_page: Open, tab: tuple[Page, list[str]]) -> None:
    page = tab[0]
    page.emulate_media(reduced_motion="reduce")
    try:
        open_page("/attention?scene=2&model=translate", lang="en")
        last = "() => document.querySelector('.story-place').value"
        at(page, 1)
        end = page.evaluate(last)
        page.locator(".story-on").click()
        at(page, 2)
        assert page.evaluate(last) > end
        page.locator(".story-back").click()
        at(page, 1)
        assert page.evaluate(last) == end, "back leads to the end of the scene before, and nothing plays"
    finally:
        page.emulate_media(reduced_motion="no-preference")


@pytest.mark.parametrize(("lang", "dark"), [("en", False), ("zh", True)])
def test_a_story_is_read_by_all_and_fits_a_phone(open_page: Open, lang: str, dark: bool) -> None:
    page = story(open_page("/attention?scene=2&model=translate", lang=lang, dark=dark, width=390, height=844))
    at(page, 1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert faults(page) == []
    page.locator(".story-take").scroll_into_view_if_needed()
    page.set_viewport_size({"width": 1280, "height": 800})
    at(page, 1)
    for part in (".story-stage", ".story-sentences [data-told]", ".story-bar"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    assert faults(page) == []


def test_a_lecture_leads_through_the_scenes(open_page: Open) -> None:
    page = story(open_page("/attention?present=1&scene=1&model=translate", lang="en"))
    at(page, 0)
    page.keyboard.press("ArrowRight")
    at(page, 1)
    assert "scene=2" in page.url
    for scene in (2, 3, 4, 5):
        page.keyboard.press("PageDown")
        at(page, scene)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".story")).to_have_count(0)
    expect(page.locator("canvas.matrix-base").first).to_be_visible()


def test_a_story_is_saved_as_a_film_with_its_captions_and_not_where_it_is_left(open_page: Open) -> None:
    page, say = open_page("/tokens?scene=1", lang="en"), Words("shell", "en")
    button, said = page.locator(".story-film"), page.locator(".story-filmed")
    for leave, why in (
        ("document.querySelector('.story-play').click()", "film_stopped"),
        ("Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
         "document.dispatchEvent(new Event('visibilitychange')); delete document.hidden", "film_hidden"),
    ):  # fmt: skip
        button.click()
        expect(said).to_contain_text("%")
        page.evaluate(leave)
        expect(said).to_have_text(say(f"story.{why}"))
    page.locator(".story-speed").click()
    page.evaluate(HASTE, 12)
    with (
        page.expect_download(lambda one: one.suggested_filename == "glassformer-tokens.vtt") as captions,
        page.expect_download(lambda one: one.suggested_filename == "glassformer-tokens.webm") as film,
    ):
        button.click()
        expect(button).to_have_text(say("story.film_stop"))
    assert film.value.path().read_bytes()[:4] == bytes.fromhex("1a45dfa3")  # EBML, as a WebM file begins
    expect(said).to_have_text(say("story.film_saved"))
    cues = captions.value.path().read_text("utf-8").split("\n\n")
    assert cues[0] == "WEBVTT"
    assert len(cues) - 1 == page.locator(".story-sentences > div").count()
    page.evaluate("delete window.MediaRecorder")
    button.click()
    expect(said).to_have_text(say("story.film_none"))
    page.locator(".story-kind").select_option("gif")
    with page.expect_download(lambda one: one.suggested_filename == "glassformer-tokens.gif", timeout=AGES) as film:
        button.click()
    with Image.open(film.value.path()) as gif:
        assert film.value.path().stat().st_size < 3_000_000
        pictures = getattr(gif, "n_frames", 1)
        assert pictures > 5
        assert gif.info["loop"] == 0
        gif.seek(pictures - 1)
        wide, tall = gif.size
        end = gif.convert("RGB")
    stage = Image.open(io.BytesIO(page.locator(".story-stage").screenshot())).convert("RGB")
    high = round(wide * stage.height / stage.width)
    assert high < tall, "the sentence stands below the stage"
    shown, filmed = (np.asarray(one, int) for one in (stage.resize((wide, high)), end.crop((0, 0, wide, high))))
    assert np.abs(shown - filmed).mean() < 4


def test_paper_has_the_end_of_the_scene(open_page: Open) -> None:
    page = story(open_page("/attention?scene=2&model=translate", lang="en"))
    painted = "() => document.querySelector('.story-stage').dataset.painted"
    place = page.locator(".story-place")
    place.evaluate("(place) => { place.value = place.max; place.oninput(); }")
    at(page, 5)
    page.locator(".story-back").click()
    at(page, 4)
    place.evaluate("(place, by) => { place.value = Number(place.value) - 1; place.oninput(); }")
    at(page, 3)
    end = page.evaluate(painted)
    place.evaluate("(place) => { place.value = Number(place.value) - 1; place.oninput(); }")
    assert int(page.evaluate(painted)) == int(end) - 1
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(painted) == end
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    assert int(page.evaluate(painted)) == int(end) - 1
