"""What a first visit to the map loads, with an empty browser.

python -m benchmarks.visit [--json | --both]
"""

from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright

from benchmarks.table import Row, report
from tests.browser.driver import AGES, Server, launch, serving, settle


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
        network.on("Network.loadingFinished", lambda event: files.append(event["encodedDataLength"]))
        network.on("Network.webSocketFrameReceived", lambda event: messages.append(_size(event["response"])))
        tab.goto(f"{server.url}/{page}")
        settle(tab, 1000)
        browser.close()
    return Loaded(sum(files) / 1e6, sum(messages) / 1e6)


def _size(frame: dict[str, Any]) -> float:
    """Of a message, which is told in base64 unless it is text."""
    return len(frame["payloadData"]) * (1 if frame["opcode"] == 1 else 3 / 4)


def measure() -> list[Row]:
    visit = loaded(serving("app.py"))
    return [
        Row("files of a first visit", visit.files, "MB", "itself", 1.0, "< 2 MB"),
        Row("messages of a first visit", visit.messages, "MB", "its files", visit.messages / visit.files),
    ]


if __name__ == "__main__":
    report(__doc__, measure)
