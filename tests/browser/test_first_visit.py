"""The app as its command serves it, in a browser that has nothing of it yet: files that are compressed, and few."""

import sys

from playwright.sync_api import Browser

from tests.browser.driver import complaints, running, settle

COMMAND = (sys.executable, "-m", "ui.command", "--port=0", "--address=127.0.0.1", "--headless")
SIZES = """() => performance.getEntriesByType('resource').filter((one) => one.name.includes('/static/'))
  .map((one) => [one.name, one.encodedBodySize, one.decodedBodySize])"""
MOST = 2_000_000  # bytes


def test_a_first_visit_loads_less_than_two_megabytes(browser: Browser) -> None:
    with running(COMMAND) as server, browser.new_context() as empty:
        page = empty.new_page()
        heard = complaints(page)
        page.goto(f"{server.url}/?lang=en")
        settle(page, 1000)
        sizes = page.evaluate(SIZES)
        assert page.get_by_test_id("stException").count() == 0
    assert heard == []
    code = [(encoded, decoded) for name, encoded, decoded in sizes if name.endswith((".js", ".css"))]
    assert len(code) > 50
    assert sum(encoded for encoded, _ in code) < sum(decoded for _, decoded in code) / 3
    assert sum(encoded for _, encoded, _ in sizes) < MOST
