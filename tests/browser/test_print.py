"""Paper: what a chapter is when it is printed, by the browser's own command and by the button that opens all of it; and
a lesson as slides."""

import re
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import AGES, saying
from tests.browser.paper import CONTROLS, LINES, WIDE, put_on_paper
from transformer_core.exercises.worksheet import TASKS
from ui.settings.chapters import MAP, TEACHERS
from ui.settings.lessons import LESSONS
from ui.text import LANGUAGES, Words

SPREAD = """() => [
  document.querySelector('.sheet-paper').getBoundingClientRect().left,
  ...[...document.querySelectorAll('.blank')].map((one) => one.getBoundingClientRect().right)]"""
HEARD = """() => {
  window.heard = [];
  addEventListener('beforeprint', () => {
    for (const canvas of document.querySelectorAll('.matrix-base'))
      window.heard.push([canvas.clientWidth, canvas.width / canvas.clientWidth, canvas.dataset.mode]);
  });
}"""


@pytest.fixture
def on_paper(open_page: Callable[..., Page]) -> Iterator[Callable[..., Page]]:
    """on_paper(path, …) opens a page in the dark theme and shows it as it is printed."""
    pages: list[Page] = []

    def on_paper_(path: str, **how: str) -> Page:
        page = open_page(path, dark=True, **how)
        pages.append(page)
        put_on_paper(page)
        return page

    yield on_paper_
    for page in pages:
        page.emulate_media(media="null")


def test_there_are_lines_for_an_answer_under_each_question_of_a_chapter(on_paper: Callable[..., Page]) -> None:
    page = on_paper("/masks", lang="en", sections="all")
    assert len(page.evaluate(LINES)) >= 3
    assert Words("masks", "en")("unhidden.question") in page.locator("body").inner_text()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_paper_says_what_is_folded(on_paper: Callable[..., Page], lang: str) -> None:
    page, say = on_paper("/masks", lang=lang, sections="fill"), Words("masks", lang)
    folded = page.locator(".printed-folded")
    expect(folded).to_contain_text(say("rows.title"))
    expect(folded).not_to_contain_text(say("fill.title"))
    assert page.locator("details:not([open])").first.is_hidden()


@pytest.mark.parametrize(("task", "key"), [("attention", "0"), ("softmax", "1")])
def test_a_worksheet_prints_its_blanks_and_their_key_only_where_that_is_shown(
    on_paper: Callable[..., Page], task: str, key: str
) -> None:
    page = on_paper(f"/practice?sheet_task={task}&sheet_key={key}", lang="zh")
    blanks = page.locator(".sheet-paper .blank")
    expect(blanks).to_have_count(len(TASKS[task].exercise(1).blanks))
    assert {bool(text) for text in page.locator(".blank b").all_inner_texts()} == {key == "1"}
    assert page.evaluate(CONTROLS) == []
    left, *rights = page.evaluate(SPREAD)
    assert max(rights) - left <= WIDE + 1


