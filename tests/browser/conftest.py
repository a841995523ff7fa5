"""One Chromium with one tab, and one server of the app, for all browser tests of a process.

A test that asks for `open_page` loads its page anew, and with it begins a session of its own. Pages that are only
looked at, one after the other, are walked through by `walk` within one session, for most of a test's time is loading.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.driver import BEGUN, PATIENCE, chromium, complaints, follow, serving, settle


class Tab(NamedTuple):
    page: Page
    heard: list[str]  # what it has complained of


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[str], str]]:
    """serve(script) starts a server of its own for a Streamlit script and gives its address."""
    with ExitStack() as servers:
        yield lambda script: servers.enter_context(serving(script)).url


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Tab:
    """The tab that keeps Streamlit's programs compiled: a page loads twice as fast there as in a new one. In it
    nothing begins by itself."""
    page = browser.new_context().new_page()
    page.add_init_script(BEGUN)
    page.set_default_timeout(PATIENCE)
    return Tab(page, complaints(page))


@pytest.fixture(scope="session")
def fresh_app(serve: Callable[[str], str], tab: Tab) -> tuple[str, list[str]]:
    """The address of the app, and what the first request to its fresh server shows, a deep link."""
    url, page = serve("app.py"), tab.page
    tab.heard.clear()
    page.goto(f"{url}/masks?size=7&lang=zh")
    settle(page)
    size = page.get_by_role("slider").first.input_value()
    shown = [*page.get_by_role("heading", level=1).all_inner_texts(), size]
    return url, shown + page.get_by_test_id("stException").all_inner_texts() + tab.heard


@pytest.fixture(scope="session")
def app_url(fresh_app: tuple[str, list[str]]) -> str:
    return fresh_app[0]


@pytest.fixture(scope="session")
def first_page(fresh_app: tuple[str, list[str]]) -> list[str]:
    return fresh_app[1]


def look_at(page: Page, *, dark: bool = False, width: int = 1280, height: int = 800) -> None:
    page.bring_to_front()  # a tab behind another test's has no focus to keep a menu open
    page.emulate_media(media="null", color_scheme="dark" if dark else "light")
    page.set_viewport_size({"width": width, "height": height})
    page.mouse.move(0, 0)


def faults_of(tab: Tab) -> list[str]:
    return tab.heard + tab.page.get_by_test_id("stException").all_inner_texts()


def link_to(path: str, lang: str | None, sections: str) -> str:
    named = urlencode({name: value for name, value in (("lang", lang), ("open", sections)) if value})
    query, hash_, anchor = path.partition("#")
    return query + (f"{'&' if '?' in query else '?'}{named}" if named else "") + hash_ + anchor


@pytest.fixture
def visit(tab: Tab) -> Iterator[Callable[..., Page]]:
    """visit(url, dark=False, width=1280, height=800) gives a settled page, and in the end asks what went wrong."""
    tab.heard.clear()

    def visit_(url: str, **looks: Any) -> Page:
        look_at(tab.page, **looks)
        tab.page.goto(url)
        settle(tab.page)
        return tab.page

    yield visit_

    faults = faults_of(tab)
    tab.page.goto("about:blank")  # the server is left, as by closing the tab
    assert faults == []


@pytest.fixture
def open_page(app_url: str, visit: Callable[..., Page]) -> Callable[..., Page]:
    """open_page(path, lang=None, sections="") visits a page of the app, as `visit` does.

    `sections` are those to open of a page that folds, "all" for all of them.
    """

    def open_(path: str, *, lang: str | None = None, sections: str = "", **looks: Any) -> Page:
        return visit(app_url + link_to(path, lang, sections), **looks)

    return open_


@pytest.fixture(scope="module")
def walked(tab: Tab) -> Iterator[None]:
    """Who walks through pages in one file leaves none to the next."""
    yield
    tab.page.goto("about:blank")


@pytest.fixture
def walk(app_url: str, tab: Tab, walked: None, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """As `open_page`, from where the last one of the file that walked has left the tab: its session goes on in its
    language and with its model, so the link says all else that matters. What has failed is left for good."""
    page, failed = tab.page, request.session.testsfailed
    tab.heard.clear()

    def walk_(path: str, *, lang: str, sections: str = "", **looks: Any) -> Page:
        look_at(page, **looks)
        link = app_url + link_to(path, lang, sections)
        if page.url.startswith(app_url) and page.locator("html").get_attribute("lang") == lang:  # which a session keeps
            follow(page, link)
        else:
            page.goto(link)
            settle(page)
        return page

    yield walk_

    faults = faults_of(tab)
    if faults or request.session.testsfailed > failed:
        page.goto("about:blank")
    assert faults == []
