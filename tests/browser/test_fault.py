"""What only a browser can know of a hidden fault: that it goes along from chapter to chapter, and that who asks for its
name knows what was named before."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import faults
from tests.browser.driver import saying, settle
from transformer_core.exercises.faults.which_fault import fault_of
from ui.text import Words

Open = Callable[..., Page]
SAY, SHELL = Words("practice", "en"), Words("shell", "en")
RIGHT, WRONG = (SAY(f"fault_named.option.{fault_of(seed).name}") for seed in (1, 2))


def test_a_fault_goes_along_and_its_first_name_is_kept(open_page: Open) -> None:
    page = open_page("/practice?open=fault&model=translate", lang="en")
    page.get_by_role("button", name=SAY("fault.hide")).click()
    expect(page).to_have_url(saying("fault=1"))
    settle(page)
    banner = page.locator(".st-key-fault-banner")
    expect(banner).to_contain_text("number 1")
    page.get_by_role("radio", name=WRONG, exact=True).click()
    expect(page.get_by_text(SAY("fault.not_this", told="").strip())).to_be_visible()
    settle(page)
    page.locator(".stMain").get_by_role("link", name="All heads").click()
    expect(page).to_have_url(saying("fault=1"))
    expect(page.get_by_role("heading", level=1, name="All heads")).to_be_visible()
    expect(banner).to_contain_text("number 1")
    settle(page)
    banner.get_by_role("link", name=SHELL("fault.name_it")).click()
    expect(page.get_by_role("heading", level=1, name="Practice")).to_be_visible()
    settle(page)
    page.get_by_role("radio", name=RIGHT, exact=True).click()
    expect(page.get_by_text(SHELL("predict.first", reply=WRONG))).to_be_visible()
    settle(page)
    banner.get_by_role("button", name=SHELL("fault.healthy")).click()
    expect(banner).to_have_count(0)
    settle(page)
    assert "fault=" not in page.url


@pytest.mark.parametrize("dark", [False, True])
def test_a_verdict_with_its_evidence_can_be_read_by_all(open_page: Open, dark: bool) -> None:
    link = f"/practice?only=fault&model=translate&fault=1&fault_hints=3&fault_named={fault_of(1).name}"
    page = open_page(link, lang="en", dark=dark)
    expect(page.get_by_text(RIGHT).first).to_be_visible()
    assert faults(page) == []
