"""Runs that wait: in the order of their coming, for as long as was measured, and said so in both languages."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from ui.cache import ValueCache
from ui.frame.notices import and_wait, waiting
from ui.text import LANGUAGES
from ui.training_service import runs as runs_module
from ui.training_service.eta import Eta
from ui.training_service.local_engine import LocalEngine
from ui.training_service.queue import FORSAKEN, Refused, Slots
from ui.training_service.runs import Runs

CONFIG = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=100, warmup=5)
LARGE = TrainConfig.notes()
FIRST = History.of([next(train(CONFIG))])._asdict()
DEAF = (sys.executable, "-c", "import sys; sys.stdin.read()")  # a worker that does nothing until its stdin closes


class Clock:
    """Instead of the module `time`: it moves when it is told to."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(runs_module, "time", clock)
    monkeypatch.setattr("ui.training_service.queue.time", clock)
    return clock


@pytest.fixture
def runs(clock: Clock) -> Iterator[Runs]:
    runs = Runs(
        partial(LocalEngine, count=1, command=DEAF),
        grace=0.0,
        slots=Slots(reports=2, weights=1, look=1, waiting=5),
        store=ValueCache(),
    )
    runs.patience = 0.0
    yield runs
    runs.close()


def hear(
    runs: Runs,
    run: str,
    step: int,
    state: str = "running",
    arrays: dict[str, np.ndarray] | None = None,
    spent: float = 0.0,
) -> None:
    """As if the worker had reported, after so many seconds of work on this run."""
    worker = runs._records[run].worker
    assert worker is not None
    runs._hear(worker, {"run": run, "step": step, "state": state, "reason": "", "spent": spent}, dict(arrays or {}))


def states(runs: Runs, *names: str) -> list[str]:
    seen = [runs.snapshot(name) for name in names]
    return [each.state if each else "forgotten" for each in seen]


def told(runs: Runs, run: str) -> Any:
    found = runs.eta(run)
    assert found is not None
    return found.place, found.seconds


def some(runs: Runs, count: int, **settings: Any) -> list[str]:
    return [runs.start(replace(CONFIG, seed=seed, **settings)) for seed in range(count)]


def test_places_go_to_those_who_wait_in_the_order_of_their_coming(runs: Runs) -> None:
    a, b, c, d, e = some(runs, 5)
    assert states(runs, a, b, c, d, e) == ["running", "running", "waiting", "waiting", "waiting"]
    runs.stop(b)
    assert states(runs, c, d, e) == ["running", "waiting", "waiting"]
    hear(runs, a, 100, "done")
    assert states(runs, d, e) == ["running", "waiting"]
    runs.forget(c)
    assert states(runs, e) == ["running"]


def test_a_run_that_waits_is_stopped_or_forgotten_without_the_worker(runs: Runs) -> None:
    _, _, c, d, e = some(runs, 5)
    runs.pause(d)
    assert states(runs, d) == ["waiting"], "it does not move yet"
    runs.stop(c)
    runs.forget(d)
    assert states(runs, c, d, e) == ["stopped", "forgotten", "waiting"]
    eta = runs.eta(e)
    assert eta is not None
    assert eta.place == 1


def test_a_run_whose_reader_reloads_keeps_its_place_in_line(runs: Runs) -> None:
    runs._grace = 300.0
    some(runs, 2)
    run = runs.start(CONFIG, owner="mine")
    runs.leave(run)
    assert runs.adopt(CONFIG, "mine") == run
    assert states(runs, run) == ["waiting"]


def test_those_who_wait_are_not_lost_with_the_worker_and_go_to_the_next_one(runs: Runs) -> None:
    a, b, c, d = some(runs, 4)
    dead = runs._records[a].worker
    assert dead is not None
    dead.close()
    runs._lose(dead)
    assert states(runs, a, b, c, d) == ["lost", "lost", "running", "running"]
    assert runs._records[c].worker is not dead
    runs.restart(a)
    assert states(runs, a) == ["waiting"]
    runs.stop(c)
    assert states(runs, a) == ["running"]


def test_a_line_that_is_too_long_is_refused(runs: Runs) -> None:
    some(runs, 7)
    with pytest.raises(Refused) as refusal:
        runs.start(CONFIG)
    assert (refusal.value.reason, refusal.value.limit, refusal.value.passing) == ("too_many", 5, True)


def test_a_large_run_that_waits_for_memory_keeps_back_large_ones_alone(runs: Runs) -> None:
    runs.slots = replace(runs.slots, large=LARGE.memory)
    names = [runs.start(replace(LARGE, seed=1)), runs.start(replace(LARGE, seed=2)), *some(runs, 1)]
    assert states(runs, *names) == ["running", "waiting", "running"]


def test_links_wait_in_the_order_in_which_they_asked_first(runs: Runs) -> None:
    configs = [replace(CONFIG, seed=seed) for seed in range(3)]
    for config in (*configs, configs[2], configs[0]):
        assert runs.model(config, 50, 0.0) is None
    assert [runs.eta_of(config, 50) for config in configs] == [Eta(None), Eta(1), Eta(2)]
    assert runs.eta_of(replace(CONFIG, seed=9), 50) is None, "nobody has asked for it"


