"""Numbers that are typed: what no field can hold is refused in the language of the page."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import settle
from ui.text import Words


@pytest.mark.parametrize(
    ("lang", "typed", "given"),
    [("en", "9007199254740993", "9.007×10¹⁵"), ("zh", "-99999999999999999999", "−9.007×10¹⁵")],
)
def test_a_whole_number_past_those_that_a_browser_knows_is_refused_in_our_words(
    open_page: Callable[..., Page], lang: str, typed: str, given: str
) -> None:
    page = open_page("/training", lang=lang)
    label = Words("training", lang)("seed")
    field = page.get_by_role("spinbutton", name=label)
    field.fill(typed)
    field.press("Enter")
    sentence = Words("shell", lang)("out_of_range", label=label, low="0", high="9999", given=given, kept="0")
    expect(page.get_by_test_id("stAlert")).to_have_text(sentence)
    settle(page)
    expect(field).to_have_value("0")
    expect(page.get_by_text("allowed range"), "Streamlit's own sentence").to_have_count(0)
