"""One Chromium and one server for all browser tests; a page of its own for each."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.driver import PATIENCE, complaints, launch, serving, settle


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[str], str]]:
    """serve(script) starts a server of its own for a Streamlit script and gives its address."""
    with ExitStack() as servers:
        yield lambda script: servers.enter_context(serving(script)).url


@pytest.fixture(scope="session")
def app_url(serve: Callable[[str], str]) -> str:
    return serve("app.py")


@pytest.fixture(scope="session")
def context(browser: Browser) -> Callable[[bool, int], BrowserContext]:
    """context(dark, width): pages that look alike share one, and with it the browser's cache."""

    @cache
    def make(dark: bool, width: int) -> BrowserContext:
        made = browser.new_context(color_scheme="dark" if dark else "light", viewport={"width": width, "height": 800})
        made.set_default_timeout(PATIENCE)
        return made

    return make


@pytest.fixture
def open_page(app_url: str, context: Callable[[bool, int], BrowserContext]) -> Iterator[Callable[..., Page]]:
    """open_page(path, lang=None, dark=False, width=1280) gives a settled page, and in the end asks what went wrong.

    `sections` are those to open of a page that folds, "all" for all of them.
    """
    opened: list[tuple[Page, list[str]]] = []

    def open_(path: str, *, lang: str | None = None, sections: str = "", dark: bool = False, width: int = 1280) -> Page:
        page = context(dark, width).new_page()
        opened.append((page, complaints(page)))
        named = urlencode({name: value for name, value in (("lang", lang), ("open", sections)) if value})
        query, hash_, anchor = path.partition("#")
        path = query + (f"{'&' if '?' in query else '?'}{named}" if named else "") + hash_ + anchor
        page.goto(app_url + path)
        settle(page)
        return page

    yield open_

    faults = []
    for page, heard in opened:
        faults += heard + page.get_by_test_id("stException").all_inner_texts()
        page.close()
    assert faults == []
