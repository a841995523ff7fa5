"""What only a browser can know of tokens and positions: clicks that light operands, and hands that are really drawn."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.driver import saying, settle

Open = Callable[..., Page]


def click_cell(page: Page, at: int, panel: str, row: int, column: int) -> None:
    """Click a cell of the `at`-th board."""
    canvas = page.locator("canvas.matrix-base").nth(at)
    canvas.scroll_into_view_if_needed()
    place = canvas.evaluate("(canvas, cell) => canvas.cellCentre(...cell)", [panel, row, column])
    page.mouse.click(place["x"], place["y"])
    settle(page)


def test_a_click_on_a_vector_lights_its_id_and_its_row_of_the_table_and_writes_it_out(open_page: Open) -> None:
    page = open_page("/tokens?example=five", lang="en")
    click_cell(page, 0, "vectors", 3, 7)
    canvas = page.locator("canvas.matrix-base").first
    expect(canvas).to_have_attribute("data-lit", "table 8-8,7-7; src 0-0,3-3")
    expect(page.locator(".matrix-sum").first).to_contain_text("x3,7 = √16·")
    expect(page).to_have_url(saying("cell=vectors.3.7"))


def test_an_id_lights_its_row_of_the_table_and_the_vector_looked_up(open_page: Open) -> None:
    page = open_page("/tokens?example=lengths&row=1", lang="en")
    canvas = page.locator("canvas.matrix-base").first
    for column in (0, 3, 4):
        click_cell(page, 0, "src", 1, column)
        expect(canvas).to_have_attribute("data-chosen", f"src 1,{column}")
        token = page.locator(".matrix-readout").first.inner_text().rpartition("· ")[2]
        expect(canvas).to_have_attribute("data-lit", f"table {token}-{token},0-15")
        expect(canvas).to_have_attribute("data-followed", f"vectors {column}-{column},0-15")
    click_cell(page, 0, "src", 0, 1)  # of a sequence that is not looked up
    expect(canvas).to_have_attribute("data-lit", "")


def test_the_code_writes_its_formula_the_curves_follow_and_every_clock_has_two_hands(open_page: Open) -> None:
    page = open_page("/positions?angle=pair_and_shift&turn_d=6&pos=20", lang="en", dark=True)
    hands = page.get_by_role("img", name="One clock for each pair").locator("div[style*=rotate]")
    expect(hands).to_have_count(2 * 3)
    for hand in hands.all():
        assert hand.evaluate("hand => hand.offsetHeight * hand.offsetWidth") > 40

    click_cell(page, 0, "code", 37, 4)
    formula = page.locator(".matrix-sum").first
    expect(formula).to_contain_text("PE37,4 = sin(37 / 100004 / 20)")
    slider = page.get_by_role("slider", name="d_model").first
    slider.focus()
    slider.press("ArrowRight")
    settle(page)
    expect(formula).to_contain_text("PE37,4 = sin(37 / 100004 / 22)")

    drawn = page.locator(".stEChartsChart").and_(page.get_by_label("as curves over the")).locator("svg")
    before = drawn.evaluate("svg => { svg.first = true; return svg.innerHTML; }")
    page.get_by_role("slider", name="Base").first.press("ArrowLeft")
    settle(page)
    page.wait_for_function("([svg, before]) => svg.innerHTML !== before", arg=[drawn.element_handle(), before])
    assert drawn.evaluate("svg => svg.first === true")  # the same drawing
