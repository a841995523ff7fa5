"""What hostile links cost the server's memory, the workers' included. Linux only.

python -m benchmarks.hostile [--json]
"""

import itertools
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.memory import held
from benchmarks.table import Row, report
from tests.browser.driver import Server, serving
from tests.wire import Reader
from ui.training_service.memory_budget import TOTAL

LIMIT = f"< {TOTAL:,} MB"
OPENED = 14  # links one after the other
AT_ONCE = 8
TABS = 40
WATCHED = 0.2  # seconds between two looks at the memory
PATIENCE = 300.0

Query = dict[str, str]
LONG = {"lang": "en", "model": "run", "steps": "5000"}

# A run of the notes' size, and one that needs more memory than a server gives unless told.
LARGE = "N:2,d_model:512,h:8,d_ff:2048,batch:1,length:2,steps:1"
TOO_LARGE = "N:6,d_model:512,h:1,batch:1,length:2,steps:1"


def links(run: str) -> list[tuple[str, Query]]:
    """A model each that nobody has trained before."""
    return [("decoding", {"model": "run", "run": f"{run},seed:{seed}"}) for seed in range(OPENED)]


def walks() -> list[tuple[str, Query]]:
    """Every value of a forward pass through models of the notes' size."""
    long = " ".join(str(1 + at % 10) for at in range(40))
    return [("walkthrough", {"model": "notes", "fresh": str(seed), "src": long}) for seed in range(OPENED)]


def looks(N: int) -> list[tuple[str, Query]]:
    """What a training of a large model begins with."""
    size = {"N": str(N), "h": "16", "d_model": "512", "length": "64", "vocab": "1000", "batch": "1"}
    return [("training", size | {"seed": str(seed)}) for seed in range(AT_ONCE)]


def processes(server: Server) -> list[int]:
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(server.pid)], capture_output=True, text=True)
    return [server.pid, *map(int, children.stdout.split())]


def megabytes(server: Server) -> float:
    """Of the server and its workers, the files that all have mapped counted once."""
    found = [held(pid) for pid in processes(server) if Path(f"/proc/{pid}/smaps_rollup").exists()]
    return sum(one.own for one in found) + max(one.files for one in found)


@contextmanager
def watching(server: Server) -> Iterator[Callable[[], float]]:
    """The most megabytes since the block began."""
    most, over = [megabytes(server)], threading.Event()

    def watch() -> None:
        while not over.wait(WATCHED):
            most.append(megabytes(server))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield lambda: max(most)
    finally:
        over.set()
        thread.join()


def visit(server: Server, page: str, query: Query, stay: float = 0.0) -> None:
    with Reader(server.url, page, {"lang": "en"} | query, patience=PATIENCE) as reader:
        assert not reader.opened.exceptions
        time.sleep(stay)


def one_by_one(pages: list[tuple[str, Query]]) -> Callable[[Server], None]:
    def open_them(server: Server) -> None:
        for page, query in pages:
            visit(server, page, query, stay=3.0)

    return open_them


def at_once(pages: list[tuple[str, Query]]) -> Callable[[Server], None]:
    def open_them(server: Server) -> None:
        threads = [threading.Thread(target=visit, args=(server, page, query, 6.0)) for page, query in pages]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return open_them


def most_memory(name: str, visits: Callable[[Server], None]) -> Row:
    with serving("app.py") as server:
        visit(server, "", {}, stay=3.0)
        before = megabytes(server)
        with watching(server) as most:
            visits(server)
        return Row(name, most(), "MB", "the map alone", most() / before, LIMIT)


def quick_run_among_long_ones() -> Row:
    """Seconds that a default run takes while TABS tabs of links have long ones trained."""
    with serving("app.py") as server:
        alone = until_done(server)
        tabs = [
            Reader(server.url, "training", LONG | {"run": f"steps:5000,seed:{n}", "seed": str(n)}, patience=PATIENCE)
            for n in range(1, TABS)
        ]
        beside = until_done(server)
        for tab in tabs:
            tab.close()
    return Row(f"a quick run among {TABS - 1} tabs of long ones", beside, "s", "alone", beside / alone)


_seeds = itertools.count(1000)


def until_done(server: Server) -> float:
    seed = str(next(_seeds))
    with Reader(server.url, "training", {"lang": "en", "seed": seed}, patience=PATIENCE) as reader:
        started = time.perf_counter()
        answer = reader.press("Train")
        while not any(f"seed {seed}" in text.body for text in answer.shown("markdown")):
            time.sleep(0.5)
            answer = reader.rerun()
            if time.perf_counter() - started > PATIENCE:
                raise TimeoutError
        return time.perf_counter() - started


def measure() -> list[Row]:
    if not Path("/proc/self/smaps_rollup").exists():
        return []
    return [
        most_memory(f"{OPENED} links to runs of 15 million parameters", one_by_one(links(LARGE))),
        most_memory(f"{OPENED} links to runs of 44 million parameters", one_by_one(links(TOO_LARGE))),
        most_memory(f"{OPENED} forward passes through the notes' size", one_by_one(walks())),
        most_memory(f"{AT_ONCE} first looks at 16 million parameters at once", at_once(looks(2))),
        most_memory(f"{AT_ONCE} first looks at 45 million parameters at once", at_once(looks(6))),
        most_memory(f"{AT_ONCE} of the links at once", at_once(links(LARGE)[:AT_ONCE])),
        quick_run_among_long_ones(),
    ]


if __name__ == "__main__":
    report(__doc__, measure)
