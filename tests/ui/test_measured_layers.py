"""The measurement of the layers: one for all who wait, stopped by the last of them, told point by point."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest

from transformer_core.experiments.sequence_layers import LAYERS, SIZES, Point
from ui.training_service.layer_timings import Measurements, share
from ui.training_service.registry import BackgroundTasks

SIZE = (64, 3)


class NoWorker:
    """In the place of the runs and their worker: keeps what is sent, and answers when told to."""

    def __init__(self) -> None:
        self.sent: list[Mapping[str, Any]] = []
        self.answer: Callable[[str, dict[str, np.ndarray]], None]

    def start_background_task(self, hear: Callable[[str, dict[str, np.ndarray]], None], **command: Any) -> str:
        self.answer = hear
        self.sent.append(command)
        return str(len(self.sent))

    def end_background_task(self, name: str) -> None:
        self.sent.append({"end": name})


@pytest.fixture
def worker() -> NoWorker:
    return NoWorker()


@pytest.fixture
def measurements(worker: NoWorker) -> Measurements:
    return Measurements(worker)


def row(layer: int, n: int) -> dict[str, np.ndarray]:
    return {"points": np.array([[layer, n, 0.5, 0.25, 100.0]])}


def test_points_come_one_by_one_and_the_share_is_that_of_the_tokens(
    worker: NoWorker, measurements: Measurements
) -> None:
    assert measurements.look(SIZE).state == "none"
    measurements.begin(SIZE, "a")
    worker.answer("running", row(2, 16))
    worker.answer("running", {})
    seen = measurements.look(SIZE)
    assert seen.reports == (Point("recurrent", 16, 0.5, 0.25, 100),)
    assert share(seen) == 16 / (len(LAYERS) * sum(SIZES))
    worker.answer("done", row(3, 32))
    assert (measurements.look(SIZE).state, len(measurements.look(SIZE).reports)) == ("done", 2)
    assert measurements.look((64, 5)).state == "none"


def test_all_who_ask_wait_for_one_measurement_and_the_last_one_to_stop_ends_it(
    worker: NoWorker, measurements: Measurements
) -> None:
    for reader in "abc":
        measurements.begin(SIZE, reader)
    assert worker.sent == [{"do": "measure", "d": 64, "kernel": 3}]
    measurements.stop(SIZE, "a")
    measurements.stop(SIZE, "c")
    worker.answer("running", row(0, 16))
    assert measurements.look(SIZE).state == "running"
    measurements.stop(SIZE, "b")
    assert worker.sent[1:] == [{"end": "1"}]
    assert (measurements.look(SIZE).state, len(measurements.look(SIZE).reports)) == ("stopped", 1)


def test_what_has_ended_can_be_measured_again_from_the_beginning(worker: NoWorker, measurements: Measurements) -> None:
    for state in ("done", "stopped", "lost", "failed"):
        measurements.begin(SIZE, "a")
        worker.answer(state, row(0, 16))
        measurements.begin(SIZE, "a")
        assert measurements.look(SIZE).reports == ()
        worker.answer("done", {})
    assert len(worker.sent) == 8


def test_a_measurement_that_all_stop_while_it_is_sent_is_ended_and_adds_nothing_to_the_next() -> None:
    """The last who waits stops, in another tab, before the task has its name."""

    class Slow(NoWorker):
        def start_background_task(self, hear: Callable[[str, dict[str, np.ndarray]], None], **command: Any) -> str:
            if not self.sent:
                known.stop(SIZE, "a")
            return super().start_background_task(hear, **command)

    slow = Slow()
    known = Measurements(slow)
    known.begin(SIZE, "a")
    assert slow.sent[1:] == [{"end": "1"}]
    assert known.look(SIZE).state == "stopped"
    old = slow.answer
    known.begin(SIZE, "b")
    old("done", row(2, 16))
    assert (known.look(SIZE).state, known.look(SIZE).reports) == ("running", ())
    slow.answer("done", row(3, 16))
    assert (known.look(SIZE).state, len(known.look(SIZE).reports)) == ("done", 1)


def test_where_no_process_is_to_be_had_the_measurement_is_lost_and_can_begin_again() -> None:
    class Full(NoWorker):
        def start_background_task(self, hear: Callable[[str, dict[str, np.ndarray]], None], **command: Any) -> str:
            raise BlockingIOError

    measurements = Measurements(Full())
    for _ in range(2):
        measurements.begin(SIZE, "a")
        assert measurements.look(SIZE).state == "lost"


def test_only_so_many_are_at_work_at_once_and_the_oldest_that_have_ended_are_forgotten(
    worker: NoWorker, measurements: Measurements, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Measurements, "AT_ONCE", 2)
    monkeypatch.setattr(Measurements, "MOST", 1)
    assert measurements.begin((8, 3), "a")
    assert measurements.begin((16, 3), "a")
    assert measurements.full
    assert not measurements.begin(SIZE, "a")
    assert measurements.begin((16, 3), "b")  # who waits with others takes no place
    assert [command["d"] for command in worker.sent] == [8, 16]
    for size in ((8, 3), (16, 3)):
        measurements.stop(size, "a")
        measurements.stop(size, "b")
    assert measurements.begin(SIZE, "a")
    assert [measurements.look(size).state for size in ((8, 3), (16, 3), SIZE)] == ["none", "stopped", "running"]


class Pipe:
    place, alive = "", True

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, command: Mapping[str, Any]) -> None:
        self.sent.append(command)

    def close(self) -> None: ...


def test_an_errand_hears_until_its_end_and_of_the_death_of_its_own_worker() -> None:
    tasks, worker, other = BackgroundTasks(), Pipe(), Pipe()
    heard: list[str] = []

    def as_heard(name: str, state: str, arrays: dict[str, np.ndarray]) -> None:
        heard.append(f"{name} {state}")

    first, second, third = (tasks.send(worker, partial(as_heard, name), {"do": "x"}) for name in "123")
    assert [command["run"] for command in worker.sent] == [first, second, third]
    tasks.hear({"run": "nobody", "state": "running"}, {})
    tasks.hear({"run": first, "state": "running"}, {})
    tasks.hear({"run": first, "state": "done"}, {})
    tasks.hear({"run": first, "state": "running"}, {})
    tasks.end(second)
    tasks.end(second)
    assert worker.sent[3:] == [{"do": "stop", "run": second}]
    tasks.lose(other)
    tasks.lose(worker)
    assert heard == ["1 running", "1 done", "3 lost"]
    assert tasks.workers == []
