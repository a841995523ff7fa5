"""How long the readers of a class wait for their changes, with one server and with two, behind nginx. Linux only.

python -m benchmarks.replicas [--json | --both] [--soak]

Each reader does something every three seconds; one in ten times a page is opened, as by another reader's link, else a
part of the reader's own page is moved. Readers are simulated by processes of their own, on the same machine, behind the
nginx of `deploy`. `--soak` has a hundred of them read for twenty minutes, and looks at the memory.
"""

import multiprocessing
import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import count
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from typing import NamedTuple

from benchmarks.hostile import megabytes
from benchmarks.readers import EVERY, of_a_part, processor_time
from benchmarks.table import Row, percentile, report
from tests.browser.driver import AGES, Server
from tests.cluster.proxies import before, replicas
from tests.cluster.visits import first_visit, written
from tests.wire import Reader
from ui.settings.chapters import CHAPTERS

CLASSES = (30, 100, 300)
SERVERS = (1, 2)
ROUNDS = 12  # of each reader
OPENING = 10  # one in so many times a page is opened
HANDS = 4  # processes of readers
MOVABLE = [chapter for chapter in CHAPTERS if chapter != "training"]  # whose part that moves comes with a run
STUDENTS, MINUTES, SETTLED = 100, 20, 2  # of --soak; memory is compared with that after the first minutes


class Waits(NamedTuple):
    """Milliseconds that readers have waited, and the seconds of processor that they took to be simulated."""

    parts: list[float]
    pages: list[float]
    own: float = 0.0


class Lesson(NamedTuple):
    parts: list[float]
    pages: list[float]
    servers: float  # milliseconds of processor that the servers took for each thing a reader did
    readers: float  # and the simulated readers themselves


def attend(url: str, numbers: Sequence[int], readers: int, rounds: int, begun: Barrier, waited: "Queue[Waits]") -> None:
    """A process of readers, who begin together with those of others once all have their pages open."""
    waits = Waits([], [])
    with ExitStack() as tabs:
        sitting = []
        for number in numbers:
            chapter, cookie = MOVABLE[number % len(MOVABLE)], written(first_visit(url))
            tab = tabs.enter_context(Reader(url, chapter, {"lang": "en"}, cookie=cookie, patience=AGES / 1000))
            sitting.append((number, tab, chapter, cookie))
        begun.wait(AGES / 1000)
        start, own = time.perf_counter(), time.process_time()

        def read(number: int, tab: Reader, chapter: str, cookie: str) -> None:
            draw, changes = random.Random(number), of_a_part(tab, chapter, number)
            for at in range(rounds):
                due = start + (at + number / readers + draw.uniform(0, 0.3)) * EVERY
                time.sleep(max(0.0, due - time.perf_counter()))
                if (at + number) % OPENING:
                    waits.parts.append(1000 * next(changes)().seconds)
                else:
                    page = MOVABLE[(number + at) % len(MOVABLE)]
                    with Reader(url, page, {"lang": "en"}, cookie=cookie, patience=AGES / 1000) as other:
                        waits.pages.append(1000 * other.opened.seconds)

        threads = [threading.Thread(target=read, args=one) for one in sitting]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        waited.put(waits._replace(own=time.process_time() - own))


def lesson(
    servers: Sequence[Server], readers: int, rounds: int, meanwhile: Callable[[], object] | None = None
) -> Lesson:
    """Have so many readers read."""
    with before(servers) as url:
        return _lesson(url, servers, readers, rounds, meanwhile)


def _lesson(
    url: str, servers: Sequence[Server], readers: int, rounds: int, meanwhile: Callable[[], object] | None
) -> Lesson:
    context = multiprocessing.get_context("spawn")
    begun, waited = context.Barrier(HANDS + 1), context.Queue()
    processes = [
        context.Process(
            target=attend, args=(url, range(hand, readers, HANDS), readers, rounds, begun, waited), daemon=True
        )
        for hand in range(HANDS)
    ]
    for process in processes:
        process.start()
    begun.wait(AGES / 1000)
    spent = sum(processor_time(server.pid) for server in servers)
    if meanwhile:
        meanwhile()
    found = [waited.get(timeout=AGES / 1000 + rounds * EVERY) for _ in processes]
    spent = sum(processor_time(server.pid) for server in servers) - spent
    for process in processes:
        process.join()
    parts, pages = [wait for one in found for wait in one.parts], [wait for one in found for wait in one.pages]
    done = len(parts) + len(pages)
    assert done == readers * rounds, "a reader has failed"
    return Lesson(parts, pages, 1000 * spent / done, 1000 * sum(one.own for one in found) / done)


def measure() -> list[Row]:
    rows, alone = list[Row](), dict[int, Lesson]()
    for number in SERVERS:
        for readers in CLASSES:
            with replicas(number) as servers:
                found = lesson(servers, readers, ROUNDS)
            floor = alone.setdefault(readers, found)
            name, baseline = f"{readers} readers, {number} server{'s' * (number > 1)}", "one server"
            target = "< 100 ms" if (readers, number) == (100, 2) else ""
            for share, said in ((0.5, "median"), (0.95, "p95")):
                part, page = percentile(found.parts, share), percentile(found.pages, share)
                rows += [
                    Row(f"{name}, a part, {said}", part, "ms", baseline, part / percentile(floor.parts, share),
                        target if said == "p95" else ""),
                    Row(f"{name}, a page, {said}", page, "ms", baseline, page / percentile(floor.pages, share)),
                ]  # fmt: skip
            rows += [
                Row(f"{name}, a core serves", 1000 * EVERY / found.servers, "readers", baseline,
                    floor.servers / found.servers),
                Row(f"{name}, the readers' own work", found.readers / found.servers, "", "the servers'",
                    found.readers / found.servers),
            ]  # fmt: skip
    return rows


def soak() -> list[Row]:
    """A lesson of MINUTES with one server, past what its first readers leave behind."""
    seen = list[float]()

    def look() -> None:
        begun = time.monotonic()
        for minute in count(SETTLED):
            time.sleep(max(0.0, begun + 60 * minute - time.monotonic()))
            seen.append(sum(map(megabytes, servers)))
            if minute >= MINUTES:
                return

    with replicas(1) as servers:
        found = lesson(servers, STUDENTS, round(60 * MINUTES / EVERY), look)
    name = f"{STUDENTS} readers for {MINUTES} minutes"
    p95 = percentile(found.parts, 0.95)
    return [
        Row(
            f"{name}, memory in the end", seen[-1], "MB", f"after {SETTLED} minutes", seen[-1] / seen[0], "< 1.05 times"
        ),
        Row(f"{name}, memory at most", max(seen), "MB", f"after {SETTLED} minutes", max(seen) / seen[0], ""),
        Row(f"{name}, a part, p95", p95, "ms", "its median", p95 / percentile(found.parts, 0.5), ""),
    ]


if __name__ == "__main__":
    report(__doc__, measure, instead={"soak": soak})
