"""What a first visit to the map and to a chapter loads, with an empty browser, and when a poster is there at 20 Mbit/s.

python -m benchmarks.visit [--json | --both]
"""

import statistics
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright

from benchmarks.table import Row, report
from tests.browser.driver import AGES, Server, launch, serving, settle

VISITS = 5
LINE = {"offline": False, "latency": 0, "downloadThroughput": 20e6 / 8, "uploadThroughput": 20e6 / 8}  # bytes a second
POSTER = "performance.getEntriesByName('poster')[0].startTime"
FIGURE = "() => document.querySelector('.stMain .map[data-moment]') && performance.now()"


class Loaded(NamedTuple):
    """Megabytes."""

    files: float  # with their headers
    messages: float  # by the websocket


def loaded(app: AbstractContextManager[Server], page: str = "?lang=en") -> Loaded:
    files, messages = list[float](), list[float]()
    with app as server, sync_playwright() as playwright:
        browser = launch(playwright)
        tab = browser.new_page()
        tab.set_default_timeout(AGES)
        network = tab.context.new_cdp_session(tab)
        network.send("Network.enable")
        within = set[str]()  # other files, as data: with those they count

        def ask(event: dict[str, Any]) -> None:
            if event["request"]["url"].startswith("data:"):
                within.add(event["requestId"])

        def come(event: dict[str, Any]) -> None:
            files.append(0 if event["requestId"] in within else event["encodedDataLength"])

        network.on("Network.requestWillBeSent", ask)
        network.on("Network.loadingFinished", come)
        network.on("Network.webSocketFrameReceived", lambda event: messages.append(_size(event["response"])))
        tab.goto(f"{server.url}/{page}")
        settle(tab, 1000)
        browser.close()
    return Loaded(sum(files) / 1e6, sum(messages) / 1e6)


def first_poster(app: AbstractContextManager[Server], page: str = "?lang=en") -> tuple[float, float]:
    """Seconds from the request to the poster and to the page's own figure, at LINE, of a server that is warm."""
    posters, figures = list[float](), list[float]()
    with app as server, sync_playwright() as playwright:
        browser = launch(playwright)
        for visit in range(VISITS + 1):  # the first one warms the server
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            tab = context.new_page()
            context.new_cdp_session(tab).send("Network.emulateNetworkConditions", LINE)
            tab.goto(f"{server.url}/{page}", wait_until="commit")
            figure = float(tab.wait_for_function(FIGURE, timeout=AGES).json_value())
            settle(tab)
            if visit:
                posters.append(float(tab.evaluate(POSTER)))
                figures.append(figure)
            context.close()
        browser.close()
    return statistics.median(posters) / 1000, statistics.median(figures) / 1000


def _size(frame: dict[str, Any]) -> float:
    """Of a message, which is told in base64 unless it is text."""
    return len(frame["payloadData"]) * (1 if frame["opcode"] == 1 else 3 / 4)


def measure() -> list[Row]:
    visit, head = (loaded(serving("app.py"), page) for page in ("?lang=en", "attention?lang=en"))
    poster, figure = first_poster(serving("app.py"))
    return [
        Row("first poster at 20 Mbit/s", poster, "s", "the figure", poster / figure, "< 1.0 s"),
        Row("files of a first visit", visit.files, "MB", "itself", 1.0, "< 1.5 MB"),
        Row("files of a first visit of One head", head.files, "MB", "the map", head.files / visit.files, "< 1.5 MB"),
        Row("messages of a first visit", visit.messages, "MB", "its files", visit.messages / visit.files),
    ]


if __name__ == "__main__":
    report(__doc__, measure)
