"""One head and all heads under a reader's hands: clicks, keys, and what they change elsewhere on the page."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import saying, settle
from tests.written import read


def canvas(page: Page, at: int = 0) -> Locator:
    return page.locator("canvas.matrix-base").nth(at)


def place(board: Locator, name: str, *arguments: object) -> tuple[float, float]:
    """Where on the screen a cell (`cellCentre`) or a label (`labelCentre`) is."""
    board.scroll_into_view_if_needed()
    point = board.evaluate("(board, [name, at]) => board[name](...at)", [name, arguments])
    return point["x"], point["y"]


def sum_under_the_board(page: Page, at: int = 0) -> Locator:
    return page.locator(".matrix-sum").nth(at)


def test_a_click_on_a_cell_writes_its_sum_and_keys_lead_its_pair_through_the_stages(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/attention?src=1 4 2 6&tgt=1 3 5 7 2&head=1")
    page.mouse.click(*place(canvas(page), "cellCentre", "products", 2, 1))
    settle(page)
    expect(canvas(page)).to_have_attribute("data-lit", "q 2-2,0-15; k 1-1,0-15")
    expect(sum_under_the_board(page)).to_contain_text("p2,1 = ")
    written = sum_under_the_board(page).inner_text()
    value = page.locator(".matrix-readout").first.inner_text().rpartition("· ")[2]
    assert read(written.rpartition("= ")[2]) == read(value)
    expect(page).to_have_url(saying("cell=products.2.1"))
    for stage in ("scores", "masked", "weights"):
        page.keyboard.press("n")
        expect(canvas(page)).to_have_attribute("data-chosen", f"{stage} 2,1")
    page.keyboard.press("b")
    expect(canvas(page)).to_have_attribute("data-chosen", "masked 2,1")
    settle(page)


def test_another_head_changes_every_figure_and_the_link_and_the_keys_go_on(open_page: Callable[..., Page]) -> None:
    page = open_page("/attention?kept=1.2&looks=next&cell=products.2.1", sections="projection,dropout")
    page.get_by_role("radiogroup", name="Head").get_by_role("radio", name="2", exact=True).click()
    expect(page.locator(".provenance")).to_contain_text(["head 2"] * 4)
    settle(page)
    expect(page).to_have_url(saying("head=2"))
    page.keyboard.press("n")
    expect(canvas(page)).to_have_attribute("data-chosen", "scores 2,1")
    settle(page)


def test_a_token_pointed_at_keeps_its_lines_and_a_click_picks_it_as_query_or_key_everywhere(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/attention?kind=decoder&stage=weights&looks=next&cell=weights.2.1")
    page.locator('.lines .token[data-side="key"]').nth(2).hover()
    expect(page.locator('.lines line:not(.aside):not([data-key="2"])')).to_have_count(0)
    assert page.locator('.lines line:not(.aside)[data-key="2"]').count() > 1

    page.mouse.click(*place(canvas(page), "labelCentre", "weights", "column", 4))
    expect(canvas(page)).to_have_attribute("data-chosen", "weights 2,4")
    page.locator('.lines .token[data-side="query"]').nth(5).click()
    expect(canvas(page)).to_have_attribute("data-chosen", "weights 5,4")
    settle(page)
    expect(sum_under_the_board(page)).to_contain_text("α5,4")
    expect(page).to_have_url(saying("cell=weights.5.4"))


def test_a_click_on_the_wall_opens_that_head(open_page: Callable[..., Page]) -> None:
    page = open_page("/heads?model=trained")
    page.mouse.click(*place(canvas(page), "cellCentre", "decoder.1.2", 6, 3))
    expect(canvas(page, 1)).to_have_attribute("data-chosen", "weights 6,3")
    settle(page)
    expect(page.get_by_text("Decoder self-attention, layer 1, head 2", exact=True)).to_be_visible()
    expect(sum_under_the_board(page)).to_contain_text("α6,3 = ")  # while the pointer is there
    page.mouse.move(2, 2)
    expect(sum_under_the_board(page)).to_have_text("")
    expect(sum_under_the_board(page, 1)).to_contain_text("α6,3 = ")
    page.get_by_role("link", name="See this head computed step by step").click()
    settle(page)
    expect(page.get_by_role("heading", name="One head")).to_be_visible()
    for setting in ("kind=decoder", "layer=1", "head=2"):
        expect(page).to_have_url(saying(setting))


def test_a_word_of_the_output_is_chosen_by_a_click_or_a_key_and_the_page_says_what_it_stands_for(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/heads?model=translate&src=two white cats sleep&align_word=0", lang="en")
    tokens = page.locator(".lines .token")
    tokens.and_(page.locator('[data-side="query"]')).nth(1).click()
    expect(page.locator("p", has_text="只(measure) corresponds to cats.")).to_be_visible()
    expect(page).to_have_url(saying("align_word=1"))
    settle(page)
    tokens.and_(page.locator('[data-side="key"]')).nth(2).focus()
    page.keyboard.press("Enter")
    expect(page.locator("p", has_text="白色white corresponds to white.")).to_be_visible()
    settle(page)


def test_a_shorter_sentence_takes_the_place_of_the_one_that_was_typed(open_page: Callable[..., Page]) -> None:
    page = open_page("/attention?model=translate&kind=encoder&stage=weights", lang="en")
    page.get_by_role("button", name="two white cats sleep").click()
    expect(page.get_by_role("textbox", name="Source")).to_have_value("two white cats sleep")
    settle(page)


def test_heads_are_switched_off_by_themselves_until_the_reader_stops(open_page: Callable[..., Page]) -> None:
    page = open_page("/heads?model=notes&only=ablation")
    main = page.get_by_test_id("stMain")
    main.get_by_role("button", name="Switch off each head, one by one").click()
    expect(main.get_by_test_id("stProgress")).to_have_text(re.compile("^[1-9].* of 48 heads"))
    main.get_by_role("button", name="Stop").click()
    expect(main.get_by_role("button", name="Continue")).to_be_visible()
    settle(page)  # and it does not go on by itself
    done = main.get_by_text("heads are measured. The results are kept.").inner_text()
    page.reload()
    settle(page)
    expect(main.get_by_text(done)).to_be_visible()
