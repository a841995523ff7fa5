"""A run whose worker dies is trained again up to where it rests, or was to rest, however often it is lost."""

import sys
from collections.abc import Iterator
from functools import partial

import pytest

from transformer_core.training.config import TrainConfig
from ui.cache import ValueCache
from ui.training_service.engine import Worker
from ui.training_service.local_engine import LocalEngine
from ui.training_service.queue import Slots
from ui.training_service.runs import Runs

CONFIG = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=100, warmup=5)
DEAF = (sys.executable, "-c", "import sys; sys.stdin.read()")  # a worker that does nothing until its stdin closes


@pytest.fixture
def runs() -> Iterator[Runs]:
    runs = Runs(partial(LocalEngine, count=1, command=DEAF), grace=0.0, store=ValueCache())
    runs.patience = 0.0
    yield runs
    runs.close()


def hear(runs: Runs, run: str, state: str, step: int) -> None:
    """As if the worker had told it."""
    worker = runs._records[run].worker
    assert worker is not None
    runs._hear(worker, {"run": run, "step": step, "state": state, "reason": ""}, {})


def begun_again(runs: Runs, run: str) -> int | None:
    """The step at which the next worker is told to pause, after the one before has died."""
    record = runs._records[run]
    assert record.worker is not None
    runs._lose(record.worker)
    assert record.snapshot.state == "lost"
    runs.restart(run)
    return record.until


def test_a_run_on_its_way_to_the_step_of_a_link_still_pauses_there(runs: Runs) -> None:
    run = runs.start(CONFIG, until=50)
    assert begun_again(runs, run) == 50, "lost before its first word"
    hear(runs, run, "running", 20)
    assert begun_again(runs, run) == 50
    hear(runs, run, "running", 49)
    hear(runs, run, "paused", 50)
    assert begun_again(runs, run) == 50


def test_a_run_that_was_paused_is_paused_again_also_when_it_is_lost_on_the_way_there(runs: Runs) -> None:
    run = runs.start(CONFIG)
    hear(runs, run, "running", 30)
    hear(runs, run, "paused", 31)
    assert begun_again(runs, run) == 31
    hear(runs, run, "running", 7)
    assert begun_again(runs, run) == 31


@pytest.mark.parametrize("heard", [[], [("running", 50)], [("running", 50), ("running", 51)]])
def test_a_run_that_has_gone_on_does_not_pause_where_it_once_was(runs: Runs, heard: list[tuple[str, int]]) -> None:
    run = runs.start(CONFIG, until=50)
    hear(runs, run, "paused", 50)
    runs.resume(run)
    for state, step in heard:
        hear(runs, run, state, step)
    assert begun_again(runs, run) is None


def test_a_single_step_is_done_though_its_worker_dies_in_it(runs: Runs) -> None:
    run = runs.start(CONFIG, until=50)
    hear(runs, run, "paused", 50)
    runs.step(run)
    hear(runs, run, "running", 50)
    assert begun_again(runs, run) == 51


def test_a_reader_who_comes_back_while_the_time_runs_out_keeps_the_run(runs: Runs) -> None:
    """The timer has gone off, and waits for the lock under which the reader takes the run."""
    run = runs.start(CONFIG, owner="browser")
    runs.leave(run, grace=1e6)
    timer = runs._records[run].leaving
    assert timer is not None
    assert runs.adopt(CONFIG, "browser") == run
    timer.function(*timer.args, **timer.kwargs)
    assert runs.snapshot(run) is not None
    runs.leave(run, grace=1e6)
    timer = runs._records[run].leaving
    assert timer is not None
    timer.function(*timer.args, **timer.kwargs)
    assert runs.snapshot(run) is None


def test_all_runs_of_a_worker_are_lost_with_it_though_no_other_is_to_be_had(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third one waits for a place, and its worker cannot be begun."""
    runs.slots = Slots(reports=2)
    both = [runs.start(CONFIG) for _ in range(2)]
    waits = runs.start(CONFIG)
    worker = runs._records[both[0]].worker
    assert worker is not None

    def none_left(_: object) -> Worker:
        raise BlockingIOError

    monkeypatch.setattr(runs.engine, "worker", none_left)
    with pytest.raises(BlockingIOError):
        runs._lose(worker)
    assert [seen.state for run in (*both, waits) if (seen := runs.snapshot(run))] == ["lost", "lost", "waiting"]
