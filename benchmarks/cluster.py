"""What a run costs on a Ray cluster of two nodes on this machine, and what is lost when one of them dies.

python -m benchmarks.cluster [--json]
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from benchmarks.table import Row, report
from benchmarks.workers import LONG, RUNS, mourned, reached, trained_at_once
from tests.cluster.conftest import Machines, connected
from tests.cluster.trainers import trainers
from ui.cache import ValueCache
from ui.training_service.ray.ray_engine import RayEngine
from ui.training_service.registry import Snapshot
from ui.training_service.runs import Runs

DEATHS = 10


@contextmanager
def of_a_server() -> Iterator[tuple[Machines, Runs]]:
    machines = Machines()
    runs = Runs(partial(RayEngine, address=machines.address), store=ValueCache())
    try:
        yield machines, connected(runs)
    finally:
        runs.close()
        machines.shutdown()


class Meter(threading.Thread):
    """Looks at the processor time of every actor's process while there is one."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seconds: dict[int, float] = {}
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.wait(0.2):
            for process in trainers():
                try:
                    self.seconds[process] = time.clock_gettime(
                        (~process << 3) | 2
                    )  # the clock of another process, as Linux numbers them
                except OSError:  # it has ended meanwhile
                    continue

    def total(self) -> float:
        self._over.set()
        self.join()
        return sum(self.seconds.values())


def a_class() -> list[Row]:
    """They wait for the two processors."""
    with of_a_server() as (_, runs):
        meter = Meter()
        meter.start()
        _, ended, taken = trained_at_once(runs)
        computed, count = meter.total(), runs.engine.count
    assert all(seen.place for seen in ended)
    name, baseline = f"{RUNS} translators at once, Ray, {count} nodes", "processor time ÷ nodes"
    return [Row(name, taken, "s", baseline, taken * count / computed, "ratio <= 1.3")]


def deaths() -> list[Row]:
    """Of two nodes with a run each one dies again and again; its run is restarted on the one that takes its place."""
    noticed, back, seconds = 0, 0, list[float]()
    with of_a_server() as (machines, runs):
        names = [runs.start(replace(LONG, seed=seed)) for seed in range(2)]
        for death in range(DEATHS):
            at = {name: reached(runs, name, 10 * death + 10).step for name in names}
            killed = time.perf_counter()
            machines.pull_the_plug(machines.trainers.pop(0))
            gone = first_lost(runs, names)
            seconds.append(time.perf_counter() - killed)
            noticed += gone is not None
            if gone is not None:
                machines.trainers.append(machines.another())
                runs.restart(gone)
                back += reached(runs, gone, at[gone] + 1).state in ("running", "done")
            for at_end in [name for name in names if not seen_of(runs, name).active]:
                names[names.index(at_end)] = runs.start(LONG)
    return mourned(f"{DEATHS} nodes killed", DEATHS, noticed, back, seconds)


def first_lost(runs: Runs, names: list[str]) -> str | None:
    end = time.perf_counter() + 60
    while time.perf_counter() < end:
        for name in names:
            if seen_of(runs, name).state == "lost":
                return name
        time.sleep(0.01)
    return None


def seen_of(runs: Runs, run: str) -> Snapshot:
    seen = runs.snapshot(run)
    assert seen is not None
    return seen


def measure() -> list[Row]:
    return [*a_class(), *deaths()]


if __name__ == "__main__":
    report(__doc__, measure)
