"""The app as its command serves it, in a browser that has nothing of it yet: files that are compressed, and few."""

import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.driver import complaints, running, settle
from ui.text import Words

COMMAND = (sys.executable, "-m", "ui.command", "--port=0", "--address=127.0.0.1", "--headless")
SIZES = """() => performance.getEntriesByType('resource')
  .filter((one) => /[/](static|bidi-components)[/]/.test(one.name))
  .map((one) => [one.name, one.encodedBodySize, one.decodedBodySize])"""
MOST = 1_500_000  # bytes


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(COMMAND) as server:
        yield server.url


@pytest.mark.parametrize("chapter", ["", "attention"])
def test_a_first_visit_loads_less_than_a_megabyte_and_a_half(url: str, browser: Browser, chapter: str) -> None:
    with browser.new_context() as empty:
        page = empty.new_page()
        heard = complaints(page)
        page.goto(f"{url}/{chapter}?lang=en")
        settle(page, 1000)
        sizes = page.evaluate(SIZES)
        assert page.get_by_test_id("stException").count() == 0
    assert heard == []
    code = [(encoded, decoded) for name, encoded, decoded in sizes if name.endswith((".js", ".css"))]
    assert len(code) > 50
    assert sum(encoded for encoded, _ in code) < sum(decoded for _, decoded in code) / 3
    assert 1_000_000 < sum(encoded for _, encoded, _ in sizes) < MOST


# In every frame: whether title, words and poster are to be seen, in what stands in for the page or on it.
SEEN = """() => {
  window.frames_seen = [];
  const painted = (stage) => Boolean(stage?.dataset.painted) && stage.getContext("2d")
    .getImageData(0, 0, stage.width, stage.height).data.some((part) => part);
  const look = () => {
    const instead = document.querySelector(".arrival");
    const stage = document.querySelector(`${instead ? ".arrival" : ".stMain"} .story-stage`);
    const title = instead ? instead.querySelector(".arrival-title") : document.querySelector(".stMain h1");
    if (document.body) window.frames_seen.push([title?.textContent ?? "", painted(stage)]);
    requestAnimationFrame(look);
  };
  look();
}"""


def test_at_no_moment_of_a_first_visit_is_the_page_blank(url: str, browser: Browser) -> None:
    title = Words("masks", "en")("title")
    for visitor in range(2):  # the first one makes it warm
        with browser.new_context(locale="en-US") as empty:
            page = empty.new_page()
            heard = complaints(page)
            page.add_init_script(f"({SEEN})()")
            page.goto(f"{url}/masks")
            settle(page)
            expect(page.locator(".arrival")).to_have_count(0)
            seen = page.evaluate("window.frames_seen")
        assert heard == []
        first = next(at for at, (said, _) in enumerate(seen) if said)
        assert {said for said, _ in seen[first:]} == {title}
        if visitor:
            drawn = [poster for _, poster in seen]
            assert all(drawn[drawn.index(True) :]), "once it is there it stays"
