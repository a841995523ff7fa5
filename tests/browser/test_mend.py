"""What only a browser can know of mixed-up lines: that a hand drags them, keys move them, and both are heard."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.access import UNMOVED, faults
from tests.browser.driver import saying, settle, touch
from tests.ui.test_theme import contrast
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import right, written

Open = Callable[..., Page]
LINK = "/practice?open=mend&mend_puzzle=greedy"
GREEDY = PUZZLES["greedy"]
INK_AND_PAPER = """button => [getComputedStyle(button.querySelector("p")).color,
  getComputedStyle(button.closest(".stApp")).backgroundColor]"""
LEVELS = "lines => lines.map((line) => [Number(line.dataset.line), Number(line.style.getPropertyValue('--level'))])"


def line(page: Page, name: str) -> Locator:
    return page.locator(f'.mend [data-line="{GREEDY.place(name)}"] .mend-line')


def order(page: Page) -> list[list[int]]:
    found: list[list[int]] = page.locator(".mend-program li").evaluate_all(LEVELS)
    return found


def at(*placed: tuple[str, int]) -> list[list[int]]:
    return [[GREEDY.place(name), level] for name, level in placed]


def drag(page: Page, what: Locator, to: Locator, *, across: float, down: float) -> None:
    """From the grip of a line to a place from the upper left corner of another element."""
    here, there = what.locator(".mend-grip").bounding_box(), to.bounding_box()
    assert here
    assert there
    page.mouse.move(here["x"] + 4, here["y"] + 8)
    page.mouse.down()
    page.mouse.move(there["x"] + across + 30, there["y"] + down + 4, steps=4)
    page.mouse.move(there["x"] + across, there["y"] + down, steps=4)
    page.mouse.up()
    settle(page)


def test_keys_take_lines_in_move_and_indent_them_and_the_link_says_so(open_page: Open) -> None:
    page = open_page(LINK, lang="en")
    for name in ("ys", "while", "append"):
        line(page, name).focus()
        page.keyboard.press("Enter")
        settle(page)
    assert order(page) == at(("ys", 0), ("while", 0), ("append", 1))  # below what ends with a colon
    expect(line(page, "append")).to_be_focused()
    expect(page.locator(".mend-said")).to_have_text("Now line 3, level 1")
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    settle(page)
    assert order(page) == at(("append", 2), ("ys", 0), ("while", 0))
    expect(line(page, "append")).to_be_focused()
    expect(page).to_have_url(saying("mend_order=72" + "10" + "20"))
    page.keyboard.press("Enter")
    settle(page)
    assert order(page) == at(("ys", 0), ("while", 0))
    expect(page).to_have_url(saying("mend_order=1020"))


@pytest.mark.parametrize("dark", [False, True])
def test_what_cannot_be_pressed_yet_can_be_read(open_page: Open, dark: bool) -> None:
    page = open_page(LINK, lang="en", dark=dark)
    laws = page.get_by_role("button", name="Run the checks")
    expect(laws).to_be_disabled()
    page.wait_for_function(UNMOVED)
    ink, paper = laws.evaluate(INK_AND_PAPER)
    assert contrast(mixed(ink, paper), mixed(paper, paper)) > 2, "as much as Streamlit leaves to what is disabled"


def mixed(ink: str, paper: str) -> str:
    """The colour, as #rrggbb, that `rgb(…)` or `rgba(…)` has on a paper."""
    (*light, share), below = ([float(part) for part in re.findall(r"[\d.]+", one)] for one in (f"{ink} 1", paper))
    share = light.pop() if len(light) == 4 else share
    return "#" + "".join(f"{round(share * one + (1 - share) * under):02x}" for one, under in zip(light, below))


def test_a_hand_drags_a_line_to_its_place_and_level_and_out_again(open_page: Open) -> None:
    page = open_page(LINK, lang="en")
    program, pool = page.locator(".mend-program"), page.locator(".mend-pool")
    program.scroll_into_view_if_needed()
    drag(page, line(page, "while"), program.locator("ol"), across=8, down=10)
    assert order(page) == at(("while", 0))
    drag(page, line(page, "mask"), line(page, "while"), across=4 + 24, down=45)
    assert order(page) == at(("while", 0), ("mask", 1))
    drag(page, line(page, "ys"), line(page, "while"), across=4, down=2)
    assert order(page) == at(("ys", 0), ("while", 0), ("mask", 1))
    expect(page).to_have_url(saying("mend_order=102031"))
    drag(page, line(page, "while"), pool, across=60, down=40)
    assert order(page) == at(("ys", 0), ("mask", 1))
    line(page, "ys").click()
    settle(page)
    assert order(page) == at(("mask", 1))


def test_a_link_shows_its_lines_and_the_laws_judge_them(open_page: Open) -> None:
    link = f"{LINK}&mend_order={written(right(GREEDY))}"
    page = open_page(link, lang="zh", dark=True, width=390)
    assert order(page) == [list(placed) for placed in right(GREEDY)]
    page.get_by_role("button", name="运行检验").click()
    settle(page)
    expect(page.locator(".stAlert").first).to_contain_text("4 项检验全部通过")
    assert faults(page) == []
    box, wide = page.locator(".mend").bounding_box(), page.evaluate("innerWidth")
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= wide
    first, *others = order(page)
    grip = page.locator(".mend-program .mend-grip").first
    grip.scroll_into_view_if_needed()
    lines = [page.locator(".mend-program li").nth(at).bounding_box() for at in (0, 1)]
    here = grip.bounding_box()
    assert here
    x, y = here["x"] + 4, here["y"] + 8
    down = sum(line["height"] for line in lines if line)
    touch(page, (x, y), (x, y + down / 2), (x, y + down), (x, y + down + 4))  # a finger drags
    assert order(page) == [others[0], first, *others[1:]]
