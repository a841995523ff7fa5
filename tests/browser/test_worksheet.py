"""The worksheet under a reader's hands: what a browser alone can lose."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.driver import saying, settle
from ui.text import Words


def test_enter_checks_and_what_is_not_checked_yet_stays_in_its_field(open_page: Callable[..., Page]) -> None:
    page = open_page("/practice", lang="en")
    first, second, *_ = page.locator(".stForm input").all()
    first.fill("77")
    first.press("Enter")
    expect(page.locator(".verdict.wrong")).to_have_count(1)
    settle(page)
    expect(page).to_have_url(saying("sheet_replies=77"))
    second.fill("0.5")
    page.get_by_text(Words("practice", "en")("sheet_key")).click()
    expect(page.locator(".verdict").first).to_contain_text("=")
    expect(second).to_have_value("0.5")
    page.reload()
    settle(page)
    first = page.locator(".stForm input").first
    expect(first).to_have_value("77")
    expect(page.locator(".verdict.wrong")).to_have_count(
        0
    )  # a link may have brought it: it is judged once it is checked
    first.press("Enter")
    expect(page.locator(".verdict.wrong")).to_have_count(1)
