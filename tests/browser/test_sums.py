"""The sum of a cell as a reader meets it: written from the formula at once, joined to the cells that it names."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.driver import PATIENCE, complaints, settle

SCRIPT = """
    import numpy as np
    from ui.figures.board import Operand, Panel
    from ui.figures.formula import *
    from ui.canvas.matrix import matrix

    rng = np.random.default_rng(0)
    x, w, b = rng.normal(size=(3, 20)), rng.normal(size=(5, 20)), rng.normal(size=(1, 5))
    keep = np.array([[1, 0, 1, 1, 0]] * 3, dtype=bool)
    ids = np.array([2, 0, 2])
    X, W, B, Y = (Matrix(name) for name in ("x", "w", "b", "y"))
    y = x @ w.T + b
    mean_ = Named("mean", mean(K, 5, Y[I, K]))
    spread = Named("std", root(total(K, 5, (Y[I, K] - mean_) ** 2) / (5 - 1)))
    soft = np.exp(y - y.max(1, keepdims=True))
    soft /= soft.sum(1, keepdims=True)
    normed = (y - y.mean(1, keepdims=True)) / (y.std(1, ddof=1, keepdims=True) + 1e-6)
    i, j = np.arange(3)[:, None], np.arange(5)[None]
    panels = [
        Panel("x", x, "x", window=(slice(None), slice(4, 10)), meaning="query"),
        Panel("y", y, "y", place=(0, 1), made=total(K, 20, X[I, K] * W[J, K]) + B[0, J]),
        Panel("rows", x[ids], "rows", window=(slice(None), slice(4, 10)), place=(1, 0), made=X[I.of(ids, "id"), J]),
        Panel("soft", soft, "soft", place=(1, 1),
              made=exp(Y[I, J] - largest(L, 5, Y[I, L])) / total(K, 5, exp(Y[I, K] - largest(L, 5, Y[I, L])))),
        Panel("normed", normed, "normed", place=(1, 2), made=(Y[I, J] - mean_) / (spread + Number(1e-6, "eps"))),
        Panel("kept", np.where(keep, y / 0.5, 0), "kept", place=(2, 0),
              made=Choose(Matrix("keep")[I, J], Y[I, J] / (1 - Number(0.5, "p")), Number(0))),
        Panel("code", np.where(j % 2, np.cos(i / 100 ** (j // 2 * 2 / 4)), np.sin(i / 100 ** (j // 2 * 2 / 4))), "code",
              place=(2, 1), made=by_column(*[(cos if c % 2 else sin)(I / Number(100) ** (Number(c // 2 * 2) / 4))
                                             for c in range(5)])),
        Panel("odd", np.stack([np.abs(y[0]), np.maximum(y[1], 0), -np.log(soft[2])]), "odd", place=(2, 2),
              made=by_row(absolute(Y[0, J]), relu(Y[1, J]), -ln(Matrix("soft")[2, J]))),
        Panel("seen", (j <= i) & keep, "seen", scale="mask", place=(3, 0),
              made=J.at_most(I) * Matrix("keep")[I, J].differs_from(0)),
        Panel("turned", np.arange(6.).reshape(3, 2), "turned", place=(3, 1),
              made=by_cell(*[Matrix("plain")[c // 3, c % 3] for c in range(6)])),
        Panel("plain", np.arange(6.).reshape(2, 3), "plain", place=(3, 2)),
    ]
    matrix(panels, key="sums", words={"given": "given", "hint": "point"},
           operands=[Operand("w", w, "W^Q"), Operand("b", b, "b"), Operand("keep", keep, "keep")])
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


def test_every_kind_of_formula_gives_its_numbers_in_the_browser(page: Page) -> None:
    off = page.locator(".matrix-base").evaluate("base => base.furthest()")
    assert set(off) == {"y", "rows", "soft", "normed", "kept", "code", "odd", "seen", "turned"}
    assert max(off.values()) < 1e-6, off  # what travels is float32


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


def test_the_sum_is_read_out_with_the_cell(page: Page) -> None:
    page.locator(".matrix-base").focus()
    page.mouse.click(*centre(page, "code", 1, 1))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".matrix-spoken")).to_contain_text(re.compile(r"code1,2 = sin\(1 / 1002 / 4\)"))
