"""The worker: fair turns, commands, and messages that arrive as they were sent."""

import io
import itertools
import json
import subprocess
import sys
import time
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from transformer_core.experiments.sequence_layers import Point
from transformer_core.train import train, train_to
from transformer_core.training import row_config
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import EMPTY, History
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_run import RowHistory, RowRun
from transformer_core.training.run import PATIENCE
from ui.training_service import protocol, worker
from ui.training_service.worker import Scheduler

ROOT = Path(__file__).parents[2]
SMALL = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=23, warmup=5)


class Office:
    """A worker in this process, with all that it has sent."""

    def __init__(self):
        self.sent: list[tuple[dict[str, Any], dict[str, np.ndarray]]] = []
        self.scheduler = Scheduler(lambda header, arrays: self.sent.append((header, arrays)))

    def tell(self, do, run="a", **values):
        self.scheduler.obey({"do": do, "run": run, **values})

    def start(self, config=SMALL, run="a", until=None, want="reports"):
        self.tell("start", run, config=config.to_dict(), until=until, want=want)

    def work(self):
        while self.scheduler.running:
            self.scheduler.turn()

    def history(self, run="a"):
        told = EMPTY
        for header, arrays in self.sent:
            columns = {name: array for name, array in arrays.items() if name != "weights"}
            if header["run"] == run and columns:
                told = told.then(History(**columns))
        return told

    def last(self, run="a"):
        return next(message for message in reversed(self.sent) if message[0]["run"] == run)


@pytest.fixture
def office():
    return Office()


def weights(model):
    return torch.nn.utils.parameters_to_vector(model.parameters()).detach().numpy()


def test_a_run_sends_every_report_and_at_last_its_weights(office):
    office.start()
    office.work()
    history, expected = office.history(), History.of(list(train(SMALL)))
    np.testing.assert_array_equal(history.step, np.arange(24))
    for name in set(History._fields) - {"tokens_per_second"}:
        np.testing.assert_array_equal(getattr(history, name), getattr(expected, name), name)
    header, arrays = office.last()
    assert (header["state"], header["step"]) == ("done", 23)
    np.testing.assert_array_equal(arrays["weights"], weights(train_to(SMALL, 23)))
    assert office.scheduler.jobs == {}


def test_a_run_pauses_where_it_was_told_and_goes_on_to_the_same_end(office):
    office.start(until=9)
    office.work()
    header, arrays = office.last()
    assert (header["state"], header["step"]) == ("paused", 9)
    np.testing.assert_array_equal(arrays["weights"], weights(train_to(SMALL, 9)))
    office.tell("step")
    office.work()
    assert (office.last()[0]["state"], office.last()[0]["step"]) == ("paused", 10)
    office.tell("resume")
    office.work()
    np.testing.assert_array_equal(office.last()[1]["weights"], weights(train_to(SMALL, 23)))
    np.testing.assert_array_equal(office.history().step, np.arange(24))
    np.testing.assert_array_equal(office.history().probe_step, [0, 5, 9, 10, 15, 20, 23])


def test_weights_alone_cost_no_measurements(office):
    office.start(until=12, want="weights")
    office.work()
    assert office.history() is EMPTY
    np.testing.assert_array_equal(office.last()[1]["weights"], weights(train_to(SMALL, 12)))


def test_pause_tells_the_weights_of_that_moment(office, monkeypatch):
    monkeypatch.setattr(worker, "SLICE", 0.0)
    office.start()
    for _ in range(5):
        office.scheduler.turn()
    office.tell("pause")
    header, arrays = office.last()
    assert (header["state"], header["step"]) == ("paused", 4)  # the first turn looked at the untrained model
    np.testing.assert_array_equal(arrays["probe_step"], [4])
    np.testing.assert_array_equal(office.history().probe_step, [0, 4])
    np.testing.assert_array_equal(arrays["weights"], weights(train_to(SMALL, 4)))
    assert office.scheduler.running == []


def test_turns_are_shared_by_time_so_that_a_large_model_does_not_hold_up_a_small_one(office, monkeypatch):
    monkeypatch.setattr(worker, "SLICE", 0.0)
    clock, ticks = [0.0], itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0] + 1e-9 * next(ticks))
    large = TrainConfig(vocab=7, length=6, d_model=16, h=2, batch=4, steps=23)
    office.start(large, "large")
    office.start(SMALL, "small")
    for run, cost in (("large", 1.0), ("small", 0.125)):
        job = office.scheduler.jobs[run]
        job._work = timed(job._work, clock, cost)
    for _ in range(20):
        office.scheduler.turn()
    steps = {run: job.training.step for run, job in office.scheduler.jobs.items()}
    assert steps["small"] >= 6 * steps["large"] > 0


def timed(work, clock, cost):
    for report in work:
        clock[0] += cost
        yield report


