"""What only a browser can know of the ways to decode: the way to a node lights up, and its score is written out."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.driver import saying, settle

Open = Callable[..., Page]
GAP = "/ways?model=translate&src=three+happy+rest+every+day"


def test_a_node_pointed_at_shows_its_way_and_its_sum_and_one_that_is_chosen_its_turn(open_page: Open) -> None:
    page = open_page(GAP, lang="en")
    tree = page.locator(".tree")
    expect(tree.locator(".tree-sum")).to_contain_text("Choose a token")
    doctor = tree.locator('.token[aria-label^="医生 三 个 快乐 的 医生:"]')  # on the winner's way
    doctor.scroll_into_view_if_needed()
    doctor.hover()
    expect(tree.locator(".tree-sum")).to_have_text(saying("三 个 快乐 的 医生: −(0.000 + "))
    expect(tree.locator(".token:not(.aside)")).to_have_count(6)
    expect(tree.locator("path:not(.aside)")).to_have_count(5)
    doctor.click()
    settle(page)
    expect(page).to_have_url(saying("node="))
    page.mouse.move(0, 0)
    expect(tree.locator(".aside")).to_have_count(0)
    first = tree.locator('.token[aria-label^="杯 三 杯:"]')
    first.focus()
    expect(tree.locator(".tree-sum")).to_have_text(saying("三 杯: −("))
    first.press("Enter")
    settle(page)
    expect(page).to_have_url(saying("beam_turn=2"))


def test_a_number_of_the_draw_is_taken_apart_step_by_step(open_page: Open) -> None:
    page = open_page(GAP, lang="en")
    page.set_viewport_size({"width": 1280, "height": 1000})
    settle(page)
    canvas, written = page.locator("canvas.matrix-base").first, page.locator(".matrix-sum").first
    for row, words in ((1, "/ 0.7"), (2, "[1 ≤ 5]"), (3, "[1 ≤ 4]"), (4, "[1 ≤ 1]")):
        place = canvas.evaluate("(canvas, cell) => canvas.cellCentre(...cell)", ["draws", row, 1])
        page.mouse.click(place["x"], place["y"])
        settle(page)
        expect(written).to_contain_text(words)
    expect(page).to_have_url(saying("cell=draws.4.1"))
