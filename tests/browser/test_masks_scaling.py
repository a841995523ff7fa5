"""Masks and scaling under a reader's hands: a click that makes a padding, a slider, a pair of runs."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import AGES, saying, settle


def canvas(page: Page, at: int = 0) -> Locator:
    return page.locator("canvas.matrix-base").nth(at)


def at(board: Locator, name: str, *arguments: object) -> tuple[float, float]:
    """Where on the screen a cell (`cellCentre`) or a label (`labelCentre`) is."""
    board.scroll_into_view_if_needed()
    point = board.evaluate("(board, [name, at]) => board[name](...at)", [name, arguments])
    return point["x"], point["y"]


def click(page: Page, board: Locator, name: str, *arguments: object) -> None:
    page.mouse.click(*at(board, name, *arguments))
    settle(page)


def padded_is(page: Page, link: str) -> None:
    """The address names the token that was made a padding, or none."""
    (expect(page).to_have_url if link else expect(page).not_to_have_url)(saying(link or "padded="))


def reads(page: Page, row: int, column: int, says: str) -> None:
    """What is read out of a cell of both masks together."""
    page.mouse.move(*at(canvas(page, 1), "cellCentre", "both", row, column))
    expect(page.locator(".matrix-readout").nth(1)).to_have_text(re.compile(rf"\b{row}\b.*\b{column}\b.*· {says}$"))


def test_a_token_is_made_a_padding_and_brought_back_by_a_click_and_by_a_key(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks?both_cell=both.3.1", lang="en")
    for link, open_ in (("padded=1.1", False), ("", True)):
        click(page, canvas(page, 1), "labelCentre", "both", "column", 1)
        padded_is(page, link)
        for column, says in enumerate(
            ["may attend", "may attend" if open_ else "masked", *["may attend"] * 2, "masked"]
        ):
            reads(page, 3, column, says)

    canvas(page, 1).focus()
    spoken = page.locator(".matrix-spoken").nth(1)  # the chosen cell, read out anew
    for link, says in (("padded=1.1", "masked"), ("", "may attend")):
        page.keyboard.press("Shift+ArrowUp")
        expect(spoken).to_contain_text(says)
        settle(page)
        padded_is(page, link)


def test_the_mask_follows_its_slider_and_the_labs_below_follow_the_batch(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks?size=6&fill_scores=model", sections="fill,rows")
    click(page, canvas(page), "cellCentre", "mask", 4, 2)
    expect(page.locator(".matrix-sum").first).to_contain_text("= [2 ≤ 4] = 1")
    page.locator(".stSlider input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    expect(canvas(page)).to_have_attribute("data-summary", saying("mask 7x7"))
    for setting in ("size=7", "ahead_cell=mask.4.2"):
        expect(page).to_have_url(saying(setting))
    settle(page)

    page.locator(".stSlider input[type=range]").nth(1).focus()  # the padded width
    page.keyboard.press("ArrowRight")
    for lab in (1, 2, 3):
        expect(canvas(page, lab)).to_have_attribute("data-summary", saying("6x6"))
        expect(canvas(page, lab)).not_to_have_attribute("data-summary", saying("5x5"))
    settle(page)


def test_a_link_to_a_pair_of_runs_ends_with_its_curves_and_the_temperatures_follow_the_scores(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/scaling?run_heads=8&run_seed=18&trained=8.18&spread=8", sections="warm,size,self")
    page.get_by_role("textbox", name="Scores").fill("0.5 1 2 -3")
    page.keyboard.press("Enter")
    expect(canvas(page)).to_have_attribute("data-summary", saying("jacobian 4x4"))
    expect(canvas(page, 2)).to_have_attribute("data-summary", saying("temperatures 9x4"))
    expect(page.get_by_text("are copied without a mistake")).to_be_visible(timeout=AGES)
    expect(page.get_by_test_id("stEChartsChart")).to_have_count(2 + 2 + 3 + 4)
    settle(page)

    page.get_by_role("button", name="Draw again (seed 0)").click()  # here and in the section below
    expect(page.locator(".provenance", has_text="attention_steps")).to_have_text(re.compile("seed 1$"))
    expect(page.locator(".provenance", has_text="4 × 10")).to_have_text(re.compile("seed 1$"))
    settle(page)
