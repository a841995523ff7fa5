"""What only a browser can know of the lab sheet: the files that it hands out, and how they are printed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.core.test_labsheet import sheet
from transformer_core.labsheet.command import main
from transformer_core.labsheet.file import Unreadable, found_in
from ui.chapters.practice.labsheet import lab_page
from ui.text import LANGUAGES, Words

Open = Callable[..., Page]
WIDE = "[...document.querySelectorAll('body *')].filter(one => one.getBoundingClientRect().right > innerWidth).length"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_files_that_are_saved_are_the_same_sheet_and_fit_on_paper(
    open_page: Open, browser: Browser, tmp_path: Path, lang: str
) -> None:
    page = open_page(
        "/practice?sheet_task=beam&sheet_replies=77&sheet_first=77", lang=lang, dark=True, sections="labsheet"
    )
    say, sheets = Words("practice", lang), []
    page.get_by_role("button", name=Words("shell", lang)("exercise.check")).click()  # a link answers nothing
    for name in ("save", "paper", "paper_key"):
        with page.expect_download() as saved:
            page.get_by_role("button", name=say(f"labsheet.{name}"), exact=True).click()
        path = tmp_path / f"{name}.html"
        saved.value.save_as(path)
        sheets.append(found_in(path.read_bytes()))
    assert sheets[0] == sheets[1] == sheets[2]
    assert sheets[0].unchanged
    assert main(["check", str(tmp_path)]) == 0
    paper = browser.new_page()
    paper.emulate_media(media="print")
    for width, height in ((680, 1009), (703, 943)):  # A4 and Letter within margins of 15 mm, at 96 dots an inch
        paper.set_viewport_size({"width": width, "height": height})
        paper.goto((tmp_path / "paper_key.html").as_uri())
        assert paper.evaluate(WIDE) == 0
        assert paper.get_by_role("button").count() == 0
        assert paper.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    paper.close()


def test_a_sheet_that_a_browser_has_saved_is_the_same_sheet_or_lacks_its_data(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "labsheet.html").write_text(lab_page(sheet()), encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "labsheet.html").as_uri())
    complete = page.evaluate("`<!DOCTYPE html>\\n${document.documentElement.outerHTML}`")
    found = found_in(f"<!-- saved from url=(0029)http://localhost/practice -->{complete}".encode())
    assert found.unchanged
    assert found.sheet == sheet()
    snapshot = page.context.new_cdp_session(page).send("Page.captureSnapshot", {"format": "mhtml"})
    with pytest.raises(Unreadable) as refused:
        found_in(str(snapshot["data"]).encode())
    assert refused.value.reason == "mhtml"
    page.close()
