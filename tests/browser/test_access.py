"""Every page without a mouse, and in its own language."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import faults, first_link_leads_to_the_figure, in_the_other_theme
from tests.browser.conftest import Tab
from tests.browser.driver import saying, settle
from tests.browser.test_screens import CLIPPED
from ui.settings.chapters import TEACHERS
from ui.text import Words
from ui.theme import color

Open = Callable[..., Page]

# How tall a line is, counted in its letters' size
LINES = """parts => parts.map(getComputedStyle)
  .map(({ lineHeight, fontSize }) => parseFloat(lineHeight) / parseFloat(fontSize))"""


def test_the_page_for_teachers_has_nothing_that_axe_finds_in_either_theme(open_page: Open) -> None:
    page = open_page(f"/{TEACHERS}", lang="zh", dark=True, width=390)
    assert faults(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    assert in_the_other_theme(page, "light") == []


@pytest.mark.parametrize("path", ["/", "/training", "/masks"])
def test_the_first_link_of_a_page_leads_to_its_figure(open_page: Open, path: str) -> None:
    first_link_leads_to_the_figure(open_page(path, lang="zh"), "zh")


def test_where_there_is_no_figure_the_first_link_leads_to_the_text_and_the_second_past_the_menu(
    open_page: Open,
) -> None:
    page = open_page(f"/{TEACHERS}", lang="en")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text(Words("shell", "en")("page.skip_to_text"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()

    page = open_page("/masks", lang="en")
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text(Words("shell", "en")("page.skip_menu"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    expect(page).not_to_have_url(saying("#"))


def test_the_page_says_its_language_and_names_its_parts_in_it(open_page: Open) -> None:
    page = open_page("/attention", lang="zh")
    root = page.locator("html")
    for lang in ("zh", "en"):
        expect(root).to_have_attribute("lang", lang)
        shell = Words("shell", lang)
        for part in ("menu", "contents"):
            expect(page.get_by_role("navigation", name=shell(f"page.{part}"), exact=True)).to_be_visible()
        expect(page.get_by_role("region", name=shell("page.named.sidebar"), exact=True)).to_be_visible()
        expect(page.get_by_role("main")).to_have_count(1)
        expect(page.get_by_role("button", name=f"{shell('page.named.help')} {shell('src')}")).to_be_visible()
        if lang == "zh":
            page.get_by_test_id("stSidebar").get_by_role("button", name="English").click()
            settle(page)


@pytest.mark.parametrize(
    ("link", "figure"),
    [
        ("/?model=translate", ".map-sentence"),
        ("/attention?model=translate&kind=cross&cell=products.3.4", ".matrix-readout"),
        ("/heads?model=translate&open=alignment", ".lines"),
        ("/decoding?model=translate", ".tokens"),
        ("/ways?model=translate&open=beam", ".tree"),
        ("/training?model=translate&task=translate", ".tokens"),
    ],
)
def test_a_word_of_the_other_language_says_which(open_page: Open, link: str, figure: str) -> None:
    page = open_page(link, lang="en")
    expect(page.locator(f"{figure} [lang=zh]").first).to_be_visible()
    assert faults(page, "valid-lang") == []
    page.get_by_test_id("stSidebar").get_by_role("button", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    settle(page)
    explained = ":not(rt):not(tspan)"  # what stands beside a word of letters is Chinese
    expect(page.locator(f"{figure} [lang=zh]{explained}")).to_have_count(0)
    assert faults(page, "valid-lang") == []


@pytest.mark.parametrize("path", ["/", "/attention", "/training"])
def test_letters_twice_as_large_cut_nothing_off(open_page: Open, path: str) -> None:
    page = open_page(path, lang="zh")
    page.add_style_tag(content=":root { font-size: 32px !important; }")
    page.wait_for_function(f"() => ({CLIPPED})().length === 0")  # curves take the new width a moment later
    assert min(page.locator(".menu > a").evaluate_all(LINES)) >= 1.2


@pytest.fixture
def forced_colors(tab: Tab) -> Iterator[None]:
    tab.page.emulate_media(forced_colors="active")
    yield
    tab.page.emulate_media(forced_colors="none")


@pytest.mark.usefixtures("forced_colors")
@pytest.mark.parametrize("dark", [False, True])
def test_in_colours_of_the_readers_own_a_figure_keeps_its_ground_and_what_is_chosen_stands_out(
    open_page: Open, dark: bool
) -> None:
    page = open_page("/attention?stage=scores&cell=scores.1.2", lang="en", dark=dark)
    ground = color("background", "dark" if dark else "light")
    red, green, blue = (int(ground[at : at + 2], 16) for at in (1, 3, 5))
    for part in (".matrix", ".matrix-working"):
        expect(page.locator(part).first).to_have_css("background-color", f"rgb({red}, {green}, {blue})")
    options = page.get_by_role("radiogroup", name="Stage").get_by_role("radio")
    seen = options.evaluate_all(
        "options => options.map((option) => [option.ariaChecked, getComputedStyle(option).backgroundColor])"
    )
    chosen = {shade for checked, shade in seen if checked == "true"}
    assert len(chosen) == 1
    assert chosen.isdisjoint(shade for checked, shade in seen if checked != "true")
    here = page.locator(".menu [aria-current]")
    assert here.evaluate("here => getComputedStyle(here).backgroundColor") in chosen
    board = page.locator("canvas.matrix-base")
    page.keyboard.press("Tab")
    board.focus()
    expect(board).to_have_css("outline-style", "solid")
    expect(board).to_have_css("outline-width", "3px")


def test_a_page_whose_language_and_style_change_one_after_the_other_stays_at_work(open_page: Open) -> None:
    """For a moment the button of a place for a file has a name that is to be put into the other language."""
    page = open_page("/training", lang="zh", sections="all")
    place = page.get_by_test_id("stFileUploaderDropzone").first
    expect(place).to_be_attached()
    page.evaluate(
        """name => setTimeout(() => {
          const place = document.querySelector("[data-testid=stFileUploaderDropzone]");
          place.style.setProperty("--choose", JSON.stringify(name));
          place.append(new Text(""));
        })""",
        Words("shell", "en")("page.named.options"),
    )
    page.wait_for_function("document.querySelector('[data-testid=stFileUploaderDropzone] button').ariaLabel === 'Open'")
