"""Layers and the forward pass under a reader's hands: keys, clicks, and a pair of runs."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.driver import AGES, saying, settle
from ui.text import Words


def test_keys_walk_into_the_next_turn_and_on_after_the_slider_and_the_notes_run_is_one_click_away(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/walkthrough?src=1 4 2&stop=111", lang="en")
    expect(page.get_by_text("argmax: the next token")).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_text("Append the token")).to_be_visible()
    settle(page)
    page.keyboard.press("n")
    expect(page.get_by_text("What has been written so far")).to_be_visible()
    settle(page)
    expect(page).to_have_url(saying("turn=2"))
    page.keyboard.press("b")
    expect(page.get_by_text("Append the token")).to_be_visible()
    settle(page)
    expect(page).not_to_have_url(saying("turn=2"))

    place = page.get_by_role("slider", name=Words("walkthrough", "en")("place"))
    place.press("Home")
    settle(page)
    expect(page).not_to_have_url(saying("place="))
    place.press("ArrowRight")
    settle(page)
    expect(page).to_have_url(saying("place=1"))
    for key, at in (("n", 2), ("n", 3), ("b", 2)):
        page.keyboard.press(key)
        expect(page).to_have_url(saying(f"place={at}"))
    settle(page)

    at = page.locator("canvas.matrix-base").evaluate("board => board.cellCentre('c0', 1, 7)")
    page.mouse.move(at["x"], at["y"])
    expect(page.locator(".matrix-sum")).to_contain_text("r1,7 = E4,7 = ")  # its token is 4

    page.get_by_role("button", name=Words("walkthrough", "en")("preset")).click()
    expect(page.get_by_text("src (1, 10)").first).to_be_visible()
    page.get_by_role("button", name="Encoder layer 1").click()
    expect(page.get_by_text("norm.output (1, 10, 512)").first).to_be_visible()
    settle(page)
    expect(page).to_have_url(saying("model=notes"))


def test_a_click_on_a_normalised_cell_lights_its_row_and_writes_mean_and_spread(open_page: Callable[..., Page]) -> None:
    page = open_page("/layers?src=1 4 2 6", lang="en")
    board = page.locator("canvas.matrix-base").first
    at = board.evaluate("board => board.cellCentre('out', 2, 3)")
    page.mouse.move(at["x"], at["y"])
    sums = page.locator(".matrix-sum").first.locator("p")
    expect(sums).to_have_count(3)
    expect(sums.last, "on a board that is longer than the screen").to_be_in_viewport(ratio=1)
    page.mouse.click(at["x"], at["y"])
    expect(sums).to_have_count(3)
    for line, start in enumerate(("μ = (", "σ = √((", "y")):
        expect(sums.nth(line)).to_have_text(re.compile("^" + re.escape(start)))
    settle(page)
    expect(board).to_have_attribute("data-lit", saying("x 2-2,0-63"))
    expect(page).to_have_url(saying("norm_cell=out.2.3"))


def test_a_pair_of_runs_is_started_and_stopped_and_another_ends_with_its_curves(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/layers?N=4&train_seed=7", lang="en")  # large models: time to stop them
    start = page.get_by_role("button", name="Train both")
    stopped, ended = page.get_by_text("Not trained yet"), page.get_by_text("pre-norm copies")
    stop = page.get_by_test_id("stMain").get_by_role("button", name="Stop")
    for _ in range(3):  # on a busy machine the runs may end before the press arrives, or before there is what to press
        start.click()
        stop.or_(ended).first.click(timeout=AGES)
        expect(stopped.or_(ended)).to_be_visible(timeout=AGES)
        if stopped.is_visible():
            break
        page.get_by_role("slider", name=Words("layers", "en")("train_seed")).press("ArrowRight")
        settle(page)
    expect(stopped).to_be_visible()
    expect(page).not_to_have_url(saying("trained"))
    settle(page, quiet=1500)  # a look that was asked before the press must not start them anew
    expect(stopped).to_be_visible()
    settle(page)

    page.get_by_role("slider", name=Words("layers", "en")("N")).press("Home")
    settle(page)
    start.click()
    expect(ended).to_be_visible(timeout=AGES)
    settle(page)
    expect(page).to_have_url(saying("trained=1.0."))


def test_what_a_slider_says_stands_on_one_line(open_page: Callable[..., Page]) -> None:
    page = open_page("/layers?only=network", lang="zh")
    values = page.get_by_test_id("stSliderThumbValue")
    expect(values.first).to_contain_text("前馈网络")
    for value in values.all():
        lines = "words => words.getBoundingClientRect().height / parseFloat(getComputedStyle(words).fontSize)"
        assert value.evaluate(lines) < 2, value.inner_text()
