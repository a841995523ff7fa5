"""A section in a page of another site: without a menu, its figure seen at once, and Tab leads through it and on."""

import threading
from collections.abc import Callable, Iterator
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Frame, Page, expect

from tests.browser.conftest import Tab
from tests.browser.driver import IDLE, PATIENCE, saying
from ui.frame.embed import HEIGHT, frame_of

SECTIONS = ["attention?only=stages&model=translate", "masks?only=fill&open=fill", "heads?only=wall&model=translate"]
MOST_TABS = 120
FOCUSED = "() => document.activeElement.id"

Show = Callable[..., tuple[Page, Frame]]


class Course(BaseHTTPRequestHandler):
    """Another site, for `localhost` is not 127.0.0.1: it has one page."""

    html = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.html)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def course() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Course) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def show(app_url: str, course: str, tab: Tab) -> Iterator[Show]:
    """show("masks?only=fill"): the course's page with the section between two buttons, and the section's own."""
    page, heard = tab
    heard.clear()

    def show_(path: str) -> tuple[Page, Frame]:
        page.bring_to_front()
        page.set_viewport_size({"width": 1000, "height": 900})
        framed = frame_of(f"{app_url}/{path}", "A section")
        Course.html = f'<button id="before">1</button>{framed}<button id="after">2</button>'.encode()
        page.goto(course, wait_until="commit")
        place = page.wait_for_selector("iframe")
        inside = place and place.content_frame()
        assert inside
        inside.wait_for_url(saying(path.partition("?")[0]), wait_until="commit")
        inside.wait_for_selector("canvas.matrix-base[data-painted]", timeout=PATIENCE)
        inside.wait_for_function(IDLE, arg=[path, 150], timeout=PATIENCE)
        return page, inside

    yield show_

    page.goto("about:blank")
    assert heard == []


@pytest.mark.parametrize("path", SECTIONS)
def test_its_figure_is_seen_at_once_and_nothing_around_it(show: Show, path: str) -> None:
    page, inside = show(path)
    around = page.locator("iframe").bounding_box()
    figure = inside.locator("canvas.matrix-base").first.bounding_box()
    assert around
    assert figure
    assert around["height"] >= HEIGHT
    assert figure["y"] < around["y"] + 0.75 * HEIGHT
    assert inside.locator(".stSidebar, nav").count() == 0
    expect(inside.locator(".stAppHeader")).to_be_hidden()
    assert inside.evaluate("document.querySelector('.stMain').scrollWidth <= innerWidth")


@pytest.mark.parametrize("path", SECTIONS)
def test_tab_leads_through_it_and_on_in_both_directions(show: Show, path: str) -> None:
    page, inside = show(path)
    for begin, end, key in (("before", "after", "Tab"), ("after", "before", "Shift+Tab")):
        page.locator(f"#{begin}").focus()
        canvas = False
        for _ in range(MOST_TABS):
            page.keyboard.press(key)
            if page.evaluate(FOCUSED) == end:
                break
            canvas |= inside.evaluate("document.activeElement.matches('canvas')")
        assert page.evaluate(FOCUSED) == end
        assert canvas


def test_what_is_done_there_stays_there(show: Show) -> None:
    page, inside = show(SECTIONS[1])
    inside.locator("canvas.matrix-base").first.focus()
    page.keyboard.press("ArrowDown")
    inside.wait_for_url(saying("cell="))
    assert "embed=true" in unescape(inside.url)
    assert inside.locator(".stSidebar").count() == 0
    expect(inside.locator(".matrix-spoken").first).to_contain_text("0 · ")
