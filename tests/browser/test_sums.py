"""The sum of a cell as a reader meets it: written from the formula at once, joined to the cells that it names."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.driver import PATIENCE, complaints, settle

SCRIPT = """
    from tests.every_formula import OPERANDS, PANELS
    from ui.components.matrix import matrix
    from ui.figures import Board

    matrix(Board(PANELS, OPERANDS), key="sums", words={"given": "given", "hint": "point"})
"""


@pytest.fixture(scope="module")
def board(browser: Browser, serve: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    script = tmp_path_factory.mktemp("sums") / "sums.py"
    root = Path(__file__).resolve().parents[2]
    script.write_text(f"import sys\nsys.path.insert(0, {str(root)!r})\n" + dedent(SCRIPT), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 1600}, color_scheme="light")
    page.set_default_timeout(PATIENCE)
    heard = complaints(page)
    page.goto(serve(str(script)))
    page.wait_for_function("document.querySelectorAll('.matrix-base[data-painted]').length === 1")
    settle(page)
    yield page
    page.close()
    assert heard == []


@pytest.fixture
def page(board: Page) -> Page:
    """The board with nothing chosen and nothing pointed at."""
    board.mouse.move(2, 2)
    board.locator(".matrix-base").focus()
    board.keyboard.press("Escape")
    expect(board.locator(".matrix-base")).to_have_attribute("data-chosen", "")
    return board


def centre(page: Page, panel: str, row: int, col: int) -> tuple[float, float]:
    point = page.locator(".matrix-base").evaluate("(base, at) => base.cellCentre(...at)", [panel, row, col])
    return point["x"], point["y"]


def hover(page: Page, panel: str, row: int, col: int) -> None:
    page.mouse.move(*centre(page, panel, row, col))


def sum_(page: Page) -> Locator:
    return page.locator(".matrix-sum")


def test_pointing_writes_the_sum_and_leaving_takes_it_away(page: Page) -> None:
    hover(page, "code", 2, 3)
    expect(sum_(page)).to_have_text("code2,3 = cos(2 / 1002 / 4) = cos(0.2) = 0.9801")
    expect(page.locator(".matrix-formula math")).to_be_visible()
    page.mouse.move(2, 2)
    expect(sum_(page)).to_have_text("")


def test_the_sum_is_there_in_the_frame_of_the_move_and_later_moves_in_it_are_written_in_the_next(page: Page) -> None:
    found = page.locator(".matrix-base").evaluate("""async (base) => {
        const written = () => document.querySelector(".matrix-sum").textContent;
        const move = (col) => {
            const { x, y } = base.cellCentre("code", 2, col);
            base.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, pointerType: "mouse" }));
            return written().slice(0, 7);
        };
        const frame = () => new Promise(requestAnimationFrame);
        for (let k = 0; k < 3; k += 1) await frame();
        const moves = [move(1), move(2), move(3)];
        await frame();
        moves.push(written().slice(0, 7));
        base.dispatchEvent(new PointerEvent("pointerleave"));
        return moves;
    }""")
    assert found == ["code2,1", "code2,1", "code2,1", "code2,3"]


def test_without_a_light_there_is_no_second_canvas_to_draw(page: Page) -> None:
    lights = page.locator(".matrix-lights")
    expect(lights).to_be_hidden()
    hover(page, "code", 2, 3)
    expect(lights).to_be_visible()
    page.mouse.move(2, 2)
    expect(lights).to_be_hidden()


def test_a_cell_without_a_formula_is_said_to_be_given(page: Page) -> None:
    hover(page, "plain", 1, 1)
    expect(sum_(page)).to_have_text("given")


def test_named_steps_come_first_each_on_a_line(page: Page) -> None:
    hover(page, "normed", 1, 2)
    lines = sum_(page).locator("p")
    expect(lines).to_have_count(3)
    assert [line.partition(" = ")[0] for line in lines.all_inner_texts()][:2] == ["mean", "std"]


def test_a_click_keeps_the_sum_and_a_term_and_its_operand_light_each_other(page: Page) -> None:
    page.mouse.click(*centre(page, "y", 1, 3))
    hover(page, "x", 1, 1)  # dimension 5 of the whole
    expect(sum_(page).locator(".matrix-term[data-lit]")).to_have_count(1)
    expect(sum_(page)).to_contain_text("y1,3 = ")
    more = sum_(page).locator(".matrix-more")
    expect(more).to_have_text("… 11 …")
    more.click()
    expect(more).to_have_count(0)
    expect(sum_(page).locator(".matrix-term")).to_have_count(42)  # 20 products; the bias twice, once beside their sum
    sum_(page).locator(".matrix-term[data-at]").first.hover()
    expect(sum_(page).locator(".matrix-term[data-lit]")).to_have_attribute("data-at", "x 1 0")


def test_a_cell_lights_what_was_computed_from_it(page: Page) -> None:
    base = page.locator(".matrix-base")
    hover(page, "x", 2, 1)
    expect(base).to_have_attribute("data-followed", "y 2-2,0-4; rows 0-0,1-1; rows 2-2,1-1")
    hover(page, "y", 1, 4)
    followed = str(base.get_attribute("data-followed"))
    for block in ("soft 1-1,0-4", "normed 1-1,0-4", "odd 1-1,4-4"):
        assert block in followed
    assert "kept" not in followed  # dropped: its formula does not read y there
    hover(page, "plain", 1, 0)
    expect(base).to_have_attribute("data-followed", "turned 1-1,1-1")


def test_the_page_stands_still_while_the_pointer_moves_and_every_line_of_the_sum_is_seen(page: Page) -> None:
    board = page.locator(".matrix")
    for chosen in (None, ("code", 0, 0)):
        if chosen:
            page.mouse.click(*centre(page, *chosen))
        height = board.evaluate("root => root.offsetHeight")
        for cell in (("y", 0, 0), ("normed", 0, 0), ("plain", 0, 0)):
            hover(page, *cell)
            assert board.evaluate("root => root.offsetHeight") == height
            expect(sum_(page)).to_be_in_viewport(ratio=1)
            assert page.locator(".matrix-working").evaluate("box => box.scrollHeight <= box.clientHeight")


def test_the_arrows_say_a_cell_and_enter_its_sum(page: Page) -> None:
    spoken, made = page.locator(".matrix-spoken"), re.compile(r"code1,2 = sin\(1 / 1002 / 4\)")
    page.locator(".matrix-base").focus()
    page.mouse.click(*centre(page, "code", 1, 1))
    page.keyboard.press("ArrowRight")
    expect(spoken).to_have_text(re.compile(r"\b1\b.* · 2\b.* · "))
    expect(spoken).not_to_contain_text(made)
    page.keyboard.press("Enter")
    expect(spoken).to_contain_text(made)
    page.keyboard.press("ArrowRight")
    expect(spoken).to_have_text(re.compile(r"\b1\b.* · 3\b.* · "))
    expect(spoken).not_to_contain_text("sin")


# How many cells the sum lies over of those that it is about: lit, chosen, or under the pointer.
COVERED = """(base, [x, y]) => {
  const sum = base.closest(".matrix").querySelector(".matrix-working").getBoundingClientRect();
  const { lit, chosen } = base.dataset;
  const cells = [y];
  for (const [, panel, first, last, col] of lit.matchAll(/([^ ]+) ([0-9]+)-([0-9]+),([0-9]+)/g))
    cells.push(base.cellCentre(panel, +first, +col).y, base.cellCentre(panel, +last, +col).y);
  const [panel, row, col] = chosen.split(/[ ,]/);
  cells.push(base.cellCentre(panel, +row, +col).y);
  return cells.filter((at) => at > sum.top && at < sum.bottom).length;
}"""
IS_ON_TOP = "(base, [x, y]) => document.elementFromPoint(x, y) === base"


@pytest.mark.parametrize(("path", "panel"), [("/attention?head=3", "products"), ("/heads?shown=scores", "cross.0.0")])
def test_a_kept_sum_covers_none_of_its_cells_keeps_its_height_under_the_hand_and_goes_with_escape(
    open_page: Callable[..., Page], path: str, panel: str
) -> None:
    page = open_page(path, lang="en")
    base, working = page.locator(".matrix-base").first, page.locator(".matrix-working").first

    def spot(row: int, col: int) -> list[float]:
        point = base.evaluate("(base, at) => base.cellCentre(...at)", [panel, row, col])
        return [point["x"], point["y"]]

    for height in (800, 720, 640, 560):  # as the page comes, with the cell that it begins with
        page.set_viewport_size({"width": 1280, "height": height})
        settle(page)
        assert base.evaluate(COVERED, [0, -1]) == 0
    cells = [(0, 7), (8, 0), (3, 4)]
    for cell in cells:
        base.evaluate("(base, y) => base.closest('.stMain').scrollBy(0, y - 300)", spot(*cell)[1])
        page.mouse.click(*spot(*cell))
        settle(page)
        expect(base).to_have_attribute("data-chosen", f"{panel} {cell[0]},{cell[1]}")
        assert base.evaluate(COVERED, spot(*cell)) == 0
        heights = [working.evaluate("box => box.offsetHeight")]
        for other in cells:
            if base.evaluate(IS_ON_TOP, spot(*other)):
                page.mouse.move(*spot(*other))
                heights.append(working.evaluate("box => box.offsetHeight"))
                assert base.evaluate(COVERED, spot(*other)) == 0
        assert len(heights) > 1
        assert heights == sorted(heights)

    base.evaluate("base => base.blur()")
    page.keyboard.press("Escape")
    expect(base).to_have_attribute("data-chosen", "")
