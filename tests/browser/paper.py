"""What a chapter is on paper, whichever size and theme its page has."""

from playwright.sync_api import Page, expect

from tests.browser.driver import settle
from ui.text import Words

WIDE, TALL = 680, 740  # CSS pixels: 180 mm, A4 between its margins; and 195 mm, a figure below the title of a chapter

CONTROLS = """() => [...document.querySelectorAll('.stMain :is(input, select, button, .stSlider, .stPopover)')]
  .filter((one) => one.checkVisibility() && !one.closest('[class*="st-key-predict-"], .matrix-sum'))
  .map((one) => one.outerHTML)"""
DRAWN = """() => [...document.querySelectorAll('.stMain :is(.matrix-base, .stEChartsChart svg, .lines svg, .tree svg)')]
  .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())
  .map(({ left, right, height }) => [left, right, height])"""
LINES = """() => [...document.querySelectorAll('.stMain [class*="st-key-predict-"]')]
  .map((one) => Number.parseFloat(getComputedStyle(one, '::after').height))"""
DARK = """() => [...document.querySelectorAll('html, body, .stMain, .stMain *')]
  .filter((one) => one.checkVisibility())
  .map((one) => [one.outerHTML.slice(0, 90), getComputedStyle(one).backgroundColor])
  .filter(([, color]) => {
    const [red, green, blue, seen = 1] = color.match(/[\\d.]+/g).map(Number);
    return seen > 0.5 && red + green + blue < 3 * 128;
  })"""


def put_on_paper(page: Page) -> None:
    """The page as it is printed, from the dark theme; `page.emulate_media(media="null")` is the way back."""
    page.emulate_media(media="print", color_scheme="dark")
    page.wait_for_function("() => document.documentElement.hasAttribute('data-paper')")
    expect(page.locator(".stMain :is(.matrix-base, .stEChartsChart svg)").first).to_be_visible()
    settle(page)


def shows_figures_and_lines_in_light_colours_and_nothing_to_press(page: Page, chapter: str, lang: str) -> None:
    """Of a page that is on paper."""
    shell = Words("shell", lang)
    seen = page.locator("body").inner_text()
    assert Words(chapter, lang)("title") in seen
    buttons = {shell(name) for name in ("documents", "print.chapter", "lecture.enter", "caption_part.link")}
    assert buttons.isdisjoint(seen.splitlines())
    assert page.evaluate(CONTROLS) == []
    assert page.evaluate(DARK) == []
    drawn = page.evaluate(DRAWN)
    assert drawn
    for left, right, height in drawn:
        assert right - left <= WIDE + 1
        assert height <= TALL
    assert all(height > 90 for height in page.evaluate(LINES))
    assert f"{shell('print.address')} {page.url}" in seen
    assert shell("print.folded") not in seen
