"""A run of a model of one stack is paused, left, lost and gone on with as every run is, by all readers together."""

from functools import partial

import numpy as np
import pytest
from torch.nn.utils import parameters_to_vector

from tests.in_process import InProcess
from transformer_core.training import row_config, row_run
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_run import RowHistory, RowRun
from ui.cache import ValueCache
from ui.training_service import worker
from ui.training_service.queue import Slots
from ui.training_service.row_runs import RowRuns
from ui.training_service.runs import Runs

GPT = RowConfig(N=1, d_model=12, h=3, batch=4, steps=9, warmup=2, tied=True)
SET = [GPT, RowConfig("encoder", N=1, d_model=8, h=2, batch=5, steps=7, warmup=1, experts=3, positions="learned")]


class Server:
    """A server with a worker in this process, which takes one step a turn."""

    def __init__(self) -> None:
        self.runs = Runs(InProcess, grace=0.0, store=ValueCache())
        self.rows = RowRuns(self.runs)

    @property
    def worker(self) -> InProcess:
        assert isinstance(self.runs.engine, InProcess)
        return self.runs.engine

    def at(self, config: RowConfig) -> tuple[str, int]:
        seen = self.rows.look(config)
        return ("gone", 0) if seen is None else (seen.state, seen.step)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr(worker, "SLICE", 0.0)
    monkeypatch.setattr(row_config, "FIRST_MOMENT", 3)
    monkeypatch.setattr(row_run, "FINAL_ROWS", 6)
    return Server()


def whole(config: RowConfig) -> tuple[RowHistory, dict[int, np.ndarray]]:
    """What the run tells where nobody stops it, and its weights after each step."""
    run, told, weights = RowRun(config), [], {}
    for report in run.work():
        told.append(report)
        weights[run.step] = parameters_to_vector(run.model.parameters()).detach().numpy()
    return RowHistory.of(told), weights


def holds_to_the_bit(server: Server, config: RowConfig, step: int) -> None:
    told, weights = whole(config)
    seen = server.rows.look(config)
    assert seen is not None
    for name, column in seen.history._asdict().items():
        np.testing.assert_array_equal(column, getattr(told, name)[:step], name)
    for moment in {*config.moments[1:], step}:
        if moment <= step:
            found = server.rows.model(config, moment)
            assert found is not None
            assert found.step == moment
            given = parameters_to_vector(found.model.parameters()).detach().numpy()
            np.testing.assert_array_equal(given, weights[moment])


@pytest.mark.parametrize("config", SET, ids=lambda config: config.kind)
def test_a_paused_run_goes_on_to_the_same_end(server: Server, config: RowConfig) -> None:
    server.rows.begin(config, "a")
    server.worker.work(5)
    server.rows.pause(config, "a")
    assert server.at(config) == ("paused", 5)
    holds_to_the_bit(server, config, 5)
    server.worker.work(3)  # nothing is to be done
    assert server.at(config) == ("paused", 5)
    server.rows.begin(config, "a")
    server.worker.work()
    assert server.at(config) == ("done", config.steps)
    holds_to_the_bit(server, config, config.steps)


def test_a_run_whose_worker_dies_keeps_its_reports_and_is_trained_again_to_the_same_end(server: Server) -> None:
    server.rows.begin(GPT, "a")
    server.worker.work(4)
    server.worker.die()
    assert server.at(GPT) == ("lost", 4)
    seen = server.rows.look(GPT)
    assert seen is not None
    assert len(seen.history.step) == 4
    server.rows.begin(GPT, "a")
    server.worker.work(2)
    assert server.at(GPT) == ("running", 4)  # where it had been is not told twice
    server.worker.work()
    holds_to_the_bit(server, GPT, GPT.steps)


def test_a_paused_run_whose_worker_dies_rests_where_it_rested(server: Server) -> None:
    server.rows.begin(GPT, "a")
    server.worker.work(4)
    server.rows.pause(GPT, "a")
    server.worker.die()
    server.rows.begin(GPT, "a")
    server.worker.work()
    assert server.at(GPT) == ("paused", 4)


def test_a_run_rests_when_nobody_waits_and_goes_on_for_who_still_does(server: Server) -> None:
    for reader in "ab":
        server.rows.begin(GPT, reader)
    server.worker.work(2)
    server.rows.pause(GPT, "a")
    assert server.at(GPT) == ("running", 2)
    assert [server.rows.waits(GPT, reader) for reader in "ab"] == [False, True]
    server.rows.pause(GPT, "b")
    assert server.at(GPT) == ("paused", 2)
    server.rows.begin(GPT, "a")
    assert [server.rows.waits(GPT, reader) for reader in "ab"] == [True, False]
    assert len([command for command in server.worker.sent if command["do"] == "start"]) == 1


@pytest.mark.parametrize("paused", [False, True])
def test_a_run_ends_after_its_last_reader_has_left_unless_one_comes_back(server: Server, paused: bool) -> None:
    for reader in "ab":
        server.rows.begin(GPT, reader)
    server.worker.work(2)
    if paused:
        for reader in "ab":
            server.rows.pause(GPT, reader)
    server.rows.leave("a")
    run = server.rows.look(GPT)
    assert run is not None
    assert server.runs._records[run.run].leaving is None
    server.runs._grace = 300.0
    server.rows.leave("b")
    assert server.runs._records[run.run].leaving is not None
    server.rows.stay("b")
    assert server.runs._records[run.run].leaving is None
    server.runs._grace = 0.0
    server.rows.leave("b")
    assert server.runs.wait(run.run, lambda _: False, 300.0) is None
    assert server.at(GPT) == ("gone", 0)
    assert server.worker.scheduler.jobs == {}


def test_what_has_come_to_its_end_is_known_to_all_and_can_be_trained_again(server: Server) -> None:
    server.rows.begin(GPT, "a")
    server.worker.work()
    server.rows.leave("a")
    assert server.at(GPT) == ("done", 9)
    server.rows.begin(GPT, "b")
    assert server.at(GPT) == ("running", 0)


def test_a_run_waits_for_a_place_like_any_other_and_can_leave_the_line(server: Server) -> None:
    server.runs.slots = Slots(reports=1)
    first, second = GPT, SET[1]
    for config in (first, second):
        server.rows.begin(config, "a")
    assert [server.at(config)[0] for config in (first, second)] == ["running", "waiting"]
    server.rows.pause(second, "a")
    assert server.at(second) == ("gone", 0)
    server.rows.begin(second, "a")
    server.worker.work()
    assert server.at(second) == ("done", 7)


def test_a_model_that_had_to_make_room_is_trained_again(server: Server) -> None:
    server.rows.begin(GPT, "a")
    server.worker.work()
    server.runs._cache.clear()
    ask = partial(server.runs.model, GPT, 6, 0.0)
    assert ask() is None
    server.worker.work()
    found = ask()
    assert found is not None
    np.testing.assert_array_equal(parameters_to_vector(found.parameters()).detach(), whole(GPT)[1][6])
