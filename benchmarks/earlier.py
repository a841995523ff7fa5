"""What a page costs beside release 1.1, in turns in one run: newcomers, whose pages since have a story each.

What a change of a whole page costs is the processor time of the server, which is hardly longer on a busy machine.

python -m benchmarks.earlier [--json | --both]
"""

import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.interface import STIRRED, WITH_SLIDER
from benchmarks.readers import EVERY, READERS, of_the_page, processor_time
from benchmarks.table import Row, percentile, report
from tests.browser.driver import ROOT, Server, launch, running, settle
from tests.wire import Answer, Reader

COMMIT, RELEASE = "6fca8d4", "release 1.1"
NEWCOMER = {"lang": "en"}
TURNS = 2
MOVES = 6  # of each reader in a turn
WARM_UP = 12  # changes of one reader, after which the browser has both languages of both models, and they begin again
PAIRS = 6 * WARM_UP  # changes of a whole page on either server, whose processor time is compared
AFTER = 0.004  # seconds, in which a server puts away what an answer has left
PRESSES = 22  # of which the first two warm a page up
# The keys of what asks the server, in the order of the page; a figure's own sliders have none here.
OWN_NAMES = """() => [...document.querySelectorAll(".stMain .stSlider")].map(
  (slider) => [...slider.closest('[class*=st-key-]').classList].find((one) => one.startsWith('st-key-')))"""
TARGET = "ratio <= 1.1"
SERVE = "-m streamlit run app.py --server.port=0 --server.address=127.0.0.1 --server.headless=true"


def history() -> bool:
    found = subprocess.run(
        ["git", "cat-file", "-e", f"{COMMIT}^{{commit}}"], cwd=ROOT, capture_output=True, check=False
    )
    return found.returncode == 0


@contextmanager
def both() -> Iterator[tuple[Server, Server]]:
    """A server of this app, and one of the release."""
    with ExitStack() as stack:
        old = stack.enter_context(tempfile.TemporaryDirectory())
        packed = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", old], input=packed.stdout, check=True)
        now, then = (
            stack.enter_context(running([sys.executable, *SERVE.split()], Path(root), {"PYTHONPATH": str(root)}))
            for root in (ROOT, old)
        )
        yield now, then


def waits(server: Server) -> list[float]:
    """Milliseconds that each of thirty newcomers waits for each change of a whole page."""
    chapters = [*islice(cycle(WITH_SLIDER), READERS)]
    readers = [Reader(server.url, chapter, NEWCOMER) for chapter in chapters]
    start, waited = time.perf_counter() + 1, list[float]()

    def read(number: int, changes: Iterator[Callable[[], Answer]]) -> None:
        for at, change in enumerate(islice(changes, MOVES)):
            time.sleep(max(0.0, start + (at + number / READERS) * EVERY - time.perf_counter()))
            waited.append(1000 * change().seconds)

    threads = [
        threading.Thread(target=partial(read, number, of_the_page(reader, chapter, number)))
        for number, (reader, chapter) in enumerate(zip(readers, chapters))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for reader in readers:
        reader.close()
    return waited


def sent(server: Server, chapter: str) -> float:
    """Kilobytes of a whole page to a browser that has nothing yet."""
    with Reader(server.url, chapter, NEWCOMER) as reader:
        return reader.opened.size / 1000


def moved(server: Server, chapter: str) -> float:
    """Kilobytes of a change of the whole page, on average, to a browser that has what such changes bring."""
    with Reader(server.url, chapter, NEWCOMER) as reader:
        changes = of_the_page(reader, chapter, 0)
        for change in islice(changes, WARM_UP):
            change()
        return statistics.mean(change().size for change in islice(changes, MOVES)) / 1000


def processor_times(servers: Sequence[Server], chapter: str) -> list[float]:
    """Of each server: milliseconds that it computes for a change of the whole page, on one after the other in turn. Of
    changes of the same kind the median, and of these the mean."""
    with ExitStack() as stack:
        readers = [stack.enter_context(Reader(server.url, chapter, NEWCOMER)) for server in servers]
        changes = [of_the_page(reader, chapter, 0) for reader in readers]
        for one in changes:
            for change in islice(one, WARM_UP):
                change()
        spent = [list[float]() for _ in servers]
        for _ in range(PAIRS):
            for server, one, times in zip(servers, changes, spent):
                began = processor_time(server.pid)
                next(one)()
                time.sleep(AFTER)
                times.append(1000 * (processor_time(server.pid) - began))
    return [statistics.mean(statistics.median(times[kind::WARM_UP]) for kind in range(WARM_UP)) for times in spent]


def until_still(browser: Browser, servers: Sequence[Server], chapter: str) -> list[list[float]]:
    """Of each server: milliseconds from a key on the chapter's first own slider to the last change of the page. It is
    the first of the first server's page that all of them have, for controls came and their order changed since."""
    pages: list[Page] = []
    names: list[list[str]] = []
    for server in servers:
        page = browser.new_page(reduced_motion="reduce")
        page.goto(f"{server.url}/{chapter}?lang=en")
        settle(page, 1000)
        page.evaluate(STIRRED)
        pages.append(page)
        names.append(page.evaluate(OWN_NAMES))
    name = next(one for one in names[0] if all(one in others for others in names))
    for press in range(PRESSES):
        for page in pages:
            page.bring_to_front()
            slider = page.locator(f".{name}").get_by_role("slider")
            slider.focus()
            slider.press(("ArrowRight", "ArrowLeft")[press % 2])
            page.wait_for_function("(count) => window.samples.length > count", arg=press)
    found = [list(page.evaluate("window.samples"))[2:] for page in pages]
    for page in pages:
        page.close()
    return found


def row(name: str, unit: str, now: float, then: float) -> Row:
    return Row(f"{name} ({RELEASE}: {then:,.4g})", now, unit, RELEASE, now / then, TARGET)


def measure() -> list[Row]:
    if not history():
        print(f"Beside {RELEASE} nothing is measured: {COMMIT} is not in this copy's history.", file=sys.stderr)
        return []
    rows = []
    with both() as servers:
        now, then = zip(*[[waits(server) for server in servers] for _ in range(TURNS)])
        for name, share in (("median", 0.5), ("p95", 0.95)):
            at = [percentile([one for turn in turns for one in turn], share) for turns in (now, then)]
            rows.append(row(f"{READERS} newcomers, whole pages, {name}", "ms", *at))
        for what, size in (("a whole page", sent), ("a change of the whole page", moved)):
            rows += [row(f"{name}, {what}", "kB", *(size(one, name) for one in servers)) for name in WITH_SLIDER]
        computed = [processor_times(servers, name) for name in WITH_SLIDER]
        rows += [row(f"{name}, processor time of a change", "ms", *each) for name, each in zip(WITH_SLIDER, computed)]
        mean = statistics.mean(now / then for now, then in computed)
        rows.append(Row("chapters on average, processor time of a change", mean, "×", RELEASE, mean, TARGET))
        with sync_playwright() as playwright:
            browser = launch(playwright)
            for name in WITH_SLIDER:
                pressed = map(statistics.median, until_still(browser, servers, name))
                rows.append(row(f"first slider of {name}, until still", "ms", *pressed))
            browser.close()
    return rows


if __name__ == "__main__":
    report(__doc__, measure)
