"""Whose turn it is: both rules by which a worker shares its time, as laws of shares. The clock is the work itself."""

import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from ui.training_service import worker
from ui.training_service.worker import Scheduler

SLICE = 1 / 16  # seconds
AWAY = 1e9  # seconds of work: never through


class Office:
    """A worker whose tasks do nothing but take time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.spent = defaultdict[str, float](float)
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(worker, "SLICE", SLICE)
        monkeypatch.setattr(worker, "measure", self._pieces)
        self.scheduler = Scheduler(self._hear)

    def begin(self, run: str, seconds: float, piece: float = SLICE) -> None:
        self.scheduler.obey({"do": "measure", "run": run, "d": piece, "kernel": seconds})

    def work(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.scheduler.turn()

    def _pieces(self, piece: float, seconds: float) -> Iterator[None]:
        done = 0.0
        while done < seconds:
            self.now += piece
            done += piece
            yield None

    def _hear(self, header: dict[str, Any], _: object) -> None:
        self.spent[header["run"]] = header["spent"]


@pytest.fixture
def office(monkeypatch: pytest.MonkeyPatch) -> Office:
    return Office(monkeypatch)


@pytest.mark.parametrize("others", [1, 7, 29])
def test_who_has_had_the_least_has_half_of_the_time_however_many_others_there_are(office: Office, others: int) -> None:
    for number in range(others):
        office.begin(f"long {number}", AWAY)
    office.work(others * 10)
    began = office.now
    office.begin("short", 5)
    while "short" in office.scheduler.jobs:
        office.scheduler.turn()
    assert office.now - began <= 2 * (5 + SLICE) + SLICE


@pytest.mark.parametrize("others", [1, 7, 29])
def test_the_other_half_is_everybodys_however_many_newcomers_there_are(office: Office, others: int) -> None:
    names = [f"long {number}" for number in range(others)]
    for name in names:
        office.begin(name, AWAY)
    office.work(others * 10)
    before, began, came = dict(office.spent), office.now, 0
    while office.now < began + others * 20:
        if f"short {came}" not in office.scheduler.jobs:
            came += 1
            office.begin(f"short {came}", 1)
        office.scheduler.turn()
    share = (office.now - began) / 2 / (others + 1)  # they and a newcomer
    assert all(office.spent[name] - before[name] >= share - 2 * SLICE for name in names)


def test_runs_that_are_alike_have_alike(office: Office) -> None:
    names = [f"run {number}" for number in range(30)]
    for name in names:
        office.begin(name, AWAY)
    office.work(30 * 5)
    assert max(office.spent.values()) - min(office.spent[name] for name in names) <= 2 * SLICE


@pytest.mark.parametrize("steps", [0.25, 1.0, 7.0])
def test_long_steps_give_no_more_of_the_time(office: Office, steps: float) -> None:
    office.begin("large", AWAY, steps)
    for number in range(4):
        office.begin(f"small {number}", AWAY)
    office.work(100 * 5)
    assert all(abs(spent - 100) <= 2 * steps for spent in office.spent.values())
