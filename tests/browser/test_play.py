"""A board in motion as a reader meets it: how its cells are computed, and how one state becomes the next."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import faults
from tests.browser.driver import frames, settle
from ui.text import Words
from ui.theme import color

SCRIPT = """
    import numpy as np
    import streamlit as st
    from ui.figures import Board, Operand, Panel
    from ui.figures.formula import I, J, K, Matrix, total
    from ui.components.matrix import matrix

    WORDS = {"row": "row", "column": "column", "play": "Play", "pause": "Pause", "speed": "Speed", "hint": "point here",
             "progress": "how it is computed", "whole": "all cells", "play_keys": "K plays"}
    factor = st.slider("factor", 1, 9, 2)
    first = st.toggle("first")
    q = np.linspace(-1, 1, 5 * 4, dtype=np.float32).reshape(5, 4)
    k = np.linspace(-2, 1, 6 * 4, dtype=np.float32).reshape(6, 4) * factor / 2
    OPERANDS = [Operand("q", q), Operand("k", k)]
    products = Panel("products", q @ k.T, "products", place=(0, 2), symbol="p", high=9.0,
                     made=total(K, 4, Matrix("q")[I, K] * Matrix("k")[J, K]))
    half = Panel("half", q @ k.T / 2, "half", place=(1, 0), symbol="h", high=9.0, made=Matrix("products")[I, J] / 2)
    panels = [Panel("q", q, "q"), Panel("k", k, "k", place=(0, 1), high=9.0), products, half]
    matrix(Board(panels[2:], OPERANDS) if first else Board(panels), key="board", words=WORDS)
    matrix(Board([Panel("given", q, "given")]), key="given", words=WORDS)
