"""Numbers that are typed, and tables of numbers: nobody reads the words that Streamlit has in English only."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import frames, settle
from ui.text import LANGUAGES, Words


@pytest.mark.parametrize(
    ("lang", "typed", "given"),
    [("en", "9007199254740993", "9.007×10¹⁵"), ("zh", "-99999999999999999999", "−9.007×10¹⁵")],
)
def test_a_whole_number_past_those_that_a_browser_knows_is_refused_in_our_words(
    open_page: Callable[..., Page], lang: str, typed: str, given: str
) -> None:
    page = open_page("/training", lang=lang)
    label = Words("training", lang)("seed")
    page.locator(".st-key-training-settings summary").click()
    field = page.get_by_role("spinbutton", name=label)
    field.fill(typed)
    field.press("Enter")
    sentence = Words("shell", lang)("out_of_range", label=label, low="0", high="9999", given=given, kept="0")
    expect(page.get_by_test_id("stAlert")).to_have_text(sentence)
    settle(page)
    expect(field).to_have_value("0")
    expect(page.get_by_text("allowed range"), "Streamlit's own sentence").to_have_count(0)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_columns_of_a_table_have_no_menu_which_would_be_english(open_page: Callable[..., Page], lang: str) -> None:
    page = open_page("/loss", lang=lang, sections="rate")
    page.get_by_text(Words("shell", lang)("caption_part.numbers"), exact=True).last.click()
    table = page.get_by_test_id("stDataFrame")
    settle(page)
    assert not menu_opens(page, table)
    page.add_style_tag(content="[data-testid=stDataFrameResizable]::after { display: none }")
    assert menu_opens(page, table), "Streamlit's own table has one"


def menu_opens(page: Page, table: Locator) -> bool:
    """Click along the end of the last column's name, where it has its menu."""
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    assert box
    for left in range(60, 0, -8):
        page.mouse.move(box["x"] + box["width"] - left, box["y"] + 18)
        page.mouse.down()
        page.mouse.up()
        frames(page, 10)
        if page.get_by_test_id("stDataFrameColumnMenu").count():
            return True
    return False
