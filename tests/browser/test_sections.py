"""Which sections run after a change: its own, and those that read what has changed."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import settle
from ui.settings.chapters import BESIDE, CHAPTERS
from ui.text import Words

Open = Callable[..., Page]


def test_another_sample_reaches_the_section_that_reads_its_seed(open_page: Open) -> None:
    page = open_page("/scaling?spread=8", lang="en", sections="all")
    expect(page.get_by_text("attention_steps(x, x, x).weights · 4 × 4 · seed 0")).to_be_visible()
    page.get_by_role("button", name=Words("scaling", "en")("draw_again", seed=0)).click()
    expect(page.get_by_text("attention_steps(x, x, x).weights · 4 × 4 · seed 1")).to_be_visible()
    settle(page)
    assert "seed=1" in page.url


def test_other_scores_reach_the_section_that_reads_them(open_page: Open) -> None:
    page = open_page("/scaling", lang="en", sections="all")
    box = page.get_by_role("textbox", name=Words("scaling", "en")("scores"))
    box.fill("1 2 3")
    box.press("Enter")
    expect(page.get_by_text("sharpness(scores, 1 / T) · 9 × 3")).to_be_visible()
    settle(page)
    assert "scores=1+2+3" in page.url


@pytest.mark.parametrize(("chapter", "lang"), [("masks", "en"), ("heads", "zh")])
def test_all_chapters_stay_in_view_beside_the_sections_of_one_and_each_of_these_is_reached(
    open_page: Open, chapter: str, lang: str
) -> None:
    page = open_page(f"/{chapter}?model=trained", lang=lang)
    chapters, sections = page.locator(".menu > a"), page.locator(".contents a")
    spoken_of = len(BESIDE) - (lang != "zh")  # the page about the lecture notes is for their readers
    expect(chapters).to_have_count(1 + len(CHAPTERS) + spoken_of)  # the map, too
    for link in chapters.all():
        expect(link).to_be_in_viewport(ratio=1)
    assert sections.count() > 8
    sections.last.click()
    settle(page)
    opened = page.locator(f"[class*=-{sections.last.get_attribute('data-section')}-section] summary")
    expect(opened).to_be_in_viewport(ratio=1)
    for link in chapters.all():
        expect(link).to_be_in_viewport(ratio=1)


ABOVE = """title => {
  const shown = (title.closest(".stExpander") ?? title).querySelector("summary") ?? title;
  return shown.getBoundingClientRect().top - document.querySelector(".stAppHeader").getBoundingClientRect().bottom;
}"""


# The title of a fold is what the eye reads; the heading below it is there for links and screen readers.
TWICE = """folds => folds
  .flatMap(fold => fold.querySelector(".stHeading") ?? [])
  .filter(heading => heading.innerText === heading.closest("details").querySelector("summary").innerText.trim())
  .filter(heading => heading.getBoundingClientRect().height > 1)
  .map(heading => heading.innerText)"""


@pytest.mark.parametrize(
    ("path", "name", "width"), [("/masks", "fill", 390), ("/heads?model=trained", "alignment", 1280)]
)
def test_a_link_to_a_section_shows_its_title_whole(open_page: Open, path: str, name: str, width: int) -> None:
    page = open_page(f"{path}#{name}", lang="en", width=width)
    title = page.locator(f"#{name}")
    expect(title).to_be_attached()
    settle(page)
    assert 0 <= title.evaluate(ABOVE) < 100
    assert page.locator("[data-testid=stExpanderDetails]").evaluate_all(TWICE) == []


def test_what_is_unfolded_under_a_figure_comes_into_view(open_page: Open) -> None:
    page = open_page("/masks?size=20", lang="en")
    caption = page.locator(".st-key-caption-masks-look_ahead")
    caption.evaluate("caption => caption.scrollIntoView({ block: 'end' })")  # all that follows is below the screen
    shell = Words("shell", "en")
    for part, shown in (("numbers", ".stDataFrame"), ("snippet", ".stCode"), ("link", ".stCode")):
        caption.get_by_role("radio", name=shell(f"caption_part.{part}")).click()
        expect(page.locator(f".st-key-unfolded-masks-look_ahead {shown}").last).to_be_in_viewport(ratio=1)
        expect(caption).to_be_in_viewport(ratio=1)
