"""The comparison under a reader's hands: a model chosen in the menu, a matrix in the section, both in the link."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.driver import saying, settle
from ui.text import Words


def choose(page: Page, label: str, option: str) -> None:
    box = page.get_by_test_id("stSelectbox").filter(has=page.get_by_text(label, exact=True)).locator("input")
    settle(page)  # a run that is under way would close the menu again
    box.scroll_into_view_if_needed()
    box.click()
    page.get_by_role("option", name=option, exact=True).click()
    settle(page)


def test_what_is_compared_is_chosen_in_the_menu_and_kept_in_the_link(open_page: Callable[..., Page]) -> None:
    page = open_page("/tokens?model=trained", lang="en")
    section = page.locator("#difference")
    expect(section).to_have_count(0)
    choose(page, "Compare with", "Itself, before training")
    expect(section).to_have_count(1)
    expect(page).to_have_url(saying("compare=untrained"))
    choose(page, Words("shell", "en")("delta.stack"), "Generator")
    expect(page).to_have_url(saying("delta=generator.logits"))
    choose(page, "Matrix", "W")
    expect(page).to_have_url(saying("delta=generator.proj.weight"))
    page.go_back()
    expect(page).to_have_url(saying("delta=generator.logits"))
    choose(page, "Compare with", "Nothing")
    expect(section).to_have_count(0)
    expect(page).not_to_have_url(re.compile("compare="))
