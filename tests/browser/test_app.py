"""What only a browser can know of the whole app: links, the menu, the map, and that every chapter is painted."""

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.driver import PATIENCE, complaints, saying, settle
from ui.settings.chapters import MAP
from ui.text import Words

Open = Callable[..., Page]


def path(chapter: str) -> str:
    return "/" if chapter == MAP else f"/{chapter}"


def test_a_deep_link_works_as_the_first_request_to_a_fresh_server(
    browser: Browser, serve: Callable[[str], str]
) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    heard = complaints(page)
    page.goto(f"{serve('app.py')}/masks?size=7&lang=zh")
    settle(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("masks", "zh")("title"))
    expect(page.get_by_role("slider").first).to_have_value("7")
    assert page.get_by_test_id("stException").count() == 0
    assert heard == []
    page.close()


def test_a_block_of_the_map_leads_to_its_chapter(open_page: Open) -> None:
    page = open_page("/", lang="en")
    page.locator(".figure-one .block", has_text="Feed forward").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("layers", "en")("title"))
    top = "(document.getElementById('network')?.getBoundingClientRect().top ?? -1)"
    page.wait_for_function(f"0 <= {top} && {top} < 100")
    settle(page)


def test_the_map_can_be_used_from_the_keyboard(open_page: Open) -> None:
    page = open_page("/", lang="en")
    expect(page).to_have_title("Glassformer")
    page.locator(".figure-one .block", has_text="Input embedding").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("tokens", "en")("title"))


def slider(page: Page, chapter: str, name: str, lang: str = "en") -> Locator:
    return page.get_by_role("slider", name=Words(chapter, lang)(name))


def go(page: Page, chapter: str, lang: str = "en") -> None:
    """Follow the menu."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=Words(chapter, lang)("title"), exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words(chapter, lang)("title"))
    settle(page)


def test_what_was_set_is_still_there_after_a_visit_elsewhere(open_page: Open) -> None:
    page = open_page("/loss", lang="en")
    slider(page, "loss", "vocabulary").press("ArrowRight")
    settle(page)
    expect(page).to_have_url(saying("vocabulary=6"))
    go(page, "decoding")
    expect(page).not_to_have_url(saying("vocabulary"))
    go(page, "loss")
    expect(slider(page, "loss", "vocabulary")).to_have_value("6")
    expect(page).to_have_url(saying("vocabulary=6"))


def test_the_other_language_shows_the_same_figure(open_page: Open) -> None:
    page = open_page("/loss?vocabulary=9", lang="en")
    page.get_by_test_id("stSidebar").get_by_role("button", name="中文").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("loss", "zh")("title"))
    settle(page)
    expect(slider(page, "loss", "vocabulary", "zh")).to_have_value("9")
    expect(page).to_have_url(saying("vocabulary=9"))


def test_there_and_back_between_the_languages_leaves_every_choice_as_it_was(open_page: Open) -> None:
    page = open_page("/masks?model=fresh", lang="en", sections="")
    for lang, name in (("zh", "中文"), ("en", "English")):
        page.get_by_test_id("stSidebar").get_by_role("button", name=name).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(Words("masks", lang)("title"))
        settle(page)
        chosen = page.get_by_test_id("stSidebar").get_by_test_id("stSelectbox").locator("input")
        expect(chosen).to_have_value(Words("shell", lang)("model_kind.fresh"))
    expect(page).to_have_url(re.compile(r"/masks\?(model=fresh&lang=en|lang=en&model=fresh)$"))
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


def test_the_model_chosen_in_one_chapter_is_at_hand_in_the_next(open_page: Open) -> None:
    page = open_page("/decoding?model=notes", lang="en")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("512")
    go(page, "loss")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("512")
    expect(page).to_have_url(saying("model=notes"))


def test_the_back_button_brings_the_last_setting_back(open_page: Open) -> None:
    page = open_page("/loss?vocabulary=9", lang="en")
    slider(page, "loss", "vocabulary").press("ArrowRight")
    settle(page)
    expect(slider(page, "loss", "vocabulary")).to_have_value("10")
    page.go_back()
    settle(page)
    expect(slider(page, "loss", "vocabulary")).to_have_value("9")


def test_a_section_opens_and_closes_at_its_title_and_the_link_says_so(open_page: Open) -> None:
    page = open_page("/masks", lang="en", sections="")
    title = page.get_by_test_id("stExpander").filter(has_text=Words("masks", "en")("axis.title"))
    expect(title.locator("canvas")).to_have_count(0)
    title.locator("summary").press("Enter")
    expect(title.locator("canvas").first).to_be_visible()
    expect(page).to_have_url(saying("open=axis"))
    expect(page.get_by_role("heading", level=3, name=Words("masks", "en")("axis.title"))).to_be_attached()
    page.reload()
    settle(page)
    expect(title.locator("canvas").first).to_be_visible()
    title.locator("summary").click()
    expect(title.locator("canvas")).to_have_count(0)
    expect(page).not_to_have_url(saying("open"))


def test_one_press_of_back_undoes_one_thing_done(open_page: Open) -> None:
    page = open_page("/attention?cell=products.2.1", lang="en")
    board = page.locator("canvas.matrix-base").first
    for stage in ("scores", "masked"):
        page.keyboard.press("n")
        expect(board).to_have_attribute("data-chosen", f"{stage} 2,1")
        settle(page)
    for stage in ("scores", "products"):
        page.go_back()
        expect(board).to_have_attribute("data-chosen", f"{stage} 2,1")
        settle(page)


def test_a_link_to_a_section_opens_there_and_stays_while_the_figures_above_come(open_page: Open) -> None:
    page = open_page("/attention?head=1#projection", lang="en", sections="projection")
    top = "(document.getElementById('projection')?.getBoundingClientRect().top ?? -1)"
    page.wait_for_function(f"0 <= {top} && {top} < 100")
    assert page.url.endswith("#projection")