def test_a_canvas_is_drawn_for_the_paper_when_it_is_printed_and_for_the_screen_again_after(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/masks?cell=mask.2.1", dark=True, width=1700)
    before = page.locator(".matrix-base").first.bounding_box()
    page.evaluate(HEARD)
    for paper in ("A4", "Letter"):
        pdf = page.pdf(format=paper)
        assert len(re.findall(rb"/Type /Page\b", pdf)) > 1
        printed = page.evaluate("window.heard.splice(0)")
        assert printed
        for wide, sharp, mode in printed:
            assert wide <= WIDE
            assert (sharp, mode) == (pytest.approx(3, abs=0.01), "light")
        page.wait_for_function("() => !document.documentElement.hasAttribute('data-paper')")
        expect(page.locator(".matrix-base").first).to_have_attribute("data-mode", "dark")
        assert page.locator(".matrix-base").first.bounding_box() == before


@pytest.mark.parametrize("chapter", [MAP, "heads"])
def test_the_button_opens_all_that_folds_and_then_prints_what_the_page_has_become(
    open_page: Callable[..., Page], chapter: str
) -> None:
    page = open_page("/" if chapter == MAP else f"/{chapter}", lang="zh")
    page.evaluate("""() => {
      window.print = () => (window.printed = [
        document.querySelectorAll('.stMain details').length,
        document.querySelectorAll('.stMain details:not([open])').length,
        document.documentElement.hasAttribute('data-paper'),
      ]);
    }""")
    page.get_by_role("button", name=Words("shell", "zh")("print.chapter")).click()
    page.wait_for_function("() => window.printed")
    count, folded, on_paper = page.evaluate("window.printed")
    assert (count > 1, folded, on_paper) == (True, 0, True)
    if chapter != MAP:
        expect(page).to_have_url(saying("open=all"))
        assert parse_qs(urlsplit(page.url).query)["open"] == ["all"]
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("() => document.documentElement.hasAttribute('data-paper')") is False


def test_a_printed_map_is_whole(open_page: Callable[..., Page]) -> None:
    page = open_page("/")
    last = page.locator(".player-place").get_attribute("max")
    page.locator(".player-place").fill("0")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".map")).to_have_attribute("data-moment", str(last))
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".map")).to_have_attribute("data-moment", "0")


SLIDES = """() => [...document.querySelectorAll(".slides iframe")].map(({ contentDocument: page }) => {
  const box = (one) => { const { top, bottom } = one.getBoundingClientRect(); return [top, bottom]; };
  const every = [...page.querySelectorAll("canvas.matrix-base, .stEChartsChart")];
  const drawn = every.filter((one) => one.checkVisibility());
  const figures = drawn.map(box);
  const sharp = drawn.filter((one) => one.width).map((one) => one.width / one.clientWidth);
  const foot = page.querySelector(".st-key-slide").getBoundingClientRect().top;
  return { title: page.querySelector("h1").innerText, figures, sharp, foot };
})"""


def test_a_lesson_is_saved_as_slides_a_stop_on_each_page(open_page: Callable[..., Page]) -> None:
    page, say = open_page("/teachers?open=masks", lang="zh", dark=True, width=1280, height=800), Words(TEACHERS, "zh")
    page.evaluate("window.print = () => (window.printed = true)")
    save, said = page.get_by_role("button", name=say("slides.question")).first, page.locator(".slides-said").first
    page.route("**/masks?*slide=*", lambda route: route.abort())
    save.click()
    expect(said).to_have_text(say("slides.failed").replace("#", "1"))
    page.unroute("**/masks?*slide=*")
    expect(page.locator(".slides")).to_have_count(0)
    save.click()
    expect(said).to_have_text("1 / 5")
    page.get_by_role("button", name=say("slides.end")).click()
    expect(page.locator(".slides")).to_have_count(0)
    expect(said).to_have_text("")
    save.click()
    page.wait_for_function("window.printed", timeout=AGES)
    expect(said).to_have_text(say("slides.ready"))
    slides = page.evaluate(SLIDES)
    assert [one["title"] for one in slides] == [say(f"masks.stop_{number}") for number in range(1, 6)]
    for one in slides:
        assert one["figures"]
        assert all(bottom <= one["foot"] for _, bottom in one["figures"])
        assert max(bottom - top for top, bottom in one["figures"]) > 1080 / 3
        assert one["sharp"] == [pytest.approx(3, abs=0.01)] * len(one["sharp"])
    pdf = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type /Page\b", pdf)) == len(LESSONS["masks"])
    assert re.findall(rb"/MediaBox \[0 0 (\d+) (\d+)\]", pdf) == [(b"1440", b"810")] * len(LESSONS["masks"])
    assert len(re.findall(rb"/Subtype /Image", pdf)) >= len(LESSONS["masks"])
    expect(page.locator(".slides")).to_have_count(0)
