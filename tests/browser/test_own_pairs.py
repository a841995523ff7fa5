"""Pairs of the reader's own, in a browser: pasted, learned, shown by all chapters, kept over a reload, in no link."""

from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from tests.browser.driver import AGES, PATIENCE, settle
from ui.text import Words

LINES = "\n".join(f"{number}\t{'#' * (number % 4)}{number % 10}" for number in range(24))
say, shell = Words("training", "en"), Words("shell", "en")


def test_pairs_that_are_pasted_are_learned_and_stay_in_the_browser(
    open_page: Callable[..., Page], browser: Browser
) -> None:
    page = open_page("/training?task=pairs&open=", lang="en")
    expect(page.get_by_text(say("refused.pairs_empty"))).to_be_visible(timeout=AGES)
    field = page.get_by_label(say("pairs.field", most=1))
    field.fill(LINES)
    field.press("Control+Enter")
    expect(page.get_by_text("24 pairs.")).to_be_visible(timeout=AGES)
    settle(page)
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_role("button", name=say("save", step=300))).to_be_visible(timeout=AGES)
    settle(page)
    page.reload()
    expect(page.get_by_text("24 pairs.")).to_be_visible(timeout=AGES)
    settle(page)
    page.get_by_role("link", name="All heads").click()
    expect(page.locator(".provenance").first).to_contain_text("step 300", timeout=AGES)
    other = browser.new_context().new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(page.url)
    expect(other.get_by_test_id("stSidebar").get_by_text(shell("model_missing.pairs"))).to_be_visible(timeout=AGES)
