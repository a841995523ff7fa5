"""The page for teachers as a teacher meets it, and a lecture's code as a phone in the last row does."""

import io
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import saying, settle
from ui.settings.lessons import LESSONS
from ui.text import Words


def scanned(place: Page | Locator) -> str:
    """What a reader of QR codes finds in a picture of the screen."""
    grey = np.asarray(Image.open(io.BytesIO(place.screenshot())).convert("L"))
    only = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)  # modules may pass for stripes too
    (found,) = zxingcpp.read_barcodes(grey, formats=only)
    return str(found.text)


@pytest.mark.parametrize(("width", "height", "dark"), [(1280, 720, True), (1920, 1080, False), (390, 844, True)])
def test_a_phone_reads_the_students_link_off_the_projector(
    open_page: Callable[..., Page], app_url: str, width: int, height: int, dark: bool
) -> None:
    page = open_page("/masks?lesson=masks&stop=4", lang="en", dark=dark, width=width, height=height)
    shell = Words("shell", "en")
    page.keyboard.press("q")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("svg.qr")).to_be_visible()
    settle(page)
    link = scanned(page)
    assert link.startswith(f"{app_url.rstrip('/')}/masks?")
    said = dict(parse_qsl(urlsplit(link).query))
    assert said["only"] == "fill"
    assert {"present", "lesson", "stop"}.isdisjoint(said)
    host = urlsplit(app_url).hostname or ""
    expect(dialog.get_by_text(host, exact=True)).to_be_visible()  # no phone gets there, which is said
    button = dialog.get_by_role("button", name=shell("scan.close"))
    box = button.bounding_box()
    assert box
    assert box["y"] + box["height"] <= height  # how to close it is on the screen
    button.click()
    expect(dialog).to_have_count(0)
    settle(page)
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(saying("stop=5"))


def test_escape_puts_the_code_away(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks?lesson=masks&stop=1", lang="zh", width=1280, height=720)
    page.get_by_role("button", name=Words("shell", "zh")("scan")).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_link_that_is_put_together_is_scanned_and_copied_as_it_stands(open_page: Callable[..., Page]) -> None:
    page = open_page("/teachers?link_chapter=scaling&link_section=steps", lang="en", width=1280, height=800)
    page.locator('label:has-text("factor")').click()
    expect(page).to_have_url(saying("link_hide=factor"))
    settle(page)
    code = page.locator(".scan svg.qr")
    code.scroll_into_view_if_needed()
    link = scanned(code)
    assert dict(parse_qsl(urlsplit(link).query)) == {"model": "translate", "only": "steps", "hide": "factor"}
    expect(page.get_by_test_id("stCode").get_by_text(link)).to_be_visible()
    expect(page.get_by_test_id("stCode").locator("button")).to_have_count(2)  # which copies it, and its HTML
    expect(page.get_by_role("link", name=Words("teachers", "en")("builder.open"))).to_have_attribute("href", link)


@pytest.mark.parametrize(("width", "lang"), [(1280, "en"), (390, "zh")])
def test_every_stop_has_its_picture_and_nothing_is_wider_than_the_screen(
    open_page: Callable[..., Page], width: int, lang: str
) -> None:
    page = open_page(f"/teachers?open={','.join(LESSONS)},course", lang=lang, width=width, height=800)
    stops = sum(map(len, LESSONS.values()))
    pictures = page.locator("svg.miniature")
    expect(pictures).to_have_count(stops + len(LESSONS))
    boxes = [picture.bounding_box() for picture in pictures.all()]
    assert all(box and box["width"] > 80 and box["height"] > 20 and box["x"] + box["width"] <= width for box in boxes)
    expect(page.get_by_test_id("stCode").locator("button")).to_have_count(stops + 3)  # each copies
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width