def test_a_link_whose_page_has_gone_loses_its_place_in_line(runs: Runs, clock: Clock) -> None:
    configs = [replace(CONFIG, seed=seed) for seed in range(3)]
    for config in configs:
        runs.model(config, 50, 0.0)
    clock.now += 2 * FORSAKEN
    runs.model(configs[0], 50, 0.0)
    runs.model(configs[2], 50, 0.0)
    (first,) = [run for run, record in runs._records.items() if record.snapshot.config == configs[0]]
    runs.forget(first)
    assert runs.eta_of(configs[1], 50) is None
    assert runs.eta_of(configs[2], 50) == Eta(None)


def test_the_wait_for_a_place_is_what_the_runs_before_it_still_need(runs: Runs, clock: Clock) -> None:
    a, b, c, d, e = some(runs, 5)
    assert runs.eta(c) == Eta(1), "nothing has been measured"
    for run in (a, b):
        hear(runs, run, 0, arrays=FIRST, spent=3.0)
    hear(runs, a, 30, spent=3.0 + 4.0)
    hear(runs, b, 50, spent=3.0 + 6.0)  # 80 steps in 10 seconds of work; 70 and 50 are left
    assert told(runs, c) == (1, pytest.approx((50 + 50) / 8)), "both have come as far when the shorter one ends"
    assert told(runs, d) == (2, pytest.approx((70 + 50) / 8))
    assert told(runs, e) == (3, pytest.approx((70 + 50 + 100) / 8 + 3.0)), "after one that takes a place before it"
    hear(runs, b, 50, "paused", spent=9.0)
    assert told(runs, c) == (1, pytest.approx(70 / 8)), "a run that rests gives no place"


def test_the_end_of_the_server_starts_no_other_worker_for_those_who_wait(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = runs._records[some(runs, 4)[0]].worker
    assert worker is not None
    begun: list[object] = []
    monkeypatch.setattr(runs.engine, "worker", begun.append)
    runs.close()
    runs._lose(worker)  # as the thread that listened to it says, a moment later
    assert begun == []


def test_the_wait_for_the_first_report_is_what_those_before_it_took(runs: Runs, clock: Clock) -> None:
    runs.slots = Slots(reports=9)
    names = some(runs, 5)
    assert [runs.eta(name) for name in names] == [Eta(place) for place in range(1, 6)]
    clock.now += 4
    hear(runs, names[0], 0, arrays=FIRST)
    clock.now += 2
    hear(runs, names[1], 0, arrays=FIRST)
    assert [runs.eta(name) for name in names] == [None, None, Eta(1, 3.0), Eta(2, 6.0), Eta(3, 9.0)]
    runs.forget(names[2])
    assert runs.eta(names[3]) == Eta(1, 3.0)


def test_the_wait_for_a_first_look_counts_the_runs_that_are_looked_at(runs: Runs, clock: Clock) -> None:
    run, other = some(runs, 2)
    clock.now += 3
    hear(runs, run, 0, arrays=FIRST)
    looks = [replace(CONFIG, seed=seed) for seed in (8, 9)]
    for config in looks:
        runs.first_look(config, 0.0)
    assert runs.eta(other) == Eta(1, 3.0)
    assert [runs.eta_of(config) for config in looks] == [Eta(2, 6.0), Eta(1, 9.0)]


def test_the_wait_for_a_link_is_what_is_before_it_and_its_own_training(runs: Runs, clock: Clock) -> None:
    first, second = (replace(CONFIG, seed=seed) for seed in (1, 2))
    twice = replace(second, batch=8)
    for config in (first, second, twice):
        runs.model(config, 80, 0.0)
    (run,) = [run for run, record in runs._records.items() if record.snapshot.config == first]
    hear(runs, run, 10, spent=5.0)  # 2 steps a second: 70 of the 80 are left
    assert runs.eta_of(first, 80) == Eta(None, 35.0)
    assert runs.eta_of(second, 80) == Eta(1, 35.0 + 40.0)
    assert runs.eta_of(twice, 80) == Eta(2, 35.0 + 40.0 + 80.0), "a step of twice the work takes twice as long"


def test_what_is_known_already_is_given_without_asking_the_worker(runs: Runs) -> None:
    assert runs.first_look(CONFIG, ask=False) is None
    assert runs._records == {}


@pytest.mark.parametrize(
    ("eta", "en", "zh"),
    [
        (None, "", ""),
        (Eta(None, None), "", ""),
        (Eta(12), "Number 12 in line.", "排在第 12 位。"),
        (Eta(3, 0.2), "Number 3 in line; expected wait: about 5\u00a0s.", "排在第 3 位，预计等待约 5 秒。"),
        (Eta(3, 41.0), "Number 3 in line; expected wait: about 45\u00a0s.", "排在第 3 位，预计等待约 45 秒。"),
        (Eta(None, 61.0), "Expected wait: about 2\u00a0min.", "预计等待约 2 分钟。"),
    ],
)
def test_a_reader_is_told_the_place_and_the_time(eta: Eta | None, en: str, zh: str) -> None:
    assert [waiting(eta, lang) for lang in LANGUAGES] == [en, zh]
    assert and_wait("Training.", eta, "en") == f"Training. {en}".rstrip()
    assert and_wait("正在训练。", eta, "zh") == f"正在训练。{zh}"
