"""Several workers: each run to the one with least to do, and one that dies takes only its own."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from ui.cache import ValueCache
from ui.training_service.engine import Load, Worker
from ui.training_service.eta import Eta
from ui.training_service.local_engine import NICENESS, LocalEngine, WorkerProcess
from ui.training_service.queue import Slots
from ui.training_service.runs import Runs

LONG = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=5000, warmup=5)
SHORT = replace(LONG, steps=40)
FIRST = History.of([next(train(SHORT))])._asdict()
AGES = 300.0  # seconds; only a broken program, or a machine with far too much to do, waits as long
DEAF = (sys.executable, "-c", "import sys; sys.stdin.read()")  # a worker that does nothing until its stdin closes


class Deaf(LocalEngine):
    """Workers that do nothing, and are known by the order of their coming."""

    begun: list[WorkerProcess]

    def __init__(self, *callbacks: Any) -> None:
        super().__init__(*callbacks, count=2, command=DEAF)
        self.begun = []

    def worker(self, load: Load) -> WorkerProcess:
        found = super().worker(load)
        if found not in self.begun:
            self.begun.append(found)
        return found


@pytest.fixture
def deaf() -> Iterator[Runs]:
    runs = Runs(Deaf, grace=0.0, store=ValueCache())
    runs.patience = 0.0
    yield runs
    runs.close()


@pytest.fixture(scope="module")
def pair() -> Iterator[Runs]:
    """Two workers that train."""
    runs = Runs(partial(LocalEngine, count=2), grace=0.0, store=ValueCache(), slots=Slots())
    runs.patience = AGES
    yield runs
    runs.close()


@pytest.fixture
def runs(pair: Runs) -> Runs:
    for run in list(pair._records):
        pair.forget(run)
    pair._cache.clear()
    return pair


def worker_of(runs: Runs, run: str) -> WorkerProcess:
    worker = runs._records[run].worker
    assert isinstance(worker, WorkerProcess)
    return worker


def number_of(runs: Runs, run: str) -> int:
    assert isinstance(runs.engine, Deaf)
    return runs.engine.begun.index(worker_of(runs, run))


def hear(runs: Runs, run: str, step: int, state: str = "running", spent: float = 0.0) -> None:
    """As if the worker had reported, after so many seconds of work on this run; it took none to the first report."""
    header = {"run": run, "step": step, "state": state, "reason": "", "spent": spent}
    if not len(runs._records[run].snapshot.history.step):
        runs._hear(worker_of(runs, run), header | {"step": 0, "state": "running", "spent": 0.0}, dict(FIRST))
    runs._hear(worker_of(runs, run), header, {})


def some(runs: Runs, count: int, config: TrainConfig = LONG) -> list[str]:
    return [runs.start(replace(config, seed=seed)) for seed in range(count)]


def told(eta: Eta | None) -> Any:
    assert eta is not None
    return eta.place, eta.seconds


def seen(runs: Runs, run: str, wanted: Callable[[Any], bool]) -> Any:
    found = runs.wait(run, wanted, AGES)
    assert found is not None
    assert wanted(found)
    return found


def kill(runs: Runs, run: str) -> None:
    os.kill(worker_of(runs, run).pid, signal.SIGKILL)
    seen(runs, run, lambda seen: seen.state == "lost")


def test_a_worker_begins_when_there_is_work_for_it(deaf: Runs) -> None:
    assert isinstance(deaf.engine, Deaf)
    deaf.warm()
    deaf.warm()
    first = deaf.start(LONG)
    assert len(deaf.engine.begun) == 1
    deaf.stop(first)
    second = deaf.start(LONG)
    assert len(deaf.engine.begun) == 1
    third = deaf.start(LONG)
    assert [number_of(deaf, run) for run in (second, third)] == [0, 1]


def test_runs_go_in_equal_numbers_to_workers_of_which_nothing_is_known(deaf: Runs) -> None:
    assert [number_of(deaf, run) for run in some(deaf, 6)] == [0, 1, 0, 1, 0, 1]


def test_a_run_goes_where_least_is_left_to_do(deaf: Runs) -> None:
    long, short = deaf.start(LONG), deaf.start(SHORT)
    hear(deaf, long, 100, spent=10.0)  # 10 steps a second: 490 seconds and 4 are left
    assert [number_of(deaf, run) for run in some(deaf, 3, SHORT)] == [1, 1, 1]
    hear(deaf, long, 4999, spent=500.0)
    assert number_of(deaf, deaf.start(LONG)) == number_of(deaf, long) != number_of(deaf, short)


def test_a_run_that_rests_is_nothing_to_do_and_stays_where_it_is(deaf: Runs) -> None:
    first = some(deaf, 2)[0]
    hear(deaf, first, 10, "paused")
    assert [number_of(deaf, run) for run in some(deaf, 3)] == [0, 0, 1]
    hear(deaf, first, 11)
    assert number_of(deaf, first) == 0


def test_what_else_a_worker_does_counts_as_a_run(deaf: Runs) -> None:
    task = deaf.start_background_task(lambda *_: None, do="measure", d=4, kernel=3)
    a, b, c = some(deaf, 3)
    assert [number_of(deaf, run) for run in (a, b, c)] == [1, 0, 1]
    deaf.end_background_task(task)
    assert number_of(deaf, deaf.start(LONG)) == 0


def test_the_wait_for_a_place_reckons_with_every_worker(deaf: Runs) -> None:
    deaf.slots = Slots(reports=4, weights=1)
    a, b, c, d, e, f = some(deaf, 6, replace(LONG, steps=100))
    hear(deaf, a, 20, spent=10.0)  # 2 steps a second
    for run, step in ((b, 40), (c, 60), (d, 60)):
        hear(deaf, run, step, spent=step / 2)
    # a needs 40 s more and c 20, one worker's; b 30 and d 20 the other's
    assert [number_of(deaf, run) for run in (a, b, c, d)] == [0, 1, 0, 1]
    assert told(deaf.eta(e)) == (1, pytest.approx(20 + 20))
    assert told(deaf.eta(f)) == (2, pytest.approx(20 + 20))
    config = replace(LONG, seed=9)
    deaf.model(config, 60, 0.0)
    assert number_of(deaf, next(run for run, record in deaf._records.items() if record.purpose == "weights")) == 1
    assert told(deaf.eta_of(config, 60)) == (None, pytest.approx(30 + 30 + 20)), "with those of its own worker"
    other = replace(LONG, seed=10)
    deaf.model(other, 50, 0.0)
    assert told(deaf.eta_of(other, 50)) == (1, pytest.approx(80 + 25 * 5 / 2)), "then five share two workers"


def test_the_same_settings_are_the_same_curve_whichever_worker(runs: Runs) -> None:
    both = [runs.start(SHORT) for _ in range(2)]
    assert len({worker_of(runs, run).pid for run in both}) == 2
    one, other = (seen(runs, run, lambda seen: not seen.active).history for run in both)
    for name in set(History._fields) - {"tokens_per_second"}:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


@pytest.mark.long
def test_a_worker_that_dies_takes_only_its_own_runs_and_another_comes(runs: Runs) -> None:
    both, task = some(runs, 2), list[str]()
    runs.start_background_task(lambda state, _: task.append(state), do="measure", d=64, kernel=3)
    mine, yours = sorted(both, key=lambda run: worker_of(runs, run) not in runs._tasks.workers)
    seen(runs, mine, lambda seen: seen.step >= 10)
    before = worker_of(runs, mine)
    kill(runs, mine)
    assert not before.alive
    at = seen(runs, yours, lambda seen: seen.step > 0)
    assert (at.state, worker_of(runs, yours).alive) == ("running", True)
    assert task[-1] == "lost"
    third = runs.start(LONG)
    assert worker_of(runs, third) not in (before, worker_of(runs, yours))
    runs.restart(mine)
    seen(runs, mine, lambda seen: seen.step > 10)
    seen(runs, yours, lambda seen: seen.step > at.step)


def test_a_worker_has_low_priority_before_it_imports_anything(deaf: Runs) -> None:
    for run in some(deaf, 2):
        assert os.getpriority(os.PRIO_PROCESS, worker_of(deaf, run).pid) == min(19, os.nice(0) + NICENESS)


def test_all_workers_end_with_the_app() -> None:
    runs = Runs(Deaf, store=ValueCache())
    workers: set[Worker] = {worker_of(runs, run) for run in some(runs, 3)}
    runs.close()
    assert len(workers) == 2
    assert not any(worker.alive for worker in workers)


def test_where_no_further_process_is_to_be_had_those_that_there_are_do_the_work(
    deaf: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left() -> WorkerProcess:
        raise BlockingIOError

    first = deaf.start(LONG)
    monkeypatch.setattr(deaf.engine, "_begin", none_left)
    assert [number_of(deaf, run) for run in (first, *some(deaf, 2))] == [0, 0, 0]
