"""The matrix as a reader meets it: what lights up, what is read out, what Python hears, and that nothing is undone."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driver import PATIENCE, complaints, saying, settle
from ui.theme import color

Open = Callable[[], Page]

PAINTED = "document.querySelectorAll('.matrix-base[data-painted]').length === 4"
SCRIPT = """
    import time
    from dataclasses import astuple
    from pathlib import Path
    import numpy as np
    import streamlit as st
    from ui.figures import Board, Panel
    from ui.figures.formula import I, J, K, Matrix, total
    from ui.components.matrix import matrix

    WORDS = {"row": "row", "column": "column", "masked": "masked", "allowed": "may attend", "hint": "point here",
             "vacant": "nothing", "keys": "arrows move", "labels": "labels too"}

    keys = st.slider("keys", 3, 9, 7)
    preset = st.button("preset")
    q = np.linspace(-1, 1, 5 * 4, dtype=np.float32).reshape(5, 4)
    k = np.linspace(-2, 1, keys * 4, dtype=np.float32).reshape(keys, 4)
    scores = q @ k.T
    blocked = np.zeros(scores.shape, bool)
    blocked[:, -1] = True
    odd = np.array([[np.nan, np.inf, 0.125, 8.3344e-5, -1e9, np.nan]])
    tokens = [f"t{j}" for j in range(keys)]
    panels = [
        Panel("q", q, "query", meaning="query"),
        Panel("k", k, "key", row_labels=tokens, meaning="key", place=(0, 1), label_events=True),
        Panel("scores", scores, "scores", col_labels=tokens, blocked=blocked, place=(1, 0), label_events=True,
              made=total(K, 4, Matrix("q")[I, K] * Matrix("k")[J, K])),
        Panel("odd", odd, "odd", place=(1, 1), vacant=np.arange(6)[None] == 5),
    ]
    while Path(__file__).with_name("wait").exists():  # a server that takes as long as the test wants
        time.sleep(0.01)
    # A run ends early wherever it asks Streamlit for something: between the board's answer and its keeping it must not.
    kept = st.session_state.setdefault("kept cell", {"cell": None})
    if preset:
        kept["cell"] = ("k", 0, 0)
    kept["cell"] = matrix(Board(panels), key="kept", chosen=kept["cell"], words=WORDS, alt="scores of a head",
                          on_label=lambda label: kept.update(label=astuple(label)))
    st.text(f"heard {kept['cell']} {kept.pop('label', None)}")

    wall = [Panel(f"{i}.{j}", np.full((6, 4 if i == 5 else 5), (8 * i + j) / 48), f"{i}·{j}", scale="probability",
                  place=(i, j), wall=4) for i in range(6) for j in range(8)]
    st.text(f"wall {matrix(Board(wall), key='wall', words=WORDS)}")
    matrix(Board([Panel("wide", np.ones((2, 512)))]), key="wide")
    matrix(Board([Panel(f"g{j}", np.ones((2, 40)), place=(0, j), wall=8) for j in range(16)]), key="groups")
