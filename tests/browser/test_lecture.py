"""A lecture as the last row sees it: large, without menu and controls, led by the arrow keys; a figure made large."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import faults
from tests.browser.driver import saying, settle
from ui.settings.chapters import TEACHERS
from ui.settings.lessons import LESSONS
from ui.text import Words


def test_a_section_fills_the_screen_and_the_arrows_lead_on_or_with_shift_move_the_cell(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/attention?present=1&stage=all&cell=products.2.1", lang="en", width=1920, height=1080)
    letters = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    assert letters * 12 / 16 >= 20  # the smallest on a canvas
    menu, head = page.get_by_test_id("stSidebar"), page.get_by_role("radiogroup", name="Head")
    for shown in (False, True, False):
        expect(menu).to_be_visible(visible=shown)
        expect(head).to_be_visible(visible=shown)
        page.keyboard.press("m")

    board = page.locator("canvas.matrix-base")
    board.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(board).to_have_attribute("data-chosen", "products 2,2")
    settle(page)
    expect(page).not_to_have_url(saying("only="))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name=Words("attention", "en")("projection.title"))).to_be_visible()
    settle(page)
    expect(page).to_have_url(saying("only=projection"))

    page.get_by_role("button", name=Words("shell", "en")("lecture.leave")).click()
    expect(menu).to_be_visible()
    settle(page)
    assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") < letters


REACHED = """button => {
  const { x, y, width, height } = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 640)])
def test_bar_menu_and_page_stand_beside_each_other(open_page: Callable[..., Page], width: int, height: int) -> None:
    page = open_page("/loss?present=1", lang="en", width=width, height=height)
    page.keyboard.press("m")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    bar = page.locator(".st-key-lecture").bounding_box()
    assert bar
    for part in (page.get_by_test_id("stSidebar"), page.get_by_test_id("stMain")):
        box = part.bounding_box()
        assert box
        assert box["y"] + box["height"] <= bar["y"] + 1
    for button in page.locator(".st-key-lecture button").all():
        assert button.evaluate(REACHED)


LETTERS = """chart => [...chart.querySelectorAll("svg text")]
  .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.currentCSSZoom)"""


@pytest.mark.parametrize("chapter", ["positions", "masks", "scaling", "why_attention"])
def test_what_a_chapter_opens_with_is_on_one_screen_and_its_letters_are_large(
    open_page: Callable[..., Page], chapter: str
) -> None:
    page = open_page(f"/{chapter}?present=1", lang="en", width=1920, height=1080)
    figures = page.locator("canvas.matrix-base, .stEChartsChart")
    assert all((box := figure.bounding_box()) and box["y"] + box["height"] <= 1080 for figure in figures.all())
    expect(page.get_by_role("heading")).to_have_count(1)
    for chart in page.locator(".stEChartsChart").all():
        expect(chart.locator("svg text").first).to_be_visible()
        assert min(chart.evaluate(LETTERS)) >= 20


def test_the_scores_of_a_token_and_all_that_comes_of_them_are_on_one_screen(open_page: Callable[..., Page]) -> None:
    link = "/scaling?present=1&which_scores=model&model=translate&word=5&head=3"
    page = open_page(link, lang="en", width=1920, height=1080)
    board = page.locator("canvas.matrix-base").bounding_box()
    assert board
    assert board["y"] + board["height"] <= 1080
    expect(page.get_by_test_id("stMain").get_by_test_id("stPopover")).to_be_hidden()  # the list of words is a control


