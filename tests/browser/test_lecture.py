"""A lecture as the last row sees it: large, without menu and controls, led by the arrow keys; a figure made large."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import saying, settle
from ui.text import Words


def test_a_section_fills_the_screen_and_the_arrows_lead_on_or_move_the_cell(open_page: Callable[..., Page]) -> None:
    page = open_page("/attention?present=1&stage=all&cell=products.2.1", lang="en", width=1920, height=1080)
    letters = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    assert letters * 12 / 16 >= 20  # the smallest on a canvas
    menu, head = page.get_by_test_id("stSidebar"), page.get_by_role("radiogroup", name="Head")
    for shown in (False, True, False):
        expect(menu).to_be_visible(visible=shown)
        expect(head).to_be_visible(visible=shown)
        page.keyboard.press("m")

    board = page.locator("canvas.matrix-base")
    board.focus()
    page.keyboard.press("ArrowRight")
    expect(board).to_have_attribute("data-chosen", "products 2,2")
    settle(page)
    expect(page).not_to_have_url(saying("only="))
    board.blur()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name=Words("attention", "en")("projection.title"))).to_be_visible()
    settle(page)
    expect(page).to_have_url(saying("only=projection"))

    page.get_by_role("button", name=Words("shell", "en")("lecture.leave")).click()
    expect(menu).to_be_visible()
    settle(page)
    assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") < letters


LETTERS = """chart => [...chart.querySelectorAll("svg text")]
  .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.currentCSSZoom)"""


@pytest.mark.parametrize("chapter", ["positions", "masks", "scaling", "why_attention"])
def test_what_a_chapter_opens_with_is_on_one_screen_and_its_letters_are_large(
    open_page: Callable[..., Page], chapter: str
) -> None:
    page = open_page(f"/{chapter}?present=1", lang="en", width=1920, height=1080)
    figures = page.locator("canvas.matrix-base, .stEChartsChart")
    assert all((box := figure.bounding_box()) and box["y"] + box["height"] <= 1080 for figure in figures.all())
    expect(page.get_by_role("heading")).to_have_count(1)
    for chart in page.locator(".stEChartsChart").all():
        expect(chart.locator("svg text").first).to_be_visible()
        assert min(chart.evaluate(LETTERS)) >= 20


def test_the_scores_of_a_token_and_all_that_comes_of_them_are_on_one_screen(open_page: Callable[..., Page]) -> None:
    link = "/scaling?present=1&which_scores=model&model=translate&word=5&head=3"
    page = open_page(link, lang="en", width=1920, height=1080)
    board = page.locator("canvas.matrix-base").bounding_box()
    assert board
    assert board["y"] + board["height"] <= 1080
    expect(page.get_by_test_id("stMain").get_by_test_id("stPopover")).to_be_hidden()  # the list of words is a control


def test_a_figure_opens_large_and_closes(open_page: Callable[..., Page]) -> None:
    page = open_page("/attention", lang="en")
    page.get_by_role("button", name=Words("shell", "en")("large_view")).first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    settle(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
