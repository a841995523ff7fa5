"""What somebody sees who has just come: a whole frame, which begins by itself once in a tab, if he leaves it alone."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.app.telling import scenes_of
from tests.browser.conftest import Tab
from tests.browser.driver import complaints, frames, settle
from tests.browser.test_story import at
from ui.settings.chapters import STORIES
from ui.text import Words

Open = Callable[..., Page]
Come = Callable[..., Page]

BEGUN = "() => document.querySelector('.story, .map')?.dataset.state === 'playing'"
LEFT_ALONE = 120  # frames: longer than a page has to be still before something begins
# Of the canvas that is shown, the share of its height and of its width in which something is drawn.
FILLED = """(canvas) => {
  const { width, height } = canvas, { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const [rows, columns] = [new Set(), new Set()];
  for (let at = 3; at < data.length; at += 4)
    if (data[at]) rows.add(Math.floor(at / 4 / width)), columns.add(((at - 3) / 4) % width);
  const reach = (found) => Math.max(...found) - Math.min(...found);
  return [reach(rows) / height, reach(columns) / width];
}"""

# Where the stage stands, and what it says
STAGE = """() => {
  const { x, y, width, height } = document.querySelector(".story-stage").getBoundingClientRect();
  return { x, y, width, height, said: document.querySelector(".story-sentences [data-told]").innerText };
}"""
# What is painted on it is kept, and then: how many of its pixels are others
PIXELS = """
const stage = document.querySelector(".story-stage");
const pixels = new Uint32Array(stage.getContext("2d").getImageData(0, 0, stage.width, stage.height).data.buffer);
"""
KEEP = f"() => {{ {PIXELS} window.kept = pixels; }}"
OTHERS = f"() => {{ {PIXELS} return window.kept.reduce((sum, one, at) => sum + Number(one !== pixels[at]), 0); }}"


@pytest.fixture
def come(tab: Tab, app_url: str) -> Iterator[Come]:
    """come("/masks", do) gives the page of somebody who comes in a tab of his own, settled; nothing goes wrong on it.
    First of all it does what is to `do`."""
    pages: list[Page] = []
    said: list[list[str]] = []

    def come_(path: str, do: Callable[[Page], None] = lambda _: None) -> Page:
        page = tab.page.context.new_page()  # what begins by itself is kept by the tab, what is compiled by all of them
        page.set_viewport_size({"width": 1280, "height": 800})
        pages.append(page)
        said.append(complaints(page))
        page.goto(app_url + path, wait_until="domcontentloaded")
        do(page)
        settle(page)
        return page

    yield come_
    for page in pages:
        page.close()
    assert [heard for heard in said if heard] == []


def rests(page: Page) -> None:
    """It is paused, and stays so."""
    part = page.locator(".story, .map").first
    before = part.get_attribute("data-moment")
    frames(page, LEFT_ALONE)
    expect(part).to_have_attribute("data-state", "paused")
    expect(part).to_have_attribute("data-moment", str(before))


@pytest.mark.parametrize("chapter", STORIES)
def test_a_story_opens_on_a_whole_frame_and_to_explore_its_end_changes_but_the_buttons(
    walk: Open, chapter: str
) -> None:
    page = walk(f"/{chapter}?scene=1", lang="en", width=390, height=844)
    expect(page.get_by_role("heading", level=1)).to_have_text(Words(chapter, "en")("title"))
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        settle(page)
        expect(page.locator(".story")).to_have_attribute("data-ended", "true")
        expect(page.locator(".story-count")).to_have_text(re.compile(r"^1 / "))
        expect(page.locator(".story-place")).to_have_value("0")
        high, wide = page.locator(".story-stage").evaluate(FILLED)
        assert high > 0.35
        assert wide > 0.6
        expect(page.locator(".story-sentences [data-told]")).to_be_visible()

    last = len(scenes_of(chapter))
    page.locator(".story-place").evaluate("place => { place.value = place.max; place.oninput(); }")
    at(page, last - 1)
    before = page.evaluate(STAGE)
    page.evaluate(KEEP)
    page.locator(".story-take").click()
    expect(page.locator(".story[data-stays]")).to_be_visible()
    settle(page)
    assert page.evaluate(STAGE) == before
    # the edge of a curve that has come to rest is rounded otherwise than a moving one
    assert page.evaluate(OTHERS) < 20
    assert f"explored={last}" in page.url


@pytest.mark.parametrize("path", ["/", "/masks"])
def test_it_begins_by_itself_once_and_never_again_in_the_tab(come: Come, path: str) -> None:
    page = come(path)
    page.wait_for_function(BEGUN)
    page.reload()
    settle(page)
    rests(page)
    page.goto(page.url.partition("?")[0].removesuffix("masks") + "heads")
    settle(page)
    rests(page)


def test_play_begins_with_the_first_scene(open_page: Open) -> None:
    page = open_page("/decoding", lang="en")
    before = page.locator(".story-sentences [data-told]").inner_text()
    page.locator(".story-play").click()
    expect(page.locator(".story")).to_have_attribute("data-scene", "0")
    expect(page.locator(".story-sentences [data-told]")).not_to_have_text(before)
    assert page.locator(".story-sentences > div").first.get_attribute("data-told") is not None


@pytest.mark.parametrize("path", ["/masks?scene=2&model=translate", "/masks?present=1&scene=1"])
def test_it_does_not_begin_where_a_link_names_a_scene_or_somebody_leads(come: Come, path: str) -> None:
    rests(come(path))


TOUCHES: dict[str, Callable[[Page], None]] = {
    "key": lambda page: page.keyboard.press("Shift"),
    "pointer": lambda page: page.mouse.click(700, 90),
}


@pytest.mark.parametrize("touch", TOUCHES)
def test_it_does_not_begin_for_who_has_touched_something(come: Come, touch: str) -> None:
    page = come("/masks", do=TOUCHES[touch])
    rests(page)
    page.reload()
    settle(page)
    rests(page)


def test_it_does_not_begin_for_who_wants_no_motion(come: Come) -> None:
    rests(come("/masks", do=lambda page: page.emulate_media(reduced_motion="reduce")))


def test_a_story_that_is_taken_over_while_it_plays_by_itself_stands_still(come: Come) -> None:
    page = come("/masks")
    page.wait_for_function(BEGUN)
    page.locator(".story-take").click()
    story = page.locator(".story[data-stays]")
    expect(story).to_have_attribute("data-state", "paused")
    settle(page)
    assert "scene=" not in page.url
    story.get_by_role("button", name=Words("shell", "en")("story.open", count=6)).click()
    page.wait_for_function(BEGUN)
    expect(page.locator(".story-count")).to_have_text("1 / 6")
