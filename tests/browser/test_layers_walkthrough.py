"""Layers and the forward pass under a reader's hands: keys, clicks, and a pair of runs."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.driver import AGES, saying, settle
from ui.text import Words


def test_keys_walk_forward_into_the_next_turn_and_back(open_page: Callable[..., Page]) -> None:
    page = open_page("/walkthrough?src=1 4 2&stop=111", lang="en")
    expect(page.get_by_text("argmax: the next token")).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_text("Written down")).to_be_visible()
    settle(page)
    page.keyboard.press("n")
    expect(page.get_by_text("What has been written so far")).to_be_visible()
    settle(page)
    expect(page).to_have_url(saying("turn=2"))
    page.keyboard.press("b")
    expect(page.get_by_text("Written down")).to_be_visible()
    settle(page)
    expect(page).not_to_have_url(saying("turn=2"))


def test_keys_walk_on_after_the_slider_was_used(open_page: Callable[..., Page]) -> None:
    page = open_page("/walkthrough?src=1 4 2&place=4", lang="en")
    page.get_by_role("slider", name=Words("walkthrough", "en")("place")).press("ArrowRight")
    settle(page)
    expect(page).to_have_url(saying("place=5"))
    for key, place in (("n", 6), ("n", 7), ("b", 6)):
        page.keyboard.press(key)
        expect(page).to_have_url(saying(f"place={place}"))


def test_the_notes_run_is_one_click_away(open_page: Callable[..., Page]) -> None:
    page = open_page("/walkthrough?src=1 4 2&stop=2", lang="en")
    page.get_by_role("button", name="The lecture notes' run").click()
    expect(page.get_by_text("src (1, 10)").first).to_be_visible()
    page.get_by_role("button", name="Encoder layer 1").click()
    expect(page.get_by_text("norm.output (1, 10, 512)").first).to_be_visible()
    settle(page)
    expect(page).to_have_url(saying("model=notes"))


def test_a_click_on_a_normalised_cell_lights_its_row_and_writes_mean_and_spread(open_page: Callable[..., Page]) -> None:
    page = open_page("/layers?src=1 4 2 6", lang="en")
    board = page.locator("canvas.matrix-base").first
    at = board.evaluate("board => board.cellCentre('out', 2, 3)")
    page.mouse.click(at["x"], at["y"])
    expect(page.locator(".arithmetic").nth(2)).to_contain_text("out2,3")
    settle(page)
    expect(board).to_have_attribute("data-lit", saying("x 2-2,0-63"))
    expect(page).to_have_url(saying("norm_cell=out.2.3"))


def test_pre_and_post_norm_are_trained_at_the_press_of_a_button(open_page: Callable[..., Page]) -> None:
    page = open_page("/layers?N=1", lang="en")
    page.get_by_role("button", name="Train both").click()
    expect(page.get_by_text("pre-norm copies")).to_be_visible(timeout=AGES)
    settle(page)
    expect(page).to_have_url(saying("trained=1.0.0"))
