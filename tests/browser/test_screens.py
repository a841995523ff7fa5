"""Every chapter on a phone, a laptop and a projector: painted, whole, with its figure on the first screen, and without
anything that axe finds serious, in both themes."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.access import faults, in_the_other_theme, skip_leads_to_the_figure
from tests.browser.driver import AGES, settle
from tests.browser.paper import put_on_paper, shows_figures_and_lines_in_light_colours_and_nothing_to_press
from ui.inputs.sequence import EXAMPLES
from ui.settings.chapters import CHAPTERS, MAP
from ui.text import Words

Open = Callable[..., Page]

FIGURE = "canvas[data-painted], .stEChartsChart, .figure-one svg"
# What is cut off, or scrolls sideways without being made for it, as wide matrices and programs are.
CLIPPED = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  const made = '.matrix-window, .matrix-spoken, .tree-window, pre, table, .katex, input, textarea, .stSlider, '
    + '.js-plotly-plot, svg';
  return [main, ...main.querySelectorAll('*')]
    .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 1 && !part.closest(made))
    .filter((part) => part === main || (part.innerText?.trim() && getComputedStyle(part).display !== 'inline'))
    .map((part) => `${part.className} ${part.scrollWidth} > ${part.clientWidth}: ${part.innerText.slice(0, 60)}`);
}"""
# Texts that lie on each other, but for those of a formula
OVERLAPPING = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  const walk = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  const cut = (part, { left, right, top, bottom }) => {
    for (; part !== main; part = part.parentElement) {
      if (getComputedStyle(part).overflow === 'visible') continue;
      const box = part.getBoundingClientRect();
      if (right <= box.left || left >= box.right || bottom <= box.top || top >= box.bottom) return true;
    }
    return false;
  };
  const boxes = [], found = [];
  for (let text; (text = walk.nextNode()); ) {
    const part = text.parentElement;
    if (!text.data.trim() || part.closest('.katex, math, .matrix-spoken, script, style')
      || !part.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects())
      if (box.width > 2 && box.height > 2 && !cut(part, box)) boxes.push({ text, box });
  }
  boxes.sort((a, b) => a.box.top - b.box.top);
  boxes.forEach((a, at) => {
    for (const b of boxes.slice(at + 1)) {
      if (b.box.top >= a.box.bottom) break;
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const high = Math.min(a.box.bottom, b.box.bottom) - b.box.top;
      if (a.text !== b.text && wide > 2 && high > 0.45 * Math.min(a.box.height, b.box.height))
        found.push(`${a.text.data.trim().slice(0, 30)} | ${b.text.data.trim().slice(0, 30)}`);
    }
  });
  return found;
}"""
# Texts of several paragraphs, without a table, that stand in the left half of a page that has room for two columns
HALF_EMPTY = """() => [...document.querySelectorAll('.stMain [data-testid=stMarkdownContainer]')]
  .filter((text) => text.clientWidth > 820 && text.children.length > 1 && !text.querySelector('table'))
  .filter((text) => ![...text.children].some((part) => part.offsetLeft - text.offsetLeft > text.clientWidth / 3))
  .map((text) => text.innerText.slice(0, 60))"""
SIZES = """() => [
  document.querySelector('[data-testid=stMain]').clientWidth,
  document.querySelector('[data-testid=stMainBlockContainer]').clientWidth,
  parseFloat(getComputedStyle(document.documentElement).fontSize),
]"""
# How many sums are on screen
SUMS = """() => [...document.querySelectorAll('.matrix-sum:not(:empty)')]
  .filter((sum) => sum.getBoundingClientRect().top < innerHeight).length"""
# A cell of a chapter's first board that other cells make
MADE = {
    "tokens": "vectors",
    "positions": "code",
    "attention": "products",
    "scaling": "shares",
    "masks": "mask",
    "heads": "cross.1.3",
    "layers": "out",
    "decoding": "probabilities",
    "ways": "draws",
    "loss": "p",
}

# Of each chapter what is drawn first: where it begins, how much of it the first screen shows, and whether any field for
# words or numbers stands above it.
FIRST_FIGURE = """figure => {
  const { top, bottom, height } = figure.getBoundingClientRect();
  const fields = document.querySelectorAll(".stMain :is(.stTextInput, .stNumberInput, .stSelectbox)");
  return {
    top, height, seen: Math.min(bottom, innerHeight) - top,
    above: [...fields].filter((field) => field.getBoundingClientRect().bottom < top && field.offsetWidth).length,
  };
}"""
SENTENCES = ("attention", "tokens", "walkthrough", "decoding", "ways")  # they have a field with the model's sentence
FIELDS_FIRST = (MAP, "training")  # the sentence is what they begin with, or the run's settings


def once_drawn(page: Page, script: str) -> list[str]:
    """What a script still finds once charts have had the time of a slow machine to draw themselves anew."""
    with suppress(TimeoutError):
        page.wait_for_function(f"() => !({script})().length")
    return list(page.evaluate(script))


def resize(page: Page, width: int, height: int) -> float:
    """The page at this size, with nothing cut off and no text on another. How much of its first figure is on the first
    screen, in pixels."""
    page.set_viewport_size({"width": width, "height": height})
    settle(page)
    for script in (CLIPPED, OVERLAPPING):
        assert once_drawn(page, script) == []
    return height - float(page.locator(FIGURE).first.evaluate("figure => figure.getBoundingClientRect().top"))


def stands_first(page: Page) -> None:
    found = page.locator(FIGURE).first.evaluate(FIRST_FIGURE)
    assert found["top"] < 400
    assert found["seen"] >= min(found["height"], 400)
    assert found["above"] == 0


def is_painted(page: Page, chapter: str, lang: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(Words(chapter, lang)("title"))
    # Training looks with a process, which has to start first
    expect(page.locator(FIGURE).first).to_be_visible(timeout=AGES)


def test_the_table_of_checks_fits_every_screen(open_page: Open) -> None:
    page = open_page("/verify", lang="zh", dark=True, width=390)
    expect(page.locator("table.checks")).to_be_visible()
    for width, height in ((640, 400), (390, 844), (1280, 800), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        assert page.evaluate(CLIPPED) == []
        assert faults(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    stands_first(page)
    assert in_the_other_theme(page, "light") == []


WALKED = [MAP, *(chapter for chapter in CHAPTERS if chapter != "verify")]


@pytest.mark.parametrize("chapter", WALKED)
def test_every_chapter_is_painted_and_fits_small_screens_in_the_dark(walk: Open, chapter: str) -> None:
    page = walk("/" if chapter == MAP else f"/{chapter}", lang="zh", sections="all", dark=True, width=390, height=844)
    is_painted(page, chapter, "zh")
    assert resize(page, 390, 844) > 150
    assert faults(page) == []
    resize(page, 820, 1180)
    assert resize(page, 640, 400) > 20  # a laptop's screen at twice the size


@pytest.mark.parametrize("chapter", WALKED)
def test_every_chapter_is_painted_and_fits_large_screens_and_paper(walk: Open, chapter: str) -> None:
    page = walk("/" if chapter == MAP else f"/{chapter}", lang="en", sections="all", width=1280, height=800)
    is_painted(page, chapter, "en")
    assert resize(page, 1280, 800) > 300
    assert page.evaluate(HALF_EMPTY) == []
    assert faults(page) == []
    if chapter not in FIELDS_FIRST:
        stands_first(page)
    if chapter in MADE:
        point = page.locator(FIGURE).first.evaluate("(base, panel) => base.cellCentre(panel, 0, 0)", MADE[chapter])
        page.mouse.click(point["x"], point["y"])
        settle(page)
        expect(page.locator(".matrix-sum:not(:empty)").first).to_be_in_viewport(ratio=1)
        assert page.evaluate(SUMS) == 1  # and no other, whose figure is further down
    assert resize(page, 1920, 1080) > 500
    room, taken, letters = page.evaluate(SIZES)
    assert taken > 0.9 * room
    assert letters * 12 / 16 >= 14  # the smallest on a canvas
    skip_leads_to_the_figure(page, "en")
    if chapter != MAP:
        put_on_paper(page)
        shows_figures_and_lines_in_light_colours_and_nothing_to_press(page, chapter, "en")
        page.emulate_media(media="null")


def test_no_paragraph_ends_in_a_line_of_one_character(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks", lang="zh", sections="both", width=390, height=844)
    paragraph = page.locator(".stMain [data-testid=stMarkdownContainer] p").first
    expect(paragraph).to_have_css("text-wrap-style", "pretty")


@pytest.mark.parametrize("chapter", [*SENTENCES, "scaling"])
def test_the_sentence_stands_whole_in_its_field_on_a_phone_and_below_the_figure(open_page: Open, chapter: str) -> None:
    scores = "&which_scores=model" if chapter == "scaling" else ""
    page = open_page(f"/{chapter}?model=translate&hide=none{scores}", lang="en")
    is_painted(page, chapter, "en")
    stands_first(page)
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    field = page.get_by_role("textbox", name=Words("shell", "en")("src"), exact=True)
    expect(field).to_have_value(EXAMPLES["translate en-zh"])
    assert field.evaluate("field => field.scrollWidth <= field.clientWidth")


def test_a_run_begins_with_its_sentences_and_its_curves_on_the_first_screen(open_page: Open) -> None:
    page = open_page("/training?model=translate&hide=none", lang="en")
    sentence, chart = page.locator(".corrected").first, page.locator(".stEChartsChart").first
    expect(sentence).to_be_visible(timeout=AGES)
    assert sentence.evaluate("node => node.getBoundingClientRect().top") < 400
    assert chart.evaluate("node => node.getBoundingClientRect().top") < 800
    for width, height in ((820, 1180), (390, 844)):  # what a run is set to stands below its title, or beside it
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        title, recipe = (
            page.locator(f".st-key-training-recipe {part}").bounding_box() for part in ("summary p", ".recipe")
        )
        assert title
        assert recipe
        below, beside = title["y"] + title["height"] <= recipe["y"], title["x"] + title["width"] <= recipe["x"]
        assert below or beside


FURTHEST = """() => Math.max(...[...document.querySelectorAll(".stMain button")]
  .filter((button) => button.checkVisibility()).map((button) => button.getBoundingClientRect().right))"""
SMALL = """() => [...document.querySelectorAll(".stMain :is(button, .stPageLink a)")].filter((part) => {
  const { width, height } = part.getBoundingClientRect();
  return part.checkVisibility() && height > 1 && (width < 24 || height < 24);
}).map((part) => part.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("chapter", ["attention", "ways"])
def test_under_a_finger_no_button_is_small_or_beyond_the_page_and_none_names_a_key(
    open_page: Open, chapter: str
) -> None:
    page = open_page(f"/{chapter}?model=translate&hide=none", lang="en", width=390, height=844)
    device = page.context.new_cdp_session(page)
    device.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    page.wait_for_function("matchMedia('(hover: none) and (pointer: coarse)').matches")
    settle(page)
    assert page.evaluate(SMALL) == []
    assert page.evaluate(FURTHEST) <= 390
    expect(page.locator("button kbd").filter(visible=True)).to_have_count(0)
    device.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    device.detach()


def test_the_probabilities_of_a_turn_stay_where_they_are_as_the_mask_grows(open_page: Open) -> None:
    heights = set()
    for turn in (2, 5, 8):
        page = open_page(f"/decoding?model=translate&turn={turn}", lang="en")
        heights.add(page.locator(FIGURE).first.evaluate("board => board.cellCentre('probabilities', 0, 0).y"))
    assert max(heights) < 800
    assert max(heights) - min(heights) < 8
