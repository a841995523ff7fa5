"""What only a browser can know of the whole app: links, the menu, the map, and that every chapter is painted."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import frames, saying, settle
from ui.frame.model_choice import KINDS
from ui.settings.chapters import MAP
from ui.text import Words

Open = Callable[..., Page]


def test_a_deep_link_works_as_the_first_request_to_a_fresh_server(first_page: list[str]) -> None:
    assert first_page == [Words("masks", "zh")("title"), "7"]


def test_a_block_of_the_map_leads_to_its_chapter_by_mouse_and_by_keyboard(open_page: Open) -> None:
    page = open_page("/", lang="en")
    expect(page).to_have_title("Glassformer")
    page.locator(".figure-one .block", has_text="Input embedding").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("tokens", "en")("title"))
    settle(page)
    go(page, MAP)
    page.locator(".figure-one .block", has_text="Feed forward").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("layers", "en")("title"))
    expect(page.locator(".story-stage")).to_be_in_viewport(ratio=1)
    settle(page)
    assert "scene=1" in page.url


def slider(page: Page, chapter: str, name: str, lang: str = "en") -> Locator:
    return page.get_by_role("slider", name=Words(chapter, lang)(name))


def go(page: Page, chapter: str, lang: str = "en") -> None:
    """Follow the menu."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=Words(chapter, lang)("title"), exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words(chapter, lang)("title"))
    settle(page)


def test_the_menu_leads_on_without_loading_the_app_anew_and_back_leads_back(open_page: Open) -> None:
    page = open_page("/loss", lang="en")
    page.evaluate("window.sameApp = true")
    go(page, "decoding")
    go(page, MAP)
    assert page.evaluate("window.sameApp")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("decoding", "en")("title"))
    here = page.get_by_test_id("stSidebar").locator("[aria-current=page]")
    expect(here).to_have_text(Words("decoding", "en")("title"))


def test_what_was_set_is_there_after_back_in_the_other_language_and_after_a_visit_elsewhere(open_page: Open) -> None:
    page = open_page("/loss?vocabulary=9", lang="en")
    slider(page, "loss", "vocabulary").press("ArrowRight")
    settle(page)
    expect(slider(page, "loss", "vocabulary")).to_have_value("10")
    page.go_back()
    settle(page)
    expect(slider(page, "loss", "vocabulary")).to_have_value("9")

    page.get_by_test_id("stSidebar").get_by_role("button", name="中文").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("loss", "zh")("title"))
    settle(page)
    expect(slider(page, "loss", "vocabulary", "zh")).to_have_value("9")
    expect(page).to_have_url(saying("vocabulary=9"))

    slider(page, "loss", "vocabulary", "zh").press("ArrowRight")
    settle(page)
    expect(page).to_have_url(saying("vocabulary=10"))
    go(page, "decoding", "zh")
    expect(page).not_to_have_url(saying("vocabulary"))
    go(page, "loss", "zh")
    expect(slider(page, "loss", "vocabulary", "zh")).to_have_value("10")
    expect(page).to_have_url(saying("vocabulary=10"))


def test_the_model_chosen_stays_in_both_languages_and_in_the_next_chapter(open_page: Open) -> None:
    page = open_page("/masks?model=notes", lang="en")
    sidebar = page.get_by_test_id("stSidebar")
    for lang, name in (("zh", "中文"), ("en", "English")):
        sidebar.get_by_role("button", name=name).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(Words("masks", lang)("title"))
        settle(page)
        chosen = sidebar.get_by_role("combobox", name=Words("shell", lang)("model"))
        expect(chosen).to_have_value(Words("shell", lang)("model_kind.notes"))
    expect(page).to_have_url(re.compile(r"/masks\?(model=notes&lang=en|lang=en&model=notes)$"))
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    expect(sidebar).to_contain_text("512")
    go(page, "loss")
    expect(sidebar).to_contain_text("512")
    expect(page).to_have_url(saying("model=notes"))


def test_a_section_opens_and_closes_at_its_title_and_the_link_says_so(open_page: Open) -> None:
    page = open_page("/masks", lang="en", sections="")
    title = page.get_by_test_id("stExpander").filter(has_text=Words("masks", "en")("axis.title"))
    expect(title.locator("canvas")).to_have_count(0)
    title.locator("summary").press("Enter")
    expect(title.locator("canvas").first).to_be_visible()
    expect(page).to_have_url(saying("open=axis"))
    expect(page.get_by_role("heading", level=2, name=Words("masks", "en")("axis.title"))).to_be_attached()
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


def test_a_page_without_one_around_it_hears_no_report_of_its_own_but_every_other_word(open_page: Open) -> None:
    page = open_page("/masks?model=trained", lang="en")
    page.evaluate("window.heard = []; addEventListener('message', ({ data }) => heard.push(data)); postMessage('word')")
    page.get_by_role("slider", name=Words("masks", "en")("size")).press("ArrowRight")
    expect(page).to_have_url(saying("size="))
    settle(page)
    assert page.evaluate("heard") == ["word"]


def test_a_link_to_a_section_opens_there_and_stays_while_the_figures_above_come(open_page: Open) -> None:
    page = open_page("/attention?head=1#projection", lang="en", sections="projection")
    top = "(document.getElementById('projection')?.getBoundingClientRect().top ?? -1)"
    page.wait_for_function(f"0 <= {top} && {top} < 120")
    assert page.url.endswith("#projection")


def test_a_bare_anchor_opens_its_folded_section_once(open_page: Open) -> None:
    page = open_page("/attention#projection", lang="en")
    top = "(document.getElementById('projection')?.getBoundingClientRect().top ?? -1)"
    page.wait_for_function(f"0 <= {top} && {top} < 120")
    settle(page)
    title = page.get_by_test_id("stExpander").filter(has_text=Words("attention", "en")("projection.title"))
    title.locator("summary").click()
    settle(page)
    expect(title.locator("canvas"), "closed by hand, it stays closed").to_have_count(0)


def test_the_contents_in_the_menu_open_a_folded_section_and_lead_there(open_page: Open) -> None:
    page = open_page("/masks", lang="en")
    title = Words("masks", "en")("axis.title")
    page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True).click()
    expect(page.get_by_test_id("stExpander").filter(has_text=title).locator("canvas").first).to_be_in_viewport()
    top = "(document.getElementById('axis')?.getBoundingClientRect().top ?? -1)"
    page.wait_for_function(f"0 <= {top} && {top} < 120")


def test_the_menu_of_models_cannot_be_searched_in_vain(open_page: Open) -> None:
    page = open_page("/masks", lang="zh", sections="")
    menu = page.get_by_test_id("stSidebar").get_by_role("combobox", name=Words("shell", "zh")("model"))
    options = page.get_by_role("listbox").get_by_role("option")
    for _ in range(20):  # whatever is drawn anew beside it closes an open menu
        if options.count():
            break
        menu.click()
        frames(page, 20)
    menu.press_sequentially("zzz")
    expect(options).to_have_count(len(KINDS))
    expect(options.first).to_have_text(Words("shell", "zh")("model_kind.translate"))


@pytest.mark.parametrize("anchor", ["%(", "a["])
def test_an_anchor_that_names_nothing_leaves_the_page_as_it_is(open_page: Open, anchor: str) -> None:
    page = open_page(f"/attention#{anchor}", lang="en")
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("attention", "en")("title"))
    page.keyboard.press("m")  # what else the page's script does it does