def test_a_figure_opens_large_and_closes(open_page: Callable[..., Page]) -> None:
    page = open_page("/attention", lang="en")
    page.get_by_role("button", name=Words("shell", "en")("large_view")).first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    settle(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


BAR = ".lecture"


def at_stop(page: Page, lesson: str, number: int) -> None:
    """The bar says so, the page has come to rest, and the address has it."""
    expect(page.locator(BAR)).to_contain_text(f"{Words(TEACHERS, 'en')(f'{lesson}.title')} {number}/5")
    settle(page)
    expect(page).to_have_url(saying(f"stop={number}"))


def test_a_clicker_leads_from_stop_to_stop_whatever_has_the_focus(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks?lesson=masks&stop=1&scene=0&pairs=36", lang="en", width=1920, height=1080)
    page.locator("canvas.matrix-base").click(position={"x": 200, "y": 300})  # a cell
    settle(page)
    page.keyboard.press("ArrowRight")
    at_stop(page, "masks", 2)
    page.locator("[class*=st-key-predict-] button").first.click()  # a reply
    settle(page)
    page.keyboard.press("PageDown")
    at_stop(page, "masks", 3)
    assert page.evaluate("location.pathname") == "/attention"
    page.locator(".st-key-lecture-on button").focus()
    page.keyboard.press("Space")  # one step, though it stands on a button
    at_stop(page, "masks", 4)
    page.keyboard.press("m")
    page.get_by_role("radio").first.focus()
    page.keyboard.press("PageUp")
    at_stop(page, "masks", 3)
    page.reload()
    settle(page)
    at_stop(page, "masks", 3)
    page.keyboard.press("Control+ArrowRight")
    page.keyboard.press("ArrowLeft")
    at_stop(page, "masks", 2)


def test_a_slider_moves_with_shift_and_leads_on_without(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks?lesson=masks&stop=1&scene=0&pairs=36", lang="en", width=1920, height=1080)
    page.keyboard.press("m")
    slider = page.get_by_test_id("stMain").get_by_role("slider").first
    slider.focus()
    page.keyboard.press("Shift+ArrowRight")
    settle(page)
    expect(page).to_have_url(saying("size=9"))
    slider.focus()
    page.keyboard.press("ArrowRight")
    at_stop(page, "masks", 2)


def test_a_text_field_keeps_its_keys_until_escape(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks?lesson=masks&stop=1&scene=0", lang="en", width=1920, height=1080)
    field = page.locator("[class*=st-key-predict-] input[type=text]")
    field.fill("36")
    for key in ("ArrowLeft", "Space", "PageDown"):
        field.press(key)
    expect(field).to_have_value("3 6")
    page.keyboard.press("Escape")
    expect(field).not_to_be_focused()
    settle(page)
    expect(page).to_have_url(saying("stop=1"))
    page.keyboard.press("ArrowRight")
    at_stop(page, "masks", 2)


def test_a_key_that_is_held_down_is_one_step(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks?lesson=masks&stop=1&scene=0", lang="en", width=1920, height=1080)
    for _ in range(5):
        page.keyboard.down("ArrowRight")  # from the second on a repetition
    page.keyboard.up("ArrowRight")
    at_stop(page, "masks", 2)


def test_up_down_and_end_scroll(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks?present=1&only=probes", lang="en", width=1280, height=500)
    main = page.get_by_test_id("stMain")
    tops = [main.evaluate("main => main.scrollTop")]
    page.locator("canvas.matrix-base").first.focus()
    for key in ("ArrowDown", "End", "ArrowUp", "Home"):
        page.keyboard.press(key)
        tops.append(main.evaluate("main => main.scrollTop"))
    start, down, end, up, home = tops
    assert start < down < end
    assert home < up < end
    assert home == 0
    expect(page).to_have_url(saying("only=probes"))


# Where what stands on the page ends; where the bar begins; headings that reach into what is below them.
ENDS = """() => {
  const shown = (node) => node.offsetWidth && node.offsetHeight;
  const page = document.querySelector("[data-testid=stMainBlockContainer]");
  const parts = [...page.querySelectorAll(".stElementContainer")].filter(
    (node) => shown(node) && !node.closest(".st-key-lecture"));
  const meet = (one, other) =>
    other.top < one.bottom - 1 && other.bottom > one.top + 1 && other.left < one.right && other.right > one.left;
  const heads = [...page.querySelectorAll("h1, h2, h3")].filter(shown).map((node) => node.getBoundingClientRect());
  const leaves = parts.filter((node) => !node.querySelector("h1, h2, h3")).map((node) => node.getBoundingClientRect());
  return {
    page: Math.max(...parts.map((node) => node.getBoundingClientRect().bottom)),
    bar: document.querySelector(".st-key-lecture").getBoundingClientRect().top,
    struck: heads.filter((head) => leaves.some((leaf) => meet(head, leaf))).length,
  };
}"""


DRAWN = ".st-key-stop :is(canvas.matrix-base, .stEChartsChart, .draw, .mend, .readout, .chips)"
# Of all that a stop draws: the part of the screen's height and of its own width, and whether something is cut off.
FILLS = """() => {
  const bar = document.querySelector(".st-key-lecture").getBoundingClientRect().top;
  const stop = document.querySelector(".st-key-stop");
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
  const drawn = shown("DRAWN");
  const boxes = drawn.map((node) => node.getBoundingClientRect());
  const [top, left] = ["top", "left"].map((side) => Math.min(...boxes.map((box) => box[side])));
  const [bottom, right] = ["bottom", "right"].map((side) => Math.max(...boxes.map((box) => box[side])));
  const lowest = (node) => node.getBoundingClientRect().bottom;
  const asked = shown("[class*=st-key-predict-]");
  const [box] = asked.map((node) => node.getBoundingClientRect());
  const votes = shown("[class*=st-key-predict-] table");
  return {
    tall: (bottom - top) / innerHeight,
    wide: (right - left) / stop.clientWidth,
    cut: Math.max(bottom, ...asked.map(lowest)) - bar,
    hidden: Math.max(0, ...votes.map((table) => lowest(table) - lowest(table.closest("[class*=st-key-predict-]")))),
    meet: box.left < right - 1 && box.right > left + 1 && box.top < bottom - 1 && box.bottom > top + 1,
  };
}""".replace("DRAWN", DRAWN)
PROJECTOR, WALL = (1920, 1080), (3840, 2160)


def fills(page: Page, lesson: str, number: int, *, wall: bool = True) -> None:
    """A figure has 70 % of the height or, where it is by nature wide and low, all of the width; all of it is seen. So
    it is on a projector, and on a `wall` of four times as many dots."""
    expect(page.locator(DRAWN).first).to_be_visible()
    for width, height in (PROJECTOR, WALL) if wall else (PROJECTOR,):
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        seen = page.evaluate(FILLS)
        assert seen["tall"] >= 0.7 or (seen["wide"] >= 0.9 and seen["tall"] >= 0.5), (lesson, number, width, seen)
        assert seen["cut"] <= 0, (lesson, number, width, seen)
        assert not seen["meet"], (lesson, number, width, seen)
        assert seen["hidden"] <= 0, (lesson, number, width, seen)


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_stop_of_a_lesson_is_one_screen_and_its_figure_fills_a_wall_beside_the_answer(
    open_page: Callable[..., Page], walk: Callable[..., Page], lesson: str
) -> None:
    go = open_page  # to the first stop; from there a class goes on in one session
    for number, stop in enumerate(LESSONS[lesson], 1):
        link = f"/{stop.chapter}?lesson={lesson}&stop={number}"
        if stop.tells:
            page, go = go(link, lang="en", width=1920, height=1080), walk
            at_stop(page, lesson, number)
            expect(page.locator(".story-play")).to_be_in_viewport(ratio=1)
            expect(page.locator(".story-count, .story-on").filter(visible=True)).to_have_count(0)
            ends = page.evaluate(ENDS)
            assert ends["page"] <= ends["bar"], (lesson, number, "its story")
            link += "&scene=0"
        page, go = go(link, lang="en", width=1920, height=1080), walk
        at_stop(page, lesson, number)
        expect(page.locator("[class*=st-key-predict-]")).to_have_count(1)
        expect(page.get_by_text(Words("training", "en")("first_look"))).to_have_count(0)
        settle(page)
        ends = page.evaluate(ENDS)
        assert ends["page"] <= ends["bar"], (lesson, number)
        assert not ends["struck"], (lesson, number)
        expect(page.locator(".st-key-way-on")).to_be_hidden()
        answer = page.locator("[class*=st-key-predict-] label:has(input[type=checkbox])")
        if answer.count():  # a drawing has none
            answer.click()
        settle(page)
        # a wall for one stop of a lesson: all that is measured is in its height
        fills(page, lesson, number, wall=number == 1 + [*LESSONS].index(lesson) % 4)


# The most replies, a stop with a table, and one whose figure has the whole width where there are no votes
@pytest.mark.parametrize(("lesson", "number"), [("hand", 2), ("scale", 3), ("masks", 3)])
def test_two_rounds_of_votes_and_the_answer_stand_whole_beside_the_figure(
    open_page: Callable[..., Page], lesson: str, number: int
) -> None:
    stop, shell = LESSONS[lesson][number - 1], Words("shell", "en")
    page = open_page(f"/{stop.chapter}?lesson={lesson}&stop={number}", lang="en", width=1920, height=1080)
    page.get_by_role("button", name=shell("room.enter")).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    for phase in ("counts", "open", "counts", "told"):
        page.locator(f".st-key-room-to-{phase} button").click()
        settle(page)
    expect(page.locator(".votes").first).to_have_attribute("data-round", shell("room.round", number=1))
    fills(page, lesson, number)


WRITTEN = """() => {
  const sizes = [];
  const plain = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (...given) {
    sizes.push(parseFloat(/([0-9.]+)px/.exec(this.font)[1]));
    return plain.apply(this, given);
  };
  window.lettersWritten = sizes;
}"""


@pytest.mark.parametrize(("width", "height", "least"), [(1920, 1080, 20), (3840, 2160, 40)])
def test_what_a_canvas_writes_in_a_lecture_grows_with_the_screen(
    open_page: Callable[..., Page], width: int, height: int, least: float
) -> None:
    page = open_page("/attention?lesson=attention&stop=3&sums=rows", lang="en", width=width // 2, height=height // 2)
    page.evaluate(WRITTEN)
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("window.lettersWritten.length > 50")
    settle(page)
    page.evaluate("window.lettersWritten.length = 0")
    page.set_viewport_size({"width": width - 40, "height": height})
    page.wait_for_function("window.lettersWritten.length > 50")
    assert min(page.evaluate("window.lettersWritten")) >= least * 0.97
    fraction = page.locator(".matrix-formula mfrac > *").first
    assert fraction.evaluate("node => parseFloat(getComputedStyle(node).fontSize)") >= least * 0.9


@pytest.mark.parametrize("present", ["present=1", "lesson=masks&stop=1&scene=0"])
def test_on_a_phone_the_bar_stands_below_the_page(open_page: Callable[..., Page], present: str) -> None:
    page = open_page(f"/masks?{present}", lang="en", width=390, height=844)
    bar, main = page.locator(".st-key-lecture").bounding_box(), page.get_by_test_id("stMain").bounding_box()
    assert bar
    assert main
    assert main["y"] + main["height"] <= bar["y"] + 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for part in page.locator(".st-key-lecture button, .st-key-lecture .lecture").all():
        box = part.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert bar["y"] <= box["y"]
        assert box["y"] + box["height"] <= 844


def test_the_lecturer_s_window_follows_the_wall_and_leads_it(open_page: Callable[..., Page]) -> None:
    wall = open_page("/masks?lesson=masks&stop=4", lang="en", width=1920, height=1080)
    with wall.context.expect_page() as opening:
        wall.keyboard.press("n")
    notes, say = opening.value, Words(TEACHERS, "en")
    expect(notes.get_by_role("heading", name=say("masks.stop_4"))).to_be_visible()
    expect(notes.locator(".presenter-clock")).to_contain_text(":")
    expect(notes.locator(".presenter-alone")).to_be_hidden()
    notes.keyboard.press("ArrowRight")
    at_stop(wall, "masks", 5)
    expect(notes.locator(".presenter")).to_contain_text("5/5")
    expect(notes.get_by_role("heading", name=say("masks.stop_5"))).to_be_visible()
    wall.keyboard.press("ArrowLeft")
    expect(notes.locator(".presenter")).to_contain_text("4/5")
    assert faults(notes) == []
    wall.goto("about:blank")
    expect(notes.locator(".presenter-alone")).to_be_visible()
    notes.close()


# A board, curves, tokens, a table and exercises
@pytest.mark.parametrize(
    ("chapter", "dark"), [("masks", True), ("scaling", False), ("ways", False), ("verify", False), ("practice", True)]
)
def test_a_lecture_has_nothing_that_axe_finds_and_no_heading_that_reaches_into_what_is_below_it(
    open_page: Callable[..., Page], chapter: str, dark: bool
) -> None:
    page = open_page(f"/{chapter}?present=1", lang="en", width=1920, height=1080, dark=dark)
    assert faults(page) == []
    page.keyboard.press("ArrowRight")
    settle(page)
    struck = page.evaluate(ENDS)["struck"]
    assert not struck
