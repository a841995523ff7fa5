"""What only a browser can know of a sheet: that a hand draws on it, that keys do, and that both are heard."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.access import faults
from tests.browser.driver import settle, touch
from transformer_core.exercises.drawing import rate
from transformer_core.exercises.drawing.packed import FULL, packed, unpacked
from ui.text import Words

Open = Callable[..., Page]
RATE = "/practice?open=draw&draw_task=rate"
ROW = "/practice?open=draw&model=translate&src=I+buy+two+red+flowers+every+day"
POINTS = 21
RIGHT = [round(FULL * float(value) / rate.asked(1).top) for value in rate.rates(*rate.asked(1))[:, 1]]
PAPER = "() => dispatchEvent(new Event('beforeprint'))"


def handle(page: Page, at: int) -> Locator:
    return page.locator(".draw [role=slider]").nth(at)


def levels(page: Page) -> list[int]:
    found = page.locator(".draw [role=slider]").evaluate_all("all => all.map((one) => Number(one.ariaValueNow))")
    return [int(level) for level in found]


def in_the_link(page: Page) -> list[int]:
    said = parse_qs(urlsplit(page.url).query).get("drawn", [""])[0]
    return list(unpacked(said, len(said) // 2))


def stroke(page: Page, *through: tuple[int, float]) -> None:
    """Draw through places: a point, and a share of the sheet's height."""
    plot = page.locator(".draw-plot")
    plot.scroll_into_view_if_needed()
    top, bottom = (plot.locator(".draw-rule").nth(at).bounding_box() for at in (4, 0))
    assert top
    assert bottom
    for step, (at, share) in enumerate(through):
        box = handle(page, at).bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] / 2, bottom["y"] + share * (top["y"] - bottom["y"]), steps=8)
        if step == 0:
            page.mouse.down()
    page.mouse.up()
    settle(page)


def test_a_hand_draws_a_line_and_the_link_says_so(open_page: Open) -> None:
    page = open_page(RATE, lang="en")
    run = page.get_by_role("button", name="Compute", exact=True)
    expect(run).to_be_disabled()
    stroke(page, (0, 0.0), (8, 0.5), (20, 0.3))
    drawn = levels(page)
    assert in_the_link(page) == drawn
    assert drawn[0] <= 5
    assert abs(drawn[4] - 250) < 40  # passed on the way
    assert abs(drawn[8] - 500) < 20
    assert abs(drawn[20] - 300) < 20
    expect(run).to_be_enabled()
    run.click()
    settle(page)
    expect(page.locator(".draw-truth polyline")).to_be_visible()
    expect(page.locator(".stAlert").first).to_contain_text("RMS")
    stroke(page, (20, 0.3), (20, 0.9))  # another drawing: the truth is taken away again
    expect(page.locator(".draw-truth polyline")).to_have_count(0)


def test_keys_move_from_point_to_point_raise_and_lower(open_page: Open) -> None:
    page = open_page(RATE, lang="en")
    handle(page, 0).focus()
    for key in ("ArrowDown", "PageDown", "ArrowRight", "ArrowRight", "ArrowUp", "PageUp", "PageUp"):
        page.keyboard.press(key)
    expect(handle(page, 2)).to_be_focused()
    expect(handle(page, 2)).to_have_attribute("aria-label", f"step {rate.asked(1).x[2]}")
    page.keyboard.press("End")
    expect(handle(page, 20)).to_be_focused()  # what was drawn is told now, for the keys have gone on
    settle(page)
    expected = [FULL // 2] * POINTS
    expected[0], expected[2] = 500 - 20 - 100, 500 + 20 + 100 + 100
    assert levels(page) == expected
    assert in_the_link(page) == expected
    expect(handle(page, 20)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.wait_for_function("packed => location.search.includes(packed)", arg=packed([*expected[:20], 520]))


def test_bars_keep_their_sum_under_hand_and_keys(open_page: Open) -> None:
    page = open_page(ROW, lang="en")
    count = page.locator(".draw [role=slider]").count()
    assert sum(levels(page)) == FULL
    stroke(page, (2, 0.6), (2, 0.7))
    assert abs(levels(page)[2] - 700) < 20
    assert sum(levels(page)) == FULL
    handle(page, 0).focus()
    page.keyboard.press("PageUp")
    page.keyboard.press("Tab")
    settle(page)
    drawn = levels(page)
    assert sum(drawn) == FULL
    assert drawn == in_the_link(page)
    assert len(drawn) == count
    assert "%" in str(handle(page, 0).get_attribute("aria-valuetext"))


@pytest.mark.parametrize("link", [RATE, ROW, "/practice?open=draw&draw_task=wave"])
def test_a_sheet_fits_a_phone_in_the_dark_and_in_chinese_and_is_heard(open_page: Open, link: str) -> None:
    page = open_page(link, lang="zh", dark=True, width=390)
    assert faults(page) == []
    box, wide = page.locator(".draw-plot").bounding_box(), page.evaluate("innerWidth")
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= wide
    assert page.locator(".draw [role=slider][tabindex='0']").count() == 1
    before = levels(page)
    page.locator(".draw-plot").scroll_into_view_if_needed()
    scrolled = page.get_by_test_id("stMain").evaluate("main => main.scrollTop")
    ends = [handle(page, at).bounding_box() for at in (0, len(before) - 1)]
    (left, y), (right, _) = ((end["x"] + end["width"] / 2, end["y"] + end["height"] / 2) for end in ends if end)
    touch(page, (left, y), (left, y - 60), ((left + right) / 2, y - 60), (right, y - 60))  # a finger draws
    assert levels(page) != before
    assert in_the_link(page) == levels(page)
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollTop") == scrolled, "and does not scroll"


def test_the_true_drawing_is_right_and_each_point_says_both(open_page: Open) -> None:
    said = packed(RIGHT)
    page = open_page(f"{RATE}&drawn={said}&drawn_run={said}", lang="en")
    expect(page.locator(".stAlert").first).to_contain_text(Words("practice", "en")("draw.right", distance="").strip())
    peak = RIGHT.index(max(RIGHT))
    expect(handle(page, peak)).to_have_attribute("aria-valuetext", "0.00198, true value 0.00198")
    page.evaluate(PAPER)
    expect(page.locator(".draw-hint")).to_be_hidden()
    expect(page.locator(".draw-drawn polyline")).to_be_visible()