def test_who_comes_late_or_has_waited_takes_only_his_turn(office, monkeypatch):
    monkeypatch.setattr(worker, "SLICE", 0.0)
    office.start(run="early")
    for _ in range(6):
        office.scheduler.turn()
    office.start(run="late")
    office.tell("pause", "late")
    for _ in range(6):
        office.scheduler.turn()
    office.tell("resume", "late")
    turn = {run: job.turn for run, job in office.scheduler.jobs.items()}
    assert turn["late"] == turn["early"] > 0


def test_a_short_run_among_many_long_ones_ends_soon_and_the_long_ones_move(office, monkeypatch):
    monkeypatch.setattr(worker, "SLICE", 0.0)
    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(ticks)))  # every piece of work costs the same
    long = replace(SMALL, steps=5000)
    for n in range(4):
        office.start(long, f"long{n}")
    for _ in range(4 * 30):  # each has had more than the short one needs
        office.scheduler.turn()
    before = {run: job.step for run, job in office.scheduler.jobs.items()}
    office.start(run="short")
    turns = 0
    while "short" in office.scheduler.jobs:
        office.scheduler.turn()
        turns += 1
    assert turns < 4 * SMALL.steps
    for _ in range(2 * 4):
        office.scheduler.turn()
    assert all(job.step > before[run] for run, job in office.scheduler.jobs.items())


def test_a_look_is_the_first_report_alone_and_leaves_nothing_behind(office):
    office.start(want="look")
    office.work()
    header, arrays = office.last()
    assert (header["state"], header["step"]) == ("done", 0)
    assert "weights" not in arrays
    expected = History.of([next(train(SMALL))])
    for name in History._fields:
        np.testing.assert_array_equal(getattr(office.history(), name), getattr(expected, name), name)
    assert office.scheduler.jobs == {}


def test_a_run_that_diverges_ends_alone(office):
    office.start(run="good")
    office.start(run="bad")
    with torch.no_grad():
        office.scheduler.jobs["bad"].training.model.generator.proj.bias.fill_(torch.nan)
    office.work()
    assert (office.last("bad")[0]["state"], office.last("bad")[0]["reason"]) == ("failed", "diverged")
    assert office.last("good")[0]["state"] == "done"


def test_a_run_whose_loss_explodes_ends_alone_and_what_a_link_names_is_trained_all_the_same(office):
    for want in ("reports", "weights"):
        office.start(run=want, until=23, want=want)
        with torch.no_grad():
            office.scheduler.jobs[want].training.model.generator.proj.bias[0] = 200.0  # padding, which is no answer
    office.start(run="good")
    office.work()
    header = office.last("reports")[0]
    assert (header["state"], header["reason"], header["step"]) == ("failed", "exploded", PATIENCE)
    assert len(office.history("reports").step) == 1 + PATIENCE
    assert office.last("weights")[0]["step"] == 23
    assert office.last("good")[0]["state"] == "done"


def test_a_run_that_cannot_be_built_is_reported_and_no_other_suffers(office, caplog):
    office.start(run="good")
    office.tell("start", "bad", config={"d_model": 7}, until=None, want="reports")
    assert (office.last("bad")[0]["state"], office.last("bad")[0]["reason"]) == ("failed", "broken")
    assert "ConfigError" in caplog.text
    assert [job.id for job in office.scheduler.running] == ["good"]


def test_commands_for_a_run_that_has_ended_come_too_late(office):
    office.start()
    office.tell("stop")
    sent = list(office.sent)
    for command in ("pause", "resume", "step", "weights", "stop"):
        office.tell(command)
    assert office.sent == sent
    assert office.scheduler.jobs == {}


def test_history_joins_without_telling_anything_twice():
    reports = list(train(SMALL))
    whole, early, again = History.of(reports), History.of(reports[:12]), History.of(reports[:20])
    joined = EMPTY.then(early).then(again).then(whole)
    for name, values in joined._asdict().items():
        np.testing.assert_array_equal(values, getattr(whole, name), name)


def test_a_message_arrives_as_it_was_sent():
    stream = io.BytesIO()
    arrays: dict[str, np.ndarray] = {
        "map": np.arange(6, dtype=np.float16).reshape(1, 2, 3),
        "none": np.empty((0, 4), np.float32),
    }
    protocol.write(stream, {"run": "ä", "step": 3}, arrays)
    protocol.write(stream, {"run": "b"}, {})
    stream.seek(0)
    header, received = protocol.read(stream)
    assert header == {"run": "ä", "step": 3}
    assert {name: (array.dtype, array.tolist()) for name, array in received.items()} == {
        name: (array.dtype, array.tolist()) for name, array in arrays.items()
    }
    assert protocol.read(stream) == ({"run": "b"}, {})
    with pytest.raises(EOFError):
        protocol.read(stream)


