"""What only a browser can know of the whole app: links, the menu, the map, and that every chapter is painted."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.driver import PATIENCE, complaints, saying, settle
from ui.settings.chapters import CHAPTERS, MAP
from ui.text import Words

Open = Callable[..., Page]

FIGURE = "canvas[data-painted], .js-plotly-plot, .figure-one svg"
# What is cut off, or scrolls sideways without being made for it, as wide matrices and programs are.
CLIPPED = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  const made = '.matrix-window, .matrix-spoken, pre, table, .katex, input, textarea, .stSlider, .js-plotly-plot, svg';
  return [main, ...main.querySelectorAll('*')]
    .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 1 && !part.closest(made))
    .filter((part) => part === main || (part.innerText?.trim() && getComputedStyle(part).display !== 'inline'))
    .map((part) => `${part.className} ${part.scrollWidth} > ${part.clientWidth}: ${part.innerText.slice(0, 60)}`);
}"""
SIZES = """() => [
  document.querySelector('[data-testid=stMain]').clientWidth,
  document.querySelector('[data-testid=stMainBlockContainer]').clientWidth,
  parseFloat(getComputedStyle(document.documentElement).fontSize),
]"""
# How many sums are on screen
SUMS = """() => [...document.querySelectorAll('.stHtml:has(.arithmetic)')]
  .filter((sum) => sum.getBoundingClientRect().top < innerHeight).length"""
# A cell of a chapter's first board that other cells make
MADE = {
    "tokens": "vectors",
    "positions": "code",
    "attention": "products",
    "scaling": "jacobian",
    "masks": "mask",
    "heads": "cross.1.3",
    "layers": "out",
    "decoding": "probabilities",
    "loss": "targets",
}


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


def resize(page: Page, width: int, height: int) -> float:
    """The page at this size, with nothing cut off. How much of its first figure is on the first screen, in pixels."""
    page.set_viewport_size({"width": width, "height": height})
    settle(page)
    assert page.evaluate(CLIPPED) == []
    return height - float(page.locator(FIGURE).first.evaluate("figure => figure.getBoundingClientRect().top"))


@pytest.mark.parametrize(("lang", "dark", "width"), [("en", False, 1280), ("zh", True, 390)])
@pytest.mark.parametrize("chapter", [MAP, *CHAPTERS])
def test_every_chapter_is_painted_and_fits_every_screen(
    open_page: Open, chapter: str, lang: str, dark: bool, width: int
) -> None:
    page = open_page(path(chapter), lang=lang, dark=dark, width=width)
    expect(page.get_by_role("heading", level=1)).to_have_text(Words(chapter, lang)("title"))
    expect(page.locator(FIGURE).first).to_be_visible()
    if width == 390:
        resize(page, 640, 400)  # a laptop's screen at twice the size
        assert resize(page, 390, 844) > 150
        return
    assert resize(page, 1280, 800) > 300
    if chapter in MADE:
        point = page.locator(FIGURE).first.evaluate("(base, panel) => base.cellCentre(panel, 0, 0)", MADE[chapter])
        page.mouse.click(point["x"], point["y"])
        settle(page)
        expect(page.locator(".arithmetic").first).to_be_in_viewport(ratio=1)
        assert page.evaluate(SUMS) == 1  # and no other, whose figure is further down
    assert resize(page, 1920, 1080) > 500
    room, taken, letters = page.evaluate(SIZES)
    assert taken > 0.9 * room
    assert letters * 12 / 16 >= 14  # the smallest on a canvas


def test_a_block_of_the_map_leads_to_its_chapter(open_page: Open) -> None:
    page = open_page("/", lang="en")
    page.locator(".figure-one .block", has_text="Feed forward").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("layers", "en")("title"))
    top = "document.getElementById('network').getBoundingClientRect().top"
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
    page = open_page("/attention?head=1&lang=en#projection")
    top = "document.getElementById('projection').getBoundingClientRect().top"
    page.wait_for_function(f"0 <= {top} && {top} < 100")
    assert page.url.endswith("#projection")
