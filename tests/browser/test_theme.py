"""A figure has the colours of the page's theme at every moment, not those of its last run."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import UNMOVED
from tests.browser.driver import settle
from ui.text import Words
from ui.theme import css

COLORS = """() => [...document.querySelectorAll('.stMain *')].map((part) => {
  const { fill, stroke, color, backgroundColor, borderColor, backgroundImage } = getComputedStyle(part);
  return [part.tagName, fill, stroke, color, backgroundColor, borderColor, backgroundImage].join(' ');
})"""


@pytest.mark.parametrize(
    ("link", "drawn"),
    [
        ("/decoding?only=cache&anew=row", ".stEChartsChart svg text"),
        ("/ways?only=beam", ".tree .token"),
        ("/heads?only=alignment&model=translate", ".lines line.reference"),
        ("/positions?only=clocks&angle=pair_and_shift", "[style*=conic-gradient]"),
        ("/walkthrough", "pre div"),
    ],
)
def test_an_open_page_in_the_other_theme_looks_as_if_it_had_been_opened_there(
    open_page: Callable[..., Page], link: str, drawn: str
) -> None:
    page = open_page(link)
    expect(page.locator(drawn).first).to_be_visible()
    light = page.evaluate(COLORS)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => getComputedStyle(document.querySelector('.stApp')).colorScheme === 'dark'")
    settle(page)
    page.wait_for_function(UNMOVED)
    turned = page.evaluate(COLORS)
    assert turned != light
    open_page(link, dark=True)
    expect(page.locator(drawn).first).to_be_visible()
    page.wait_for_function(UNMOVED)
    assert page.evaluate(COLORS) == turned


def test_curves_stay_while_they_are_pointed_at_and_are_made_large_in_the_theme_of_the_moment(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/decoding?only=cache&anew=row", lang="en")
    page.emulate_media(color_scheme="dark")
    chart = page.locator(".stEChartsChart").first
    chart.hover()
    expect(chart.locator("span", has_text="without")).to_be_visible()  # beside the pointer
    expect(chart.locator(f'path[stroke="{css("signed-1")}"]').first).to_be_attached()
    page.get_by_role("button", name=Words("shell", "en")("large_view")).first.click()
    ticks = page.get_by_role("dialog").locator(".js-plotly-plot .xtick text").first
    expect(ticks).to_have_css("fill", "rgb(162, 165, 174)")  # quiet