"""


@pytest.fixture(scope="module")
def board_script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    script = tmp_path_factory.mktemp("matrix") / "board.py"
    root = Path(__file__).resolve().parents[2]
    script.write_text(f"import sys\nsys.path.insert(0, {str(root)!r})\n" + dedent(SCRIPT), encoding="utf-8")
    return script


@pytest.fixture(scope="module")
def board_url(serve: Callable[[str], str], board_script: Path) -> str:
    return serve(str(board_script))


@pytest.fixture
def wait(board_script: Path) -> Iterator[Path]:
    """As long as this file is there, the server stands still within a run."""
    file = board_script.with_name("wait")
    yield file
    file.unlink(missing_ok=True)


@pytest.fixture
def open_board(visit: Callable[..., Page], board_url: str) -> Open:
    def open_() -> Page:
        page = visit(board_url, height=900)
        page.wait_for_function(PAINTED)
        settle(page)
        return page

    return open_


def canvas(page: Page, board: int = 0) -> Any:
    return page.locator(".matrix-base").nth(board)


def centre(page: Page, panel: str, row: int, col: int, board: int = 0) -> tuple[float, float]:
    canvas(page, board).scroll_into_view_if_needed()
    point = canvas(page, board).evaluate("(base, at) => base.cellCentre(...at)", [panel, row, col])
    return point["x"], point["y"]


def hover(page: Page, *cell: Any) -> None:
    page.mouse.move(*centre(page, *cell))


def click(page: Page, *cell: Any) -> None:
    page.mouse.click(*centre(page, *cell))


def lit(page: Page, expected: str, board: int = 0) -> None:
    page.wait_for_function(
        "([at, lit]) => document.querySelectorAll('.matrix-base')[at].dataset.lit === lit", arg=[board, expected]
    )


def heard(page: Page, line: str) -> None:
    page.get_by_text(line, exact=True).wait_for()


def chosen(page: Page, cell: str | re.Pattern[str], board: int = 0) -> None:
    expect(canvas(page, board)).to_have_attribute("data-chosen", cell)


def readout(page: Page, words: str, board: int = 0) -> None:
    expect(page.locator(".matrix-readout").nth(board)).to_have_text(words, use_inner_text=True)


def pixel(page: Page, cell: tuple[str, int, int], dx: float = 0, dy: float = 0) -> tuple[int, ...]:
    """The colour on the base canvas, `dx`, `dy` off the centre of a cell."""
    return tuple(
        canvas(page).evaluate(
            """(base, [cell, dx, dy]) => {
              const point = base.cellCentre(...cell), at = base.getBoundingClientRect(), d = devicePixelRatio;
              const [x, y] = [(point.x - at.left + dx) * d, (point.y - at.top + dy) * d];
              return [...base.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3);
            }""",
            [list(cell), dx, dy],
        )
    )


def rgb(hex_color: str) -> tuple[int, ...]:
    return tuple(int(hex_color[at : at + 2], 16) for at in (1, 3, 5))


def test_pointing_at_a_cell_lights_its_operands_and_says_its_true_value_and_moves_nothing(open_board: Open) -> None:
    page = open_board()
    q = np.linspace(-1, 1, 20, dtype=np.float32).reshape(5, 4)
    hover(page, "q", 1, 2)
    lit(page, "")
    readout(page, f"query row 1 · column 2 · {q[1, 2]:.3f}".replace("-", "−"))
    hover(page, "scores", 0, 6)
    lit(page, "q 0-0,0-3; k 6-6,0-3")
    readout(page, "scores row 0 · column 6 “t6” · masked")
    page.mouse.move(2, 2)
    lit(page, "")
    point = centre(page, "scores", 3, 5)
    before = canvas(page).bounding_box()
    page.mouse.move(*point)
    lit(page, "q 3-3,0-3; k 5-5,0-3")
    assert canvas(page).bounding_box() == before


def test_a_click_chooses_and_a_second_takes_it_back_but_the_page_may_choose_another(open_board: Open) -> None:
    page = open_board()
    click(page, "scores", 4, 1)
    heard(page, "heard ('scores', 4, 1) None")
    page.mouse.move(2, 2)
    lit(page, "q 4-4,0-3; k 1-1,0-3")
    click(page, "scores", 4, 1)
    heard(page, "heard None None")
    page.mouse.move(2, 2)
    lit(page, "")

    click(page, "2.7", 5, 3, 1)  # a board whose page remembers nothing
    heard(page, "wall ('2.7', 5, 3)")
    for _ in range(2):  # also back to a cell that it has asked for before
        click(page, "scores", 2, 2)
        heard(page, "heard ('scores', 2, 2) None")
        page.get_by_role("button", name="preset").click()
        heard(page, "heard ('k', 0, 0) None")
        settle(page)
        chosen(page, "k 0,0")
    heard(page, "wall ('2.7', 5, 3)")
    chosen(page, "2.7 5,3", 1)


def test_an_answer_from_before_a_click_does_not_undo_it(open_board: Open, wait: Path) -> None:
    page = open_board()
    wait.touch()
    click(page, "scores", 1, 1)
    page.wait_for_function("document.querySelector('.stApp').dataset.testScriptState === 'running'")
    page.evaluate("""() => {
      const base = document.querySelector('.matrix-base');
      document.addEventListener('click', () => { window.seen = []; }, {capture: true});
      new MutationObserver(() => window.seen?.push(base.dataset.chosen)).observe(base, {attributes: true});
    }""")
    click(page, "q", 3, 2)  # while the server still works on the first
    chosen(page, "q 3,2")
    wait.unlink()
    heard(page, "heard ('q', 3, 2) None")
    settle(page)
    assert set(page.evaluate("window.seen")) == {"q 3,2"}
    page.get_by_role("slider").press("ArrowLeft")
    settle(page)
    chosen(page, "q 3,2")
    heard(page, "heard ('q', 3, 2) None")


def test_new_numbers_are_painted_in_place_and_the_pointer_keeps_its_cell_but_none_that_is_gone(
    open_board: Open,
) -> None:
    page = open_board()
    expect(canvas(page)).to_have_attribute("data-summary", "q 5x4; k 7x4; scores 5x7; odd 1x6")
    page.evaluate("window.first = document.querySelector('.matrix-base')")
    hover(page, "q", 4, 0)
    page.get_by_role("slider").press("ArrowRight")
    expect(canvas(page)).to_have_attribute("data-summary", saying("scores 5x8"))
    assert page.evaluate("window.first === document.querySelector('.matrix-base')")
    readout(page, "query row 4 · column 0 · 0.684")

    click(page, "scores", 2, 5)
    heard(page, "heard ('scores', 2, 5) None")
    page.get_by_role("slider").press("Home")  # 3 keys
    expect(canvas(page)).to_have_attribute("data-summary", saying("scores 5x3"))
    heard(page, "heard None None")
    chosen(page, "")


def test_the_keys_move_choose_and_let_go(open_board: Open) -> None:
    page = open_board()
    canvas(page).focus()
    page.keyboard.press("ArrowDown")
    chosen(page, "q 0,0")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    chosen(page, "q 1,1")
    heard(page, "heard ('q', 1, 1) None")
    expect(page.locator(".matrix-spoken").first).to_contain_text("row 1 · column 1 · ")
    for again in ("Enter", " "):
        for key in ("Enter", " "):  # what is chosen stays chosen
            page.keyboard.press(key)
            chosen(page, "q 1,1")
        page.keyboard.press("Escape")
        heard(page, "heard None None")
        page.keyboard.press(again)  # where the keys were last
        heard(page, "heard ('q', 1, 1) None")
    hover(page, "scores", 2, 5)
    page.keyboard.press("Enter")
    heard(page, "heard ('scores', 2, 5) None")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")  # the pointer lies where it lay, but the keys have moved on
    heard(page, "heard ('scores', 2, 4) None")
    page.keyboard.press("Tab")  # to the sum, which may be taller than its place
    page.keyboard.press("Tab")
    assert not canvas(page).evaluate("base => base === document.activeElement")

    # over the edge into the neighbour
    click(page, "q", 2, 3)
    page.keyboard.press("ArrowRight")
    chosen(page, re.compile("^k "))
    click(page, "q", 4, 1)
    page.keyboard.press("ArrowDown")
    chosen(page, re.compile("^scores 0,"))
    page.keyboard.press("ArrowUp")
    chosen(page, re.compile("^q 4,"))
    click(page, "q", 0, 0)
    page.keyboard.press("ArrowLeft")
    chosen(page, "q 0,0")

    # a wide board scrolls along
    canvas(page, 2).focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    window = page.locator(".matrix-window").nth(2)
    window.evaluate("window => { window.scrollLeft = 900; }")
    page.keyboard.press("ArrowRight")
    chosen(page, "wide 0,4", 2)
    page.wait_for_function("window => window.scrollLeft < 20", arg=window.element_handle())


def test_a_label_is_heard_once_at_a_click_or_at_shift_and_an_arrow(open_board: Open) -> None:
    page = open_board()
    for panel, axis, index, key in (("k", "row", 2, "ArrowLeft"), ("scores", "column", 4, "ArrowRight")):
        point = canvas(page).evaluate("(base, at) => base.labelCentre(...at)", [panel, axis, index])
        page.mouse.click(point["x"], point["y"])
        heard(page, f"heard None ('{panel}', '{axis}', {index})")
        page.get_by_role("slider").press(key)
        heard(page, "heard None None")
    expect(canvas(page)).to_have_attribute("data-summary", saying("scores 5x7"))

    click(page, "scores", 3, 5)
    canvas(page).focus()
    page.keyboard.press("Shift+ArrowUp")
    heard(page, "heard ('scores', 3, 5) ('scores', 'column', 5)")
    page.keyboard.press("ArrowUp")  # without Shift an arrow moves on
    heard(page, "heard ('scores', 2, 5) None")
    click(page, "k", 4, 2)
    canvas(page).focus()
    page.keyboard.press("Shift+ArrowLeft")
    heard(page, "heard ('k', 4, 2) ('k', 'row', 4)")
    expect(page.locator(".matrix-spoken").first).to_contain_text("key row 4 “t4”")


def test_masked_empty_and_missing_cells_are_told_apart_in_light_and_dark(open_board: Open) -> None:
    page = open_board()
    masked = {pixel(page, ("scores", 0, 6), dx, 0) for dx in range(-6, 7)}
    assert rgb(color("panel", "light")) in masked
    assert len(masked) > 1  # hatched
    assert all(max(tint) - min(tint) < 12 for tint in masked)  # greys only: no colour of the scale
    assert len({pixel(page, ("scores", 0, 2), dx, 0) for dx in range(-6, 7)}) == 1
    empty = {pixel(page, ("odd", 0, 5), dx, dy) for dx in range(-5, 6) for dy in range(-5, 6)}
    assert empty == {rgb(color("background", "light"))}
    missing = {pixel(page, ("odd", 0, 0), dx, dy) for dx in range(-12, 13) for dy in range(-4, 5)}
    assert len(missing) > 5

    expect(canvas(page)).to_have_attribute("data-mode", "light")
    page.emulate_media(color_scheme="dark")
    expect(canvas(page)).to_have_attribute("data-mode", "dark")
    assert rgb(color("panel", "dark")) in {pixel(page, ("scores", 0, 6), dx, 0) for dx in range(-6, 7)}


def test_the_canvas_says_what_it_shows_and_writes_numbers_as_under_the_figures(open_board: Open) -> None:
    page = open_board()
    assert canvas(page).get_attribute("aria-label") == "scores of a head arrows move labels too"
    readout(page, "point here labels too")
    readout(page, "point here", 1)  # no label can be pressed there
    assert [canvas(page, 1).get_attribute("data-summary").count(size) for size in ("6x5", "6x4")] == [40, 8]
    for col, value in enumerate(("NaN", "∞", "0.125", "8.33×10⁻⁵", "−10⁹", "nothing")):
        hover(page, "odd", 0, col)
        expect(page.locator(".matrix-readout").first).to_have_text(re.compile(f"· {value}$"), use_inner_text=True)


def test_on_a_sharp_phone_the_picture_is_sharp_and_nothing_is_cut(browser: Browser, board_url: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900}, device_scale_factor=2)
    page.set_default_timeout(PATIENCE)
    faults = complaints(page)
    page.goto(board_url)
    page.wait_for_function(PAINTED)
    settle(page)
    box = canvas(page).bounding_box()
    assert canvas(page).evaluate("base => base.width") == 2 * box["width"]

    assert page.evaluate("document.querySelector('.stMain').scrollWidth") <= 390  # the page does not scroll sideways
    for board in (0, 1):
        window = page.locator(".matrix-window").nth(board)
        assert window.evaluate("window => window.scrollWidth") == window.evaluate("window => window.clientWidth")
    for cell in (("q", 4, 3), ("k", 6, 3), ("scores", 4, 6), ("odd", 0, 2)):
        assert 16 < centre(page, *cell)[0] < 374
    wide = page.locator(".matrix-window").nth(2)
    assert wide.evaluate("window => window.scrollWidth") > 1500  # 512 columns scroll inside their own frame

    for column in range(8):  # below each other, though the last line is of smaller matrices
        first, *_, last = (centre(page, f"{line}.{column}", 0, 0, 1)[0] for line in range(6))
        assert first == pytest.approx(last, abs=1)
    groups = [centre(page, f"g{at}", 0, 0, 3) for at in range(16)]  # too wide for the page, each by itself
    (upper,), (lower,) = ({y for _, y in part} for part in (groups[:8], groups[8:]))
    assert upper < lower
    page.close()
    assert faults == []
