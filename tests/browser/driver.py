"""A server of the app and a Chromium to look at it with, for the browser tests and the benchmarks.

`python -m tests.browser.driver` starts the browser that they will use and says which, or fails.
"""

import http.client
import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, expect, sync_playwright

from tests.programs import installed_browser

ROOT = Path(__file__).resolve().parents[2]

CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]

# On a deep link Streamlit's page looks for its server below the page's own path first, and logs that it is not there.
EXPECTED_404 = re.compile(r"(/[^/]+)+/_stcore/(health|host-config)")

IDLE = """([call, quiet]) => {
  const app = document.querySelector('[data-testid=stApp]');
  const busy = !app
    || app.dataset.testScriptState !== 'notRunning'
    || app.dataset.testConnectionState !== 'CONNECTED'
    || document.querySelector('[data-stale=true], [data-testid=stSkeleton]');
  const nodes = document.getElementsByTagName('*').length;
  const now = performance.now();
  if (busy || window.settling?.call !== call || window.settling.nodes !== nodes) {
    window.settling = {call, nodes: busy ? -1 : nodes, since: now, frames: 0};
  }
  window.settling.frames += 1;
  return now - window.settling.since >= quiet && window.settling.frames > quiet / 15;
}"""

# A tab in which a story has begun by itself: none does again. A page of no server keeps nothing.
BEGUN = "try { sessionStorage.setItem('glassformer.begun', ''); } catch { /* about:blank */ }"

FOLLOW = """(link) => {
  history.pushState({}, '', link);
  dispatchEvent(new PopStateEvent('popstate'));
}"""

FRAMES = """([count, ages]) => new Promise((done, fail) => {
  setTimeout(() => fail(new Error('the browser draws no frames')), ages);
  const next = () => (count-- ? requestAnimationFrame(next) : done());
  next();
})"""

# Milliseconds; only a broken program, or a machine with far too much to do, takes as long: to answer, and to train.
PATIENCE = 60_000
AGES = 300_000
MOST_SAID = 2**20  # bytes of a server's log
expect.set_options(timeout=PATIENCE)

_calls = itertools.count()


class Server(NamedTuple):
    url: str
    pid: int
    log: Path  # what it has printed so far


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=installed_browser(), args=CHROMIUM_ARGS, timeout=AGES)


@contextmanager
def serving(
    script: str, begin: Sequence[str] = (sys.executable,), environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Run a Streamlit script of this project on a local port for as long as the block lasts.

    The server itself asks the system for a free port, and tells which: one that was found before could be taken by
    another process meanwhile. `begin` is the beginning of the command: the Python that runs it. `environment` is what
    the server finds there besides; with STREAMLIT_SERVER_BASE_URL_PATH, "/course", it serves below that path.
    """
    options = {
        "server.port": 0,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    command = [*begin, "-m", "streamlit", "run", script, *flags]
    with running(command, environment={"PYTHONPATH": str(ROOT), **(environment or {})}) as server:
        yield server


@contextmanager
def running(command: Sequence[str], cwd: Path = ROOT, environment: Mapping[str, str] | None = None) -> Iterator[Server]:
    """The server that this command begins, at a free port of 127.0.0.1, for as long as the block lasts."""
    with (
        tempfile.NamedTemporaryFile() as log,
        subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            url = _url_when_up(process, log.fileno())
            if url is None:
                raise RuntimeError(f"{shlex.join(command)} did not start:\n{_said(log.fileno())}")
            yield Server(url, process.pid, Path(log.name))
        finally:
            process.terminate()


def _url_when_up(process: subprocess.Popen[bytes], log: int) -> str | None:
    """Where the server says it is, once it answers there; None if it ends, or says nothing for ages."""
    for _ in range(AGES // 100):
        if process.poll() is not None:
            return None
        told = re.search(r"http://127\.0\.0\.1:\d+[\w/.-]*", _said(log))
        if told and _healthy(told[0]):
            return told[0]
        time.sleep(0.1)
    return None


def _healthy(url: str) -> bool:
    at = urlsplit(url)
    connection = http.client.HTTPConnection(at.netloc, timeout=5)
    try:
        connection.request("GET", f"{at.path}/_stcore/health")
        return connection.getresponse().read() == b"ok"
    except OSError:
        return False  # not listening yet
    finally:
        connection.close()


def _said(log: int) -> str:
    """What the server has written so far, and goes on writing after: the place in the file is the server's."""
    return os.pread(log, MOST_SAID, 0).decode(errors="replace")


def settle(page: Page, quiet: int = 150) -> None:
    """Wait until the script has run, nothing on the page is stale, and no node came or went for `quiet` ms.

    Nor for as many frames as there are in that time: a browser that is kept waiting itself has not been quiet.
    """
    page.wait_for_function(IDLE, arg=[next(_calls), quiet], timeout=AGES)


def follow(page: Page, link: str) -> None:
    """To another place of the app that is open, as by a link in it: its program and the reader's session go on.

    What the page has there, and had not before, says that it has come: `expect` it first.
    """
    page.evaluate(FOLLOW, link)
    settle(page)


def frames(page: Page, count: int) -> None:
    """Let the browser draw so often: time in which it does what it has to, however slow it is."""
    page.evaluate(FRAMES, [count, AGES])


def touch(page: Page, *places: tuple[float, float]) -> None:
    """A finger that comes down at the first of these places of the screen, goes through the others and is lifted."""
    fingers = page.context.new_cdp_session(page)
    for at, (x, y) in enumerate(places):
        kind = "touchMove" if at else "touchStart"
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    fingers.detach()
    settle(page)


def saying(words: str) -> re.Pattern[str]:
    """For `expect`, which asks again: an address or an attribute that has these words in it."""
    return re.compile(re.escape(words))


def complaints(page: Page) -> list[str]:
    """A list that fills with what the page logs as an error or fails to catch, from now on."""
    heard: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and not EXPECTED_404.fullmatch(urlsplit(message.location["url"]).path):
            heard.append(f"{message.text} ({message.location['url']})")

    page.on("console", hear)
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard


if __name__ == "__main__":
    with chromium() as browser:
        print("Browser:", installed_browser() or "Playwright's own", browser.version)
