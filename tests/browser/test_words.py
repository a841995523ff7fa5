"""What a reader does with explained words: see them, hear them, copy the sentence without what explains it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import faults, in_the_other_theme
from tests.browser.test_screens import CLIPPED

Open = Callable[..., Page]

COPIED = """(selector) => {
  const words = document.querySelector(selector);
  getSelection().selectAllChildren(words);
  const copied = getSelection().toString();
  getSelection().empty();
  return copied;
}"""
# Of every gloss: whether it stands below its word, and within the window
BELOW = """(glosses) => glosses.map((gloss) => {
  const [told, word] = [gloss, gloss.parentElement.firstChild].map((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    return range.getBoundingClientRect();
  });
  return told.top >= word.bottom - word.height / 2 && told.left >= 0 && told.right <= innerWidth;
})"""


@pytest.mark.parametrize(("lang", "dark"), [("en", False), ("zh", True)])
def test_glosses_are_below_their_words_on_a_phone_too_and_stay_there_when_a_sentence_is_copied(
    open_page: Open, lang: str, dark: bool
) -> None:
    page = open_page("/decoding?model=translate&turn=9", lang=lang, dark=dark, width=390, height=844)
    below = page.locator(".tokens rt").evaluate_all(BELOW)
    assert len(below) >= 7
    assert all(below)
    assert page.evaluate(CLIPPED) == []
    rows = [page.evaluate(COPIED, f".tokens:nth-of-type({row})") for row in (1, 2)]
    assert "".join(rows[0].split()).endswith("⟨s⟩Ibuytworedflowerseveryday⟨/s⟩")
    assert "".join(rows[1].split()).endswith("⟨s⟩我每天买两朵红色的花⟨/s⟩")
    assert faults(page) == []
    assert in_the_other_theme(page, "light" if dark else "dark") == []


# Of what a term means, once it is shown: whether it lies within the window, over all else
SEEN = """(told) => {
  told.scrollIntoView({ block: "center" });
  const { left, right, top, bottom } = told.getBoundingClientRect();
  const corners = [[left + 8, top + 8], [right - 8, bottom - 8], [left + 8, bottom - 8], [right - 8, top + 8]];
  const seen = corners.every(([x, y]) => told.contains(document.elementFromPoint(x, y)));
  return seen && left >= 0 && right <= innerWidth;
}"""


@pytest.mark.parametrize(("lang", "width"), [("en", 390), ("zh", 1280)])
def test_a_term_tells_what_it_means_to_pointer_and_keyboard_and_is_not_clipped(
    open_page: Open, lang: str, width: int
) -> None:
    page = open_page("/layers?model=translate", lang=lang, sections="all", width=width, height=844)
    terms, told = page.locator(".stMain .term"), page.locator(".stMain .term-told")
    assert terms.count() == told.count() >= 5
    expect(told.locator("visible=true")).to_have_count(0)
    for term in terms.all():
        term.focus()
        described = page.locator(f"#{term.get_attribute('aria-describedby')}")
        expect(described).to_be_visible()
        assert described.evaluate(SEEN)
    assert faults(page) == []  # the last one is open
    page.keyboard.press("Shift+Tab")
    expect(told.last).to_be_hidden()
    terms.first.scroll_into_view_if_needed()
    terms.first.hover()
    expect(told.first).to_be_visible()
    page.mouse.move(0, 0)
