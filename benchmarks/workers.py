"""What a worker per core is worth: thirty runs at once, and workers that are killed.

python -m benchmarks.workers [--json]
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from benchmarks.readers import processor_time
from benchmarks.table import Row, report
from transformer_core.training.config import TrainConfig
from ui.cache import ValueCache
from ui.training_service.local_engine import LocalEngine, WorkerProcess
from ui.training_service.registry import Snapshot
from ui.training_service.runs import Runs

RUNS = 30  # started within a second, as a class does
DEATHS = 100
LONG = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=5000, warmup=5)
AGES = 3600.0  # seconds


@contextmanager
def runs_of_a_server(count: int | None = None) -> Iterator[Runs]:
    """As many workers as it has, or `count`."""
    runs = Runs(LocalEngine if count is None else partial(LocalEngine, count=count), store=ValueCache())
    try:
        yield runs
    finally:
        runs.close()


def worker_of(runs: Runs, run: str) -> WorkerProcess:
    worker = runs._records[run].worker
    assert isinstance(worker, WorkerProcess)
    return worker


def trained_at_once(runs: Runs) -> tuple[list[str], list[Snapshot], float]:
    """The runs of a class, which all start within a second; as they have ended, and how long that has taken."""
    recipe, started = TrainConfig.of_task("translate"), time.perf_counter()
    names = [runs.start(replace(recipe, seed=seed)) for seed in range(RUNS)]
    assert time.perf_counter() - started < 1
    ended = [runs.wait(name, lambda seen: not seen.active, AGES) for name in names]
    taken = time.perf_counter() - started
    assert [seen.state for seen in ended if seen] == ["done"] * RUNS
    return names, [seen for seen in ended if seen], taken


def a_class() -> list[Row]:
    """Nothing is lost to one worker that waits for another."""
    with runs_of_a_server() as runs:
        names, _, taken = trained_at_once(runs)
        workers = {worker_of(runs, name) for name in names}
        computed, count = sum(processor_time(worker.pid) for worker in workers), runs.engine.count
    name, baseline = f"{RUNS} translators at once, {count} workers", "processor time ÷ workers"
    return [Row(name, taken, "s", baseline, taken * count / computed, "ratio <= 1.15")]


def deaths() -> list[Row]:
    """One of two workers is killed again and again, its run restarted; the other worker's run goes on."""
    noticed, back, seconds = 0, 0, list[float]()
    with runs_of_a_server(2) as runs:
        mine, yours = runs.start(LONG), runs.start(replace(LONG, seed=1))
        for _ in range(DEATHS):
            at = reached(runs, mine, 10).step
            killed = time.perf_counter()
            os.kill(worker_of(runs, mine).pid, signal.SIGKILL)
            seen = runs.wait(mine, lambda seen: seen.state == "lost", AGES)
            seconds.append(time.perf_counter() - killed)
            noticed += seen is not None and seen.state == "lost" and seen.step >= at
            runs.restart(mine)
            back += reached(runs, mine, at + 1).state == "running"
            other = runs.snapshot(yours)
            assert other is not None
            assert other.state in ("running", "done")
            if at > LONG.steps // 2:
                runs.forget(mine)
                mine = runs.start(LONG)
    return mourned(f"{DEATHS} workers killed", DEATHS, noticed, back, seconds)


def mourned(name: str, deaths: int, noticed: int, back: int, seconds: list[float]) -> list[Row]:
    """What has been noticed of so many deaths and how soon, and whose runs went on where they were."""
    return [
        Row(f"{name}, noticed", noticed, "", "all", noticed / deaths, f"{deaths}"),
        Row(f"{name}, runs brought back to where they were", back, "", "all", back / deaths, f"{deaths}"),
        Row(
            f"{name}, longest until it is noticed", max(seconds), "s", "shortest", max(seconds) / min(seconds), "< 5 s"
        ),
    ]


def reached(runs: Runs, run: str, step: int) -> Snapshot:
    seen = runs.wait(run, lambda seen: seen.step >= step or not seen.active, AGES)
    assert seen is not None
    return seen


def measure() -> list[Row]:
    return [*a_class(), *deaths()]


if __name__ == "__main__":
    report(__doc__, measure)
