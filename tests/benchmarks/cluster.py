"""What a run costs on a Ray cluster of two nodes on this machine, and what is lost when one of them dies.

python -m tests.benchmarks.cluster [--json]
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from tests.benchmarks.table import Row, report
from tests.cluster.conftest import Machines, connected
from tests.cluster.trainers import trainers
from transformer_core.training.config import TrainConfig
from ui.server.cluster.engine import Cluster
from ui.server.kept import Kept
from ui.server.records import Snapshot
from ui.server.runs import Runs

RUNS = 30  # started within a second, as a class does
DEATHS = 10
LONG = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=5000, warmup=5)
AGES = 3600.0  # seconds


@contextmanager
def of_a_server() -> Iterator[tuple[Machines, Runs]]:
    machines = Machines()
    runs = Runs(partial(Cluster, address=machines.address), store=Kept())
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
    """All start within a second and wait for the two processors."""
    with of_a_server() as (_, runs):
        meter = Meter()
        meter.start()
        recipe, started = TrainConfig.of_task("translate"), time.perf_counter()
        names = [runs.start(replace(recipe, seed=seed)) for seed in range(RUNS)]
        assert time.perf_counter() - started < 1
        ended = [runs.wait(name, lambda seen: not seen.active, AGES) for name in names]
        taken, computed, count = time.perf_counter() - started, meter.total(), runs.engine.count
    assert [(seen.state, bool(seen.place)) for seen in ended if seen] == [("done", True)] * RUNS
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
    name, goal = f"{DEATHS} nodes killed", f"{DEATHS}"
    longest = max(seconds)
    return [
        Row(f"{name}, noticed", noticed, "", "all", noticed / DEATHS, goal),
        Row(f"{name}, runs brought back to where they were", back, "", "all", back / DEATHS, goal),
        Row(f"{name}, longest until it is noticed", longest, "s", "shortest", longest / min(seconds), "< 5 s"),
    ]


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


def reached(runs: Runs, run: str, step: int) -> Snapshot:
    seen = runs.wait(run, lambda seen: seen.step >= step or not seen.active, AGES)
    assert seen is not None
    return seen


def measure() -> list[Row]:
    return [*a_class(), *deaths()]


if __name__ == "__main__":
    report(__doc__, measure)
