"""What only a browser can know of the search: its keys, its links, and that it is there where the menu is away."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.access import faults
from tests.browser.driver import settle
from ui.frame.keys import KEYS
from ui.settings.chapters import QUESTIONS
from ui.settings.questions import ASKED
from ui.text import LANGUAGES, Words

Open = Callable[..., Page]
FETCHED = "() => performance.getEntriesByType('resource').some(({ name }) => name.includes('glassformer.search/'))"
ONE_HEAD = next(one for one in ASKED if one.name == "one_head")


def search(page: Page) -> Locator:
    return page.locator("dialog.search")


def results(page: Page) -> Locator:
    return search(page).locator("li a")


def title(page: Page, chapter: str, section: str, lang: str = "en") -> Locator:
    """Of a section that folds."""
    return page.locator("summary", has_text=Words(chapter, lang)(f"{section}.title"))


def look_for(page: Page, typed: str) -> None:
    page.keyboard.press("/")
    expect(search(page).get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(typed)


def test_a_slash_opens_it_arrows_lead_through_what_is_found_and_escape_closes_it(open_page: Open) -> None:
    page = open_page("/loss", lang="en")
    look_for(page, "why not one big head")
    field = search(page).get_by_role("searchbox")
    first = results(page).first
    expect(first).to_contain_text(ONE_HEAD.asked("en"))
    expect(first).to_contain_text(ONE_HEAD.answer("en"))
    page.keyboard.press("ArrowDown")
    expect(first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(results(page).nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(field).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.type("s")  # what is typed goes on into the field
    expect(field).to_be_focused()
    expect(field).to_have_value("why not one big heads")
    page.keyboard.press("Escape")
    expect(search(page)).to_be_hidden()


def test_enter_goes_to_a_section_of_another_chapter_with_all_that_the_reader_has_set(open_page: Open) -> None:
    page = open_page("/loss", lang="en")
    page.evaluate("window.sameApp = true")
    look_for(page, "residual stream")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("layers", "en")("title"))
    settle(page)
    expect(search(page)).to_be_hidden()
    expect(title(page, "layers", "stream")).to_be_in_viewport(ratio=1)
    assert page.evaluate("window.sameApp")
    look_for(page, "the residual sum")
    page.keyboard.press("Enter")
    settle(page)
    expect(title(page, "layers", "sum")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("start", ["/layers", "/loss"])
def test_back_from_a_folded_section_that_was_found_is_one_press(open_page: Open, start: str) -> None:
    page = open_page(start, lang="en", sections="")
    left = page.url
    look_for(page, "residual stream")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/layers.*open=stream"))
    settle(page)
    expect(title(page, "layers", "stream")).to_be_in_viewport(ratio=1)
    page.go_back()
    settle(page)
    page.locator("[data-unfolded]").evaluate_all("titles => titles.forEach((title) => delete title.dataset.unfolded)")
    page.set_viewport_size({"width": 1100, "height": 700})  # as where a title is drawn anew, and the page grows
    settle(page)
    assert page.url == left
    page.go_forward()
    settle(page)
    expect(page).to_have_url(re.compile("/layers.*open=stream"))


def test_escape_gives_the_focus_back_and_the_keys_alone_do_all_of_it(open_page: Open) -> None:
    page = open_page("/masks", lang="zh")
    button = page.locator(".search-open").first
    button.focus()
    page.keyboard.press("Enter")
    expect(search(page).get_by_role("searchbox")).to_be_focused()
    page.keyboard.insert_text("掩码")
    expect(results(page).first).to_contain_text(Words("terms", "zh")("mask.text"))
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(results(page).nth(1)).to_be_focused()  # past the cross
    page.keyboard.press("Escape")
    expect(search(page)).to_be_hidden()
    expect(button).to_be_focused()
    page.keyboard.press("/")
    expect(search(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()


def test_a_question_opens_beside_the_page_with_its_settings_and_language(open_page: Open) -> None:
    page = open_page("/loss", lang="zh")
    look_for(page, "多头")
    link = results(page).first
    assert link.get_attribute("href") == ONE_HEAD.link("zh")
    with page.context.expect_page() as opened:
        page.keyboard.press("Enter")
    other = opened.value
    settle(other)
    assert "open=aligned_sentences" in other.url
    assert "lang=zh" in other.url
    expect(title(other, "heads", "aligned_sentences", "zh")).to_be_in_viewport(ratio=1)
    other.close()
    expect(search(page)).to_be_visible()  # for the next question
    page.keyboard.press("Escape")


def test_a_slash_that_is_typed_is_a_slash_and_in_a_lecture_it_is_nothing(open_page: Open) -> None:
    page = open_page("/attention", lang="en")
    field = page.get_by_role("textbox").first
    field.click()
    page.keyboard.type("/")
    expect(search(page)).to_be_hidden()
    page = open_page("/attention?present=1", lang="en")
    page.keyboard.press("/")
    expect(search(page)).to_be_hidden()
    expect(page.locator(".search-open").first).to_be_hidden()


def test_whatever_is_typed_is_text(open_page: Open) -> None:
    page, say = open_page("/loss", lang="en"), Words("shell", "en")
    for typed in ("", "🦄" * 50, "<img src=x onerror='window.hurt = true'><b>x</b>", "a" * 10_000):
        look_for(page, typed)
        expect(search(page).get_by_role("searchbox")).to_have_value(typed[:200])  # no more fits in it
        if "img" not in typed:  # src is a name, too
            expect(search(page).get_by_role("status")).to_have_text(say("search.none" if typed else "search.hint"))
            assert results(page).count() == 0
        assert page.evaluate("window.hurt") is None
    search(page).get_by_role("link", name=say("search.every")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words(QUESTIONS, "en")("title"))
    settle(page)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_finds_without_a_network(open_page: Open, lang: str) -> None:
    page = open_page("/loss", lang=lang)
    assert not page.evaluate(FETCHED), "a visit that only looks loads nothing for it"
    page.mouse.wheel(0, 10)
    page.wait_for_function(FETCHED)
    page.context.set_offline(True)
    try:
        look_for(page, "softmax")
        expect(results(page).first).to_contain_text(Words("terms", lang)("softmax.text"))
    finally:
        page.context.set_offline(False)


def test_it_says_that_it_cannot_be_loaded_and_finds_as_soon_as_it_can(app_url: str, browser: Browser) -> None:
    page = browser.new_page()
    page.route("**/glassformer.search/*.json", lambda route: route.fulfill(status=503))
    page.goto(f"{app_url}/loss?lang=en")
    settle(page)
    look_for(page, "softmax")
    expect(search(page).get_by_role("status")).to_have_text(Words("shell", "en")("search.away"))
    page.unroute_all()
    page.keyboard.insert_text(" ")
    expect(results(page).first).to_contain_text(Words("terms", "en")("softmax.text"))
    page.close()


def test_in_the_other_language_it_finds_what_is_said_there(open_page: Open) -> None:
    page = open_page("/loss", lang="en")
    page.get_by_role("button", name=LANGUAGES["zh"]).click()
    settle(page)
    look_for(page, "softmax")
    expect(results(page).first).to_contain_text(Words("terms", "zh")("softmax.text"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_on_a_phone_a_button_opens_it_and_a_finger_closes_it(open_page: Open, lang: str) -> None:
    page = open_page("/masks", lang=lang, width=390, dark=lang == "zh")
    say = Words("shell", lang)
    button = page.locator(".search-float")
    expect(button).to_be_visible()
    expect(button).to_have_accessible_name(say("search.name"))
    button.click()
    search(page).get_by_role("searchbox").fill("softmax")
    expect(results(page).first).to_contain_text(Words("terms", lang)("softmax.text"))
    width = page.evaluate("document.querySelector('dialog.search').scrollWidth")
    assert width <= 390
    assert faults(page) == []
    search(page).get_by_role("button", name=say("search.close")).click()
    expect(search(page)).to_be_hidden()


def test_the_page_of_all_questions_has_no_fault_for_who_hears_it_and_a_link_to_each(open_page: Open) -> None:
    page = open_page(f"/{QUESTIONS}#one-head", lang="zh", dark=True, width=390)
    assert faults(page) == []
    expect(page.locator("#one-head")).to_be_in_viewport()


@pytest.mark.parametrize(("lang", "path"), [("en", "/masks?present=1"), ("zh", "/"), ("en", "/loss")])
def test_a_question_mark_lists_all_keys_and_puts_them_away(
    open_page: Callable[..., Page], lang: str, path: str
) -> None:
    page, say = open_page(path, lang=lang), Words("shell", lang)
    keys = page.get_by_role("dialog", name=say("keys.title"))
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    expect(keys.locator("dt")).to_have_count(sum(map(len, KEYS.values())))
    expect(keys.get_by_text(say("keys.figure.clear"))).to_be_visible()
    assert faults(page) == []
    page.keyboard.press("?")
    expect(keys).to_be_hidden()
    page.keyboard.press("/")
    if "present" not in path:
        search(page).get_by_role("searchbox").press_sequentially("why?")
        expect(search(page).get_by_role("searchbox")).to_have_value("why?")
        expect(keys).to_be_hidden()