"""

KEPT = """base => {
  window.seen = [base.toDataURL()];
  window.rests = [];
  new MutationObserver(() => {
    window.seen.push(base.toDataURL());
    window.rests.push(base.dataset.settled);
  }).observe(base, {attributes: true, attributeFilter: ['data-painted', 'data-settled']});
}"""

PAPER = """([on, moment]) => {
  document.documentElement.toggleAttribute('data-paper', on);
  dispatchEvent(new Event(moment));
}"""


@pytest.fixture(scope="module")
def url(serve: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    script = tmp_path_factory.mktemp("play") / "play.py"
    root = Path(__file__).resolve().parents[2]
    script.write_text(f"import sys\nsys.path.insert(0, {str(root)!r})\n" + dedent(SCRIPT), encoding="utf-8")
    return serve(str(script))


@pytest.fixture
def page(visit: Callable[..., Page], url: str) -> Iterator[Page]:
    page = visit(url, height=1000)
    page.wait_for_function("document.querySelectorAll('.matrix-base[data-painted]').length === 2")
    settle(page)
    at_rest(page)
    yield page
    page.emulate_media(media="null", reduced_motion="no-preference")


def base(page: Page) -> Any:
    return page.locator(".matrix-base").first


def picture(page: Page) -> str:
    return str(base(page).evaluate("base => base.toDataURL()"))


def at_rest(page: Page) -> None:
    expect(base(page)).to_have_attribute("data-settled", "true")
    expect(base(page)).not_to_have_attribute("data-filled", re.compile("."))


def filled(page: Page, state: str | re.Pattern[str]) -> None:
    expect(base(page)).to_have_attribute("data-filled", state)


def button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def places(page: Page) -> Any:
    return page.get_by_role("slider", name="how it is computed")


def is_empty(page: Page, panel: str, row: int, col: int) -> bool:
    """Whether a cell has the colour of the page."""
    found = str(
        base(page).evaluate(
            """(base, cell) => {
              const point = base.cellCentre(...cell), at = base.getBoundingClientRect(), d = devicePixelRatio;
              const brush = base.getContext('2d');
              const pixel = (x, y) => brush.getImageData(x * d, y * d, 1, 1).data.slice(0, 3).join();
              return pixel(point.x - at.left, point.y - at.top);
            }""",
            [panel, row, col],
        )
    )
    paper = color("background", "light")
    return found == ",".join(str(int(paper[at : at + 2], 16)) for at in (1, 3, 5))


def test_nothing_plays_by_itself_and_a_play_ends_with_the_board_as_it_was(page: Page) -> None:
    before = picture(page)
    frames(page, 5)
    at_rest(page)
    assert picture(page) == before
    expect(places(page)).to_be_hidden()
    button(page, "Play").click()
    filled(page, "products 0")
    assert is_empty(page, "products", 4, 5)
    assert is_empty(page, "half", 0, 0)
    assert not is_empty(page, "k", 0, 0)
    expect(page.locator(".matrix-sum").first).to_contain_text(re.compile(r"^p0,0 = .+ \+ … = "))
    filled(page, re.compile("^half"))
    assert not is_empty(page, "products", 4, 5)
    at_rest(page)
    assert picture(page) == before
    expect(page.locator(".matrix-lights").first).to_be_hidden()
    expect(button(page, "Play")).to_be_visible()


def test_a_board_of_given_numbers_has_nothing_to_play(page: Page) -> None:
    expect(page.get_by_role("group", name="how it is computed")).to_have_count(1)
    given = page.locator(".matrix-base").nth(1)
    given.evaluate("base => { base.play(); base.show(0.5); }")
    given.press("k")
    expect(given).to_have_attribute("data-settled", "true")
    assert "K plays" not in str(given.get_attribute("aria-label"))
    assert "K plays" in str(base(page).get_attribute("aria-label"))


def test_the_slider_leads_to_each_term_and_each_cell_with_its_operands_lit(page: Page) -> None:
    button(page, "Play").click()
    slider = places(page)
    slider.focus()
    slider.press("Home")
    filled(page, "products 0")
    expect(base(page)).to_have_attribute("data-lit", "q 0-0,0-3; k 0-0,0-3")
    sums = [page.locator(".matrix-sum").first.inner_text()]
    for _ in range(3):
        slider.press("ArrowRight")
        sums.append(page.locator(".matrix-sum").first.inner_text())
    assert [text.count("·") for text in sums] == [1, 2, 3, 4]
    assert [" + …" in text for text in sums] == [True, True, True, False]
    filled(page, "products 1")
    slider.press("ArrowRight")
    filled(page, "products 2")
    expect(base(page)).to_have_attribute("data-lit", "q 0-0,0-3; k 1-1,0-3")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^products row 0 · column 1 · "))
    assert not is_empty(page, "products", 0, 1)
    assert is_empty(page, "products", 0, 2)
    slider.press("ArrowLeft")
    filled(page, "products 1")
    assert is_empty(page, "products", 0, 1)
    slider.press("End")
    at_rest(page)
    expect(slider).to_have_attribute("aria-valuetext", "all cells")
    slider.press("Escape")
    expect(slider).to_be_hidden()


def test_keys_on_the_board_play_pause_and_go_by_a_cell_and_escape_shows_all(page: Page) -> None:
    before = picture(page)
    canvas = base(page)
    canvas.focus()
    page.keyboard.press("k")
    filled(page, re.compile("^products [1-9]"))
    page.keyboard.press("k")
    expect(button(page, "Play")).to_be_visible()
    paused = canvas.get_attribute("data-filled")
    frames(page, 5)
    filled(page, str(paused))
    page.keyboard.press(".")
    filled(page, f"products {int(str(paused).split()[1]) + 1}")
    page.keyboard.press(",")
    filled(page, str(paused))
    page.keyboard.press("Escape")
    at_rest(page)
    assert picture(page) == before
    page.keyboard.press(",")  # from the end
    filled(page, "half 30")
    page.keyboard.press("ArrowDown")  # chooses a cell, as ever
    at_rest(page)
    expect(canvas).to_have_attribute("data-chosen", "q 0,0")
    page.keyboard.press(".")
    filled(page, "products 0")
    page.keyboard.press("Escape")
    expect(canvas).to_have_attribute("data-chosen", "q 0,0")
    page.keyboard.press("Escape")
    expect(canvas).to_have_attribute("data-chosen", "")


def test_a_click_or_another_message_shows_all_again(page: Page) -> None:
    canvas = base(page)
    canvas.evaluate("base => base.show(0.5)")
    filled(page, re.compile("."))
    point = canvas.evaluate("base => base.cellCentre('products', 2, 3)")
    page.mouse.click(point["x"], point["y"])
    at_rest(page)
    expect(canvas).to_have_attribute("data-chosen", "products 2,3")
    page.mouse.move(2, 2)
    canvas.evaluate("base => base.play()")
    filled(page, re.compile("."))
    page.get_by_role("slider", name="factor").press("ArrowRight")
    at_rest(page)
    expect(places(page)).to_be_hidden()
    canvas.evaluate("base => { base.show(0); base.show(1); }")
    at_rest(page)


def test_one_state_glides_into_the_next_and_ends_as_if_it_had_been_there_from_the_start(page: Page) -> None:
    slider = page.get_by_role("slider", name="factor")
    base(page).evaluate(KEPT)
    slider.press("ArrowRight")
    page.wait_for_function("() => window.rests.at(-1) === 'true'")
    seen, rests = page.evaluate("[window.seen, window.rests]")
    assert rests[0] == "false"
    assert len(set(seen)) >= 3  # from, on the way, there
    there = picture(page)
    slider.press("ArrowLeft")
    slider.press("ArrowRight")  # before or after it has come to rest
    settle(page)
    at_rest(page)
    assert picture(page) == there

    toggle = page.get_by_role("switch", name="first")
    (toggle if toggle.count() else page.get_by_role("checkbox", name="first")).press("Space")
    expect(base(page)).to_have_attribute("data-summary", "products 5x6; half 5x6")
    settle(page)
    at_rest(page)


def test_who_wants_no_motion_sees_the_end_at_once_and_plays_by_the_press(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    base(page).evaluate(KEPT)
    page.get_by_role("slider", name="factor").press("ArrowRight")
    page.wait_for_function("() => window.rests.length > 0")
    settle(page)
    assert set(page.evaluate("window.rests")) == {"true"}
    assert len(set(page.evaluate("window.seen"))) == 2
    play = button(page, "Play")
    for state in ("products 1", "products 30", "half 1", "half 30"):
        play.click()
        filled(page, state)
        frames(page, 3)
        filled(page, state)
    play.click()
    at_rest(page)
    expect(page.get_by_role("button", name="Speed")).to_be_hidden()


def test_paper_shows_the_whole_board_and_no_player(page: Page) -> None:
    before = picture(page)
    base(page).evaluate("base => base.play()")
    filled(page, re.compile("."))
    page.evaluate(PAPER, [True, "beforeprint"])
    at_rest(page)
    expect(button(page, "Play")).to_be_hidden()
    page.evaluate(PAPER, [False, "afterprint"])
    filled(page, re.compile("."))  # where it was
    base(page).press("Escape")
    at_rest(page)
    assert picture(page) == before


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_player_fits_a_phone_covers_nothing_and_has_names(open_page: Callable[..., Page], lang: str) -> None:
    words = Words("shell", lang)
    page = open_page("/attention?stage=all", lang=lang, width=390, height=844)
    play = button(page, words("matrix.play")).first
    play.click()
    button(page, words("matrix.pause")).click()
    player = page.get_by_role("group", name=words("matrix.progress")).first
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        settle(page)
        assert faults(page) == []
        box = player.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert player.evaluate("""player => {
          const others = player.closest('.matrix').querySelectorAll('.matrix-readout, .matrix-formula');
          const { left, right, top, bottom } = player.getBoundingClientRect();
          return [...others].every((other) => {
            const at = other.getBoundingClientRect();
            return at.left >= right || at.right <= left || at.top >= bottom - 1 || at.bottom <= top + 1;
          });
        }""")
    for part in ("button", "input"):
        player.locator(part).first.focus()
        page.keyboard.press("Shift")
        assert player.locator(part).first.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
