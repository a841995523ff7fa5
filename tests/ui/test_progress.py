"""How far a reader's training has come, as one value: each state of a run is one stage of it."""

from typing import Any

import numpy as np
import pytest

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import EMPTY, History
from ui.session import ReaderSession
from ui.training_service.progress import progress_of
from ui.training_service.registry import Snapshot

CONFIG = TrainConfig(steps=20)
SET = TrainConfig(steps=30)
BEGUN = EMPTY._replace(step=np.arange(1, dtype=np.int32), probe_step=np.arange(1, dtype=np.int32))
GONE_ON = EMPTY._replace(step=np.arange(9, dtype=np.int32), probe_step=np.array([0, 2, 5], dtype=np.int32))


class Runs:
    """One run, or none, and whether the first look at what would be trained is known."""

    def __init__(self, seen: Snapshot | None, look: History | None) -> None:
        self.seen, self.look = seen, look

    def snapshot(self, run: str) -> Snapshot | None:
        return self.seen

    def wait(self, run: str, until: object, seconds: float) -> Snapshot | None:
        return self.seen

    def first_look(self, config: TrainConfig, seconds: float, *, ask: bool) -> History | None:
        return self.look

    def eta(self, run: str) -> None: ...

    def eta_of(self, config: TrainConfig) -> None: ...


@pytest.mark.parametrize(
    ("state", "step", "look", "stage"),
    [
        (None, 0, BEGUN, "none"),
        (None, 0, None, "asked"),
        ("waiting", 0, BEGUN, "asked"),
        ("running", 0, None, "running"),
        ("running", 7, BEGUN, "running"),
        ("stopped", 0, None, "asked"),
        ("stopped", 0, BEGUN, "resting"),
        ("failed", 7, BEGUN, "resting"),
        ("paused", 7, BEGUN, "fresh"),
        ("done", 20, BEGUN, "fresh"),
        ("lost", 7, BEGUN, "lost"),
    ],
)
def test_each_state_of_a_run_is_one_stage(state: str | None, step: int, look: History | None, stage: str) -> None:
    seen = Snapshot("run", CONFIG, state, step) if state else None
    runs: Any = Runs(seen, look)
    found = progress_of(runs, seen, SET, None, 0, 0.0)
    assert found.stage == stage
    assert found.config == (CONFIG if state else SET)


def test_the_model_of_a_run_at_rest_is_handed_over_once_and_once_more_when_it_has_gone_on() -> None:
    runs: Any = Runs(Snapshot("run", CONFIG, "paused", 7, history=GONE_ON), None)
    mine = ReaderSession(runs, run="run")
    assert mine.hand_over() is runs.seen
    assert mine.hand_over() is None
    assert mine.progress(SET, 0).stage == "resting"
    runs.seen = Snapshot("run", CONFIG, "done", 20, history=GONE_ON)
    assert mine.progress(SET, 0).stage == "fresh"
    assert mine.hand_over() is runs.seen


@pytest.mark.parametrize(
    ("state", "wish", "at", "last"), [("paused", 4, 5, 5), ("paused", 0, 0, 0), ("running", 0, 5, 8)]
)
def test_a_run_at_rest_is_looked_at_where_the_reader_wishes_and_one_under_way_where_it_is(
    state: str, wish: int, at: int, last: int
) -> None:
    runs: Any = Runs(Snapshot("run", CONFIG, state, 8, history=GONE_ON), None)
    found = ReaderSession(runs, run="run").progress(SET, wish)
    assert (found.at, found.last) == (at, last)
