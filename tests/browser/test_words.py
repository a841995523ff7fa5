"""What a reader does with explained words: see them, hear them, copy the sentence without what explains it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

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
