"""A class as it is: a projector and a student's phone, from the open door to the second round and the next stop."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.access import faults
from tests.browser.driver import PATIENCE, complaints, saying, settle
from ui.text import Words

shell, say = Words("shell", "en"), Words("attention", "en")


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A browser of its own: another one than the teacher's."""
    with browser.new_context(viewport={"width": 390, "height": 844}, locale="en-US") as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        heard = complaints(page)
        yield page
        assert heard + page.get_by_test_id("stException").all_inner_texts() == []


def reply(page: Page, option: str) -> Locator:
    return page.locator(".st-key-predict-room button", has_text=say(f"ask_scale.option.{option}"))


def test_a_class_votes_sees_its_counts_votes_again_and_goes_along(
    open_page: Callable[..., Page], app_url: str, phone: Page
) -> None:
    projector = open_page("/attention?lesson=attention&stop=2", lang="en")
    projector.get_by_role("button", name=shell("room.enter")).click()
    dialog = projector.get_by_role("dialog")
    letters = dialog.locator(".room-letters").inner_text()
    expect(dialog.locator(".scan-address")).to_contain_text(f"?room={letters}")
    settle(projector)
    assert faults(projector) == []
    projector.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    phone.goto(f"{app_url}/?room={letters.lower()}")
    expect(phone.get_by_role("heading", level=1)).to_have_text(Words("teachers", "en")("attention.stop_2"))
    reply(phone, "order").click()
    expect(phone.get_by_text("Counted.")).to_be_visible()
    box = projector.locator(".st-key-predict-room")
    expect(box).to_contain_text("1 of 1 have voted")
    expect(box.locator(".votes")).to_have_count(0)

    box.get_by_role("button", name=shell("room.to.counts")).click()
    expect(box.locator(".votes")).to_have_count(3)
    expect(phone.get_by_text("The counts are on the projector.")).to_be_visible()
    expect(reply(phone, "size")).to_be_disabled()

    box.get_by_role("button", name=shell("room.to.open")).click()
    expect(phone.get_by_text("Votes are anonymous.")).to_be_visible()
    reply(phone, "size").click()
    expect(phone.get_by_text("Counted.")).to_be_visible()
    expect(box).to_contain_text("Round 2: 1 of 1 have voted")
    box.get_by_role("button", name=shell("room.to.counts")).click()
    expect(box.locator(".votes")).to_have_count(6)
    box.get_by_role("button", name=shell("room.to.told")).click()
    expect(box).to_contain_text(say("ask_scale.wrong.order"))
    expect(phone.get_by_text(say("ask_scale.right"))).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    for page in (projector, phone):
        settle(page)
        assert faults(page) == []

    projector.keyboard.press("ArrowRight")
    expect(phone.get_by_role("heading", level=1)).to_have_text(Words("teachers", "en")("attention.stop_3"))
    settle(phone)
    expect(phone).to_have_url(saying("stop=3"))
    settle(projector)
