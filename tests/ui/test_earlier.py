"""The runs before the one on the page: what is kept of them, how many, and the one that runs beside it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import EMPTY, History
from transformer_core.training.report import Report
from ui.cache import size_of
from ui.session import ReaderSession
from ui.training_service.earlier_runs import KEPT_RUNS, POINTS, EarlierRun, earlier_run_of, with_one_more
from ui.training_service.queue import Refused
from ui.training_service.registry import Learned, Snapshot, learned_in

CONFIG = TrainConfig(steps=2000)


def history(count: int, *, right_from: int | None = None) -> History:
    """`count` reports, the exact match measured at every tenth."""

    def match(step: int) -> float | None:
        if step % 10:
            return None
        return 1.0 if right_from is not None and step >= right_from else 0.25

    return History.of([Report(step, 2.0 - step / count, 1e-3, 9.0, match(step)) for step in range(count)])


def snapshot(run: str, config: TrainConfig, state: str = "done", **more: Any) -> Snapshot:
    return Snapshot(run, config, state, 20, history=history(21), **more)


def test_of_a_long_run_is_kept_what_can_be_told_apart_with_its_ends() -> None:
    past = earlier_run_of(
        Snapshot("run", CONFIG, "done", 1999, history=history(2000), spent=3.5, learned=Learned(40, 1.5))
    )
    assert past.loss.shape == (2, POINTS)
    assert past.loss[0, [0, -1]].tolist() == [0, 1999]
    assert past.match[0].tolist() == list(range(0, 2000, 10))
    assert size_of([past.loss, past.match]) <= 16 * POINTS
    assert (past.over, past.spent, past.learned) == (True, 3.5, Learned(40, 1.5))
    assert past.last_match == 0.25
    assert past.last_loss == pytest.approx(np.mean(past.loss[1, -POINTS // 10 :]))


def test_of_a_run_that_has_not_begun_nothing_is_said() -> None:
    past = earlier_run_of(Snapshot("run", CONFIG))
    assert (past.last_loss, past.last_match, past.over) == (None, None, False)
    assert earlier_run_of(Snapshot("run", CONFIG, history=EMPTY)).loss.shape == (2, 0)


def test_the_last_runs_are_kept_each_once() -> None:
    runs: tuple[EarlierRun, ...] = ()
    for seed in (*range(KEPT_RUNS + 3), 5):
        runs = with_one_more(runs, earlier_run_of(snapshot("run", replace(CONFIG, seed=seed))))
    assert [past.config.seed for past in runs] == [*(seed for seed in range(3, KEPT_RUNS + 3) if seed != 5), 5]


def test_all_is_right_from_the_first_measurement_that_finds_no_mistake() -> None:
    assert learned_in(history(100, right_from=35), 2.5) == Learned(40, 2.5)
    assert learned_in(history(30, right_from=35), 2.5) is None


class Runs:
    """As much of the register as a session asks: runs by their names, and those that were forgotten."""

    def __init__(self, most: int = 9) -> None:
        self.known: dict[str, Snapshot] = {}
        self.forgotten: list[str] = []
        self.most = most

    def start(self, config: TrainConfig, until: int | None, *, owner: str | None, linked: bool) -> str:
        if len(self.known) - len(self.forgotten) >= self.most:
            raise Refused("too_many", self.most, passing=True)
        run = f"run {len(self.known)}"
        self.known[run] = snapshot(run, config, "running")
        return run

    def forget(self, run: str) -> None:
        self.forgotten.append(run)

    def snapshot(self, run: str) -> Snapshot | None:
        return None if run in self.forgotten else self.known[run]


PLAIN, CHANGED, OTHER = TrainConfig(), TrainConfig(scale=False), TrainConfig(h=1)


def test_a_run_that_makes_way_leaves_its_curves_and_counts_as_stopped() -> None:
    runs: Any = Runs()
    mine = ReaderSession(runs)
    mine.start(PLAIN)
    mine.start(CHANGED)
    assert runs.forgotten == ["run 0"]
    assert [(past.config, past.state) for past in mine.past] == [(PLAIN, "stopped"), (CHANGED, "running")]
    mine.start(PLAIN)
    assert [past.config for past in mine.past] == [CHANGED, PLAIN], "trained again it is the one on the page"


def test_two_runs_race_and_both_make_way_for_the_next() -> None:
    runs: Any = Runs()
    mine = ReaderSession(runs)
    mine.start(CHANGED, rival=PLAIN)
    assert mine.seen is not None
    assert mine.beside is not None
    assert (mine.seen.config, mine.beside.config, mine.racing) == (CHANGED, PLAIN, True)
    assert [past.config for past in mine.past] == [PLAIN, CHANGED]
    mine.start(OTHER)
    assert sorted(runs.forgotten) == ["run 0", "run 1"]
    assert not mine.racing
    assert mine.rival is None
    assert [past.config for past in mine.past] == [PLAIN, CHANGED, OTHER]


def test_where_there_is_no_room_for_both_neither_begins_and_the_run_on_the_page_stays() -> None:
    runs: Any = Runs(most=2)
    mine = ReaderSession(runs)
    mine.start(PLAIN)
    mine.start(CHANGED, rival=OTHER)
    assert mine.refused is not None
    assert mine.run == "run 0"
    assert runs.forgotten == ["run 1"], "the one that had begun"
    assert [past.config for past in mine.past] == [PLAIN]
