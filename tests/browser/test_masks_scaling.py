"""Masks and scaling under a reader's hands: a click that makes a padding, a slider, a pair of runs."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import AGES, saying, settle


def canvas(page: Page, at: int = 0) -> Locator:
    return page.locator("canvas.matrix-base").nth(at)


def click(page: Page, board: Locator, name: str, *arguments: object) -> None:
    """Click on a cell (`cellCentre`) or a label (`labelCentre`)."""
    board.scroll_into_view_if_needed()
    point = board.evaluate("(board, [name, at]) => board[name](...at)", [name, arguments])
    page.mouse.click(point["x"], point["y"])
    settle(page)


def padded_is(page: Page, link: str) -> None:
    """The address names the token that was made a padding, or none."""
    (expect(page).to_have_url if link else expect(page).not_to_have_url)(saying(link or "padded="))


def reads(page: Page, row: int, column: int, says: str) -> None:
    """What is read out of a cell of both masks together."""
    click(page, canvas(page, 1), "cellCentre", "both", row, column)
    expect(page.locator(".matrix-readout").nth(1)).to_have_text(re.compile(rf"\b{row}\b.*\b{column}\b.*· {says}$"))


def test_a_click_on_a_token_makes_it_a_padding_and_another_click_brings_it_back(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks")
    for link, open_ in (("padded=1.1", False), ("", True)):
        click(page, canvas(page, 1), "labelCentre", "both", "column", 1)
        padded_is(page, link)
        for column, says in enumerate(
            ["may attend", "may attend" if open_ else "masked", *["may attend"] * 2, "masked"]
        ):
            reads(page, 3, column, says)


def test_a_token_is_made_a_padding_from_the_keyboard_and_the_chosen_cell_is_read_out_anew(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/masks?both_cell=both.3.1", lang="en")
    canvas(page, 1).focus()
    spoken = page.locator(".matrix-spoken").nth(1)
    for link, says in (("padded=1.1", "masked"), ("", "may attend")):
        page.keyboard.press("Shift+ArrowUp")
        expect(spoken).to_contain_text(says)
        settle(page)
        padded_is(page, link)


def test_the_size_of_the_mask_follows_the_slider_and_the_chosen_cell_is_worked_out(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/masks?size=6")
    click(page, canvas(page), "cellCentre", "mask", 4, 2)
    expect(page.locator(".arithmetic").first).to_have_text("mask4,2 = [2 ≤ 4] = 1")
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    expect(canvas(page)).to_have_attribute("data-summary", saying("mask 7x7"))
    for setting in ("size=7", "ahead_cell=mask.4.2"):
        expect(page).to_have_url(saying(setting))
    settle(page)


def test_a_pair_of_runs_is_started_watched_and_stopped(open_page: Callable[..., Page]) -> None:
    page = open_page("/layers?N=4&train_seed=7")  # the same lab with larger models: time to stop them
    page.get_by_role("button", name="Train both").click()
    stop, stopped = (
        page.get_by_test_id("stMain").get_by_role("button", name="Stop"),
        page.get_by_text("Not trained yet"),
    )
    expect(stop).to_be_visible(timeout=AGES)
    stop.click(timeout=AGES)
    expect(stopped).to_be_visible(timeout=AGES)
    expect(page).not_to_have_url(saying("trained"))
    page.wait_for_timeout(1500)  # a look that was asked before the press must not start them anew
    expect(stopped).to_be_visible()
    settle(page)


def test_a_pair_of_runs_ends_with_its_curves(open_page: Callable[..., Page]) -> None:
    page = open_page("/scaling?run_heads=8&run_seed=18&trained=8.18")
    expect(page.get_by_text("Copied without a mistake")).to_be_visible(timeout=AGES)
    expect(page.get_by_test_id("stEChartsChart")).to_have_count(2 + 4)
    settle(page)


def test_the_labs_below_follow_the_batch(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks?fill_scores=model", sections="fill,rows")
    page.locator("input[type=range]").nth(1).focus()  # the padded width
    page.keyboard.press("ArrowRight")
    for at in (1, 2, 3):
        expect(canvas(page, at)).to_have_attribute("data-summary", saying("6x6"))
        expect(canvas(page, at)).not_to_have_attribute("data-summary", saying("5x5"))
    settle(page)


def test_the_temperatures_follow_the_scores(open_page: Callable[..., Page]) -> None:
    page = open_page("/scaling", sections="warm")
    page.get_by_role("textbox", name="Scores").fill("0.5 1 2 -3")
    page.keyboard.press("Enter")
    expect(canvas(page)).to_have_attribute("data-summary", saying("jacobian 4x4"))
    expect(canvas(page, 1)).to_have_attribute("data-summary", saying("temperatures 9x4"))
    settle(page)