def test_half_a_message_is_the_end_of_the_stream():
    stream = io.BytesIO()
    protocol.write(stream, {}, {"weights": np.ones(5, np.float32)})
    with pytest.raises(EOFError):
        protocol.read(io.BytesIO(stream.getvalue()[:-1]))


@pytest.mark.long
@pytest.mark.parametrize("lost", ["stdin", "stdout"])  # closed by its server; or nobody hears the next report
def test_the_process_ends_in_silence_with_its_pipes_even_within_a_run(lost):
    command = [sys.executable, "-m", "ui.training_service.worker"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        config = TrainConfig(steps=5000).to_dict()
        start = {"do": "start", "run": "a", "config": config, "until": None, "want": "reports"}
        process.stdin.write(json.dumps(start).encode() + b"\n")
        process.stdin.flush()
        header, arrays = protocol.read(process.stdout)
        assert (header["state"], arrays["step"][0]) == ("running", 0)
        getattr(process, lost).close()
        assert process.wait(timeout=300) == 0
        assert process.stderr.read() == b""


def test_layers_are_measured_in_turn_with_training(office, monkeypatch):
    monkeypatch.setattr(worker, "SLICE", 0.0)
    points = [Point("fused", 3, 0.5, 0.25, 12), Point("convolution", 3, 0.125, 1.0, 7)]
    monkeypatch.setattr(worker, "measure", lambda d, kernel: iter([None, points[0], None, points[1]]))
    office.start(run="training")
    office.tell("measure", "layers", d=4, kernel=3)
    office.work()
    told = [arrays["points"] for header, arrays in office.sent if header["run"] == "layers" and arrays]
    assert np.concatenate(told).tolist() == [[1, 3, 0.5, 0.25, 12], [3, 3, 0.125, 1.0, 7]]
    assert office.last("layers")[0]["state"] == "done"
    assert office.last("training")[0]["step"] == SMALL.steps
    assert office.scheduler.jobs == {}


def test_a_measurement_can_be_stopped(office, monkeypatch):
    monkeypatch.setattr(worker, "measure", lambda d, kernel: itertools.repeat(None))
    monkeypatch.setattr(worker, "SLICE", 0.0)
    office.tell("measure", d=4, kernel=3)
    office.scheduler.turn()
    office.tell("stop")
    assert office.scheduler.running == []


def test_runs_are_seen_for_the_first_time_in_the_order_of_their_coming(office, monkeypatch):
    """With all in turn, all would be seen only when all have been built."""
    monkeypatch.setattr(worker, "SLICE", 0.0)
    names = [f"run {n}" for n in range(5)]
    for name in names:
        office.start(run=name)
    turns, seen = 0, dict[str, int]()
    while len(seen) < len(names):
        office.scheduler.turn()
        turns += 1
        for header, arrays in office.sent:
            if "loss" in arrays:
                seen.setdefault(header["run"], turns)
    assert list(seen) == names
    assert max(seen.values()) > min(seen.values())


@pytest.mark.parametrize("kind", ["decoder", "encoder"])
def test_a_model_of_one_stack_is_trained_in_turn_and_handed_from_one_worker_to_another(kind, office, monkeypatch):
    monkeypatch.setattr(worker, "SLICE", 0.0)
    monkeypatch.setattr(row_config, "FIRST_MOMENT", 2)
    config = RowConfig(kind=kind, N=1, d_model=12, h=3, batch=4, steps=5, warmup=2, tied=True, experts=3)
    office.start()
    office.start(config, "row", until=3)
    office.work()
    assert (office.last("row")[0]["state"], office.last("row")[0]["step"]) == ("paused", 3)
    job = office.scheduler.jobs["row"]
    office.scheduler.jobs["row"] = worker.TrainingJob.unpacked(job.packed().tobytes())
    office.tell("resume", "row")
    office.work()
    of_row = [(header["step"], arrays) for header, arrays in office.sent if header["run"] == "row"]
    columns = [{name: arrays[name] for name in RowHistory._fields} for _, arrays in of_row if "step" in arrays]
    told = reduce(RowHistory.then, [RowHistory(**each) for each in columns])
    sent = {step: arrays["weights"] for step, arrays in of_row if "weights" in arrays}
    run = RowRun(config)
    expected, at = [], {}
    for report in run.work():
        expected.append(report)
        at[run.step] = weights(run.model)
    np.testing.assert_array_equal(told.table, RowHistory.of(expected).table)
    assert {*config.moments[1:], 3} == {2, 3, 4, 5} <= sent.keys()
    for step, one in sent.items():
        np.testing.assert_array_equal(one, at[step])
    assert office.scheduler.jobs == {}


def test_settings_of_a_row_that_make_no_sense_fail(office, caplog):
    office.tell("start", "row", config={"kind": "decoder", "d_model": -1}, until=None, want="reports")
    assert office.last("row")[0]["state"] == "failed"
