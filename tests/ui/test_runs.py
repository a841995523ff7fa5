"""Readers' runs through a real worker: watched, steered, lost and brought back."""

import os
import signal
import threading
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from transformer_core.train import train, train_to
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from ui.cache import ValueCache
from ui.training_service import runs as runs_module
from ui.training_service.local_engine import LocalEngine
from ui.training_service.queue import FORSAKEN, Refused, Slots
from ui.training_service.runs import Runs

LONG = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=5000, warmup=5)
SHORT = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=20, warmup=5)
AGES = 300.0  # seconds; only a broken program, or a machine with far too much to do, waits as long


@pytest.fixture(scope="module")
def shared():
    runs = Runs(partial(LocalEngine, count=1), grace=0.0, store=ValueCache())
    runs.patience = AGES
    runs.warm()
    yield runs
    runs.close()


@pytest.fixture
def runs(shared):
    """One worker for all tests, without the runs of the test before."""
    for run in list(shared._records):
        shared.forget(run)
    shared._grace = 0.0
    shared._cache.clear()
    shared.slots = Slots()
    return shared


def ended(runs, run):
    return runs.wait(run, lambda seen: not seen.active, AGES)


def under_way(runs, run, step=1):
    return runs.wait(run, lambda seen: seen.step >= step, AGES)


def weights(model):
    return torch.nn.utils.parameters_to_vector(model.parameters()).detach()


def kill(runs, run):
    os.kill(runs._records[run].worker.pid, signal.SIGKILL)
    return runs.wait(run, lambda seen: seen.state == "lost", AGES)


def test_a_run_is_watched_to_its_end(runs):
    run = runs.start(SHORT)
    seen = ended(runs, run)
    assert (seen.state, seen.step) == ("done", 20)
    np.testing.assert_array_equal(seen.history.step, np.arange(21))
    assert seen.history.exact_match[-1] >= 0
    model, step = runs.latest(run)
    assert step == 20
    assert not model.training
    assert torch.equal(weights(model), weights(train_to(SHORT, 20)))


def test_readers_with_the_same_settings_steer_runs_of_their_own(runs):
    mine, yours = runs.start(LONG), runs.start(LONG)
    runs.pause(mine)
    under_way(runs, yours)
    assert (runs.snapshot(mine).state, runs.snapshot(yours).state) == ("paused", "running")


def test_many_runs_all_move(runs):
    names = [runs.start(TrainConfig(seed=seed, steps=5000)) for seed in range(5)]
    for name in names:
        assert under_way(runs, name, step=5).state == "running"


def test_pause_step_resume_and_stop_show_at_once(runs):
    run = runs.start(LONG)
    under_way(runs, run)
    runs.pause(run)
    paused = runs.snapshot(run)
    assert paused.state == "paused"
    model, step = runs.latest(run)
    assert step == paused.step
    assert torch.equal(weights(model), weights(train_to(LONG, step)))
    runs.step(run)
    assert (runs.snapshot(run).state, runs.snapshot(run).step) == ("paused", paused.step + 1)
    runs.resume(run)
    assert runs.snapshot(run).state == "running"
    under_way(runs, run, paused.step + 2)
    runs.stop(run)
    stopped = runs.snapshot(run)
    assert stopped.state == "stopped"
    assert runs.latest(run)[1] == stopped.step == stopped.history.step[-1]


def test_a_run_can_be_told_to_pause_at_a_step(runs):
    run = runs.start(LONG, until=8)
    seen = runs.wait(run, lambda seen: seen.state == "paused", AGES)
    assert seen.step == 8


def test_commands_to_a_run_that_has_ended_change_nothing(runs):
    run = runs.start(SHORT)
    seen = ended(runs, run)
    for command in (runs.pause, runs.resume, runs.step, runs.stop, runs.restart):
        command(run)
    assert runs.snapshot(run) is seen


def test_commands_to_a_run_that_is_forgotten_change_nothing(runs):
    run = runs.start(LONG)
    runs.forget(run)
    for command in (runs.pause, runs.resume, runs.step, runs.stop, runs.restart):
        command(run)
    assert runs.snapshot(run) is None
    assert runs.wait(run, lambda seen: seen.state == "done", AGES) is None
    assert runs.latest(run) is None


def test_a_run_that_failed_says_why_and_keeps_its_reports(runs):
    run = runs.start(LONG)
    under_way(runs, run, 3)
    runs._hear(runs._records[run].worker, {"run": run, "state": "failed", "step": 3, "reason": "diverged"}, {})
    seen = runs.snapshot(run)
    assert (seen.state, seen.reason) == ("failed", "diverged")
    assert len(seen.history.step) > 3


def test_a_snapshot_never_changes(runs):
    run = runs.start(LONG)
    early = under_way(runs, run, 3)
    step, losses = early.step, early.history.loss.copy()
    under_way(runs, run, step + 20)
    assert early.step == step
    np.testing.assert_array_equal(early.history.loss, losses)


@pytest.mark.long
def test_a_dead_worker_is_reported_and_its_runs_come_back_as_they_were(runs):
    linked = replace(LONG, seed=3)
    running, paused, done = runs.start(LONG), runs.start(LONG), runs.start(SHORT)
    ended(runs, done)
    under_way(runs, paused, 10)
    runs.pause(paused)
    under_way(runs, running, 30)
    assert runs.model(linked, 4000, 0.0) is None
    halted = runs.snapshot(paused)
    lost = kill(runs, running)
    assert lost.step >= 30
    assert (runs.snapshot(paused).state, runs.snapshot(done).state) == ("lost", "done")
    np.testing.assert_array_equal(runs.snapshot(paused).history.loss, halted.history.loss)
    assert runs.latest(paused)[1] == halted.step, "the model can still be used"

    with pytest.raises(Refused, match="lost"):
        runs.model(linked, 4000, AGES)
    assert runs.model(linked, 4000, 0.0) is None, "refused once, and then trained again"
    assert ended(runs, runs.start(SHORT)).state == "done"
    runs.restart(running)
    runs.restart(paused)
    back = runs.wait(paused, lambda seen: seen.state == "paused", AGES)
    assert back.step == halted.step
    np.testing.assert_array_equal(back.history.loss, halted.history.loss)
    further = under_way(runs, running, lost.step + 1)
    np.testing.assert_array_equal(further.history.step, np.arange(further.step + 1))
    np.testing.assert_array_equal(further.history.loss[: lost.step + 1], lost.history.loss)


def test_any_moment_of_any_run_can_be_had(runs):
    for step in (0, 7, 20):
        model = runs.model(SHORT, step, AGES)
        assert torch.equal(weights(model), weights(train_to(SHORT, step)))
    assert runs.model(SHORT, 7, 0.0) is model or runs.model(SHORT, 20, 0.0) is model, "it is kept"


def test_many_readers_of_one_link_cause_one_training(runs):
    models = []
    threads = [threading.Thread(target=lambda: models.append(runs.model(SHORT, 15, AGES))) for _ in range(6)]
    for thread in threads:
        thread.start()
    assert len(runs._records) <= 1
    for thread in threads:
        thread.join()
    assert len(models) == 6
    assert all(torch.equal(weights(model), weights(models[0])) for model in models)


def test_a_moment_that_takes_long_is_none_until_it_is_there(runs):
    assert runs.model(LONG, 120, 0.0) is None
    assert runs.model(LONG, 120, AGES) is not None


def test_a_run_for_a_link_ends_when_nobody_asks_for_it_any_more(runs, monkeypatch):
    monkeypatch.setattr(runs_module, "UNASKED", 0.2)
    assert runs.model(LONG, 4000, 0.0) is None
    (run,) = runs._records
    with runs._changed:
        assert runs._changed.wait_for(lambda: runs.snapshot(run) is None, AGES)


def test_a_run_for_a_link_goes_on_while_it_is_asked_for(runs, monkeypatch):
    monkeypatch.setattr(runs_module, "UNASKED", AGES)
    assert runs.model(LONG, 4000, 0.0) is None
    (run,) = runs._records
    monkeypatch.setattr(runs_module, "UNASKED", 2 * AGES)
    first = runs._records[run].leaving
    assert runs.model(LONG, 4000, 0.0) is None
    assert first.finished.is_set()  # put off
    assert runs._records[run].leaving.interval == 2 * AGES


def test_one_run_too_many_waits_and_is_trained_when_another_has_ended(runs):
    runs.slots = Slots(reports=1)
    first, second = runs.start(LONG), runs.start(SHORT)
    assert (runs.snapshot(first).state, runs.snapshot(second).state) == ("running", "waiting")
    runs.stop(first)
    assert ended(runs, second).step == 20


def test_a_run_for_whose_memory_there_is_no_room_waits_and_a_small_one_passes_it(runs):
    notes = TrainConfig.notes()
    runs.slots = Slots(large=notes.memory)
    first, second = runs.start(notes), runs.start(replace(notes, seed=1))
    small = runs.start(LONG)
    assert [runs.snapshot(run).state for run in (first, second, small)] == ["running", "waiting", "running"]
    runs.stop(first)
    assert runs.snapshot(second).state == "running"


def test_a_run_that_can_never_fit_is_refused_for_good(runs):
    notes = TrainConfig.notes()
    runs.slots = Slots(large=notes.memory - 1)
    for ask in (lambda: runs.start(notes), lambda: runs.model(notes, 3, 0.0), lambda: runs.first_look(notes, 0.0)):
        with pytest.raises(Refused) as refusal:
            ask()
        assert (refusal.value.reason, refusal.value.passing) == ("too_big", False)
    assert runs._records == {}


def test_links_leave_readers_their_places_and_wait_for_their_own(runs):
    runs.slots = Slots(reports=3, linked=1, weights=1, look=1)
    moments = [replace(LONG, seed=seed) for seed in range(4)]
    assert [runs.model(config, 4000, 0.0) for config in moments] == [None] * 4
    runs.start(LONG, linked=True)
    with pytest.raises(Refused) as refusal:
        runs.start(SHORT, linked=True)
    assert (refusal.value.reason, refusal.value.passing) == ("linked", True)
    assert sum(record.purpose == "weights" and record.snapshot.placed for record in runs._records.values()) == 1
    assert ended(runs, runs.start(SHORT)).state == "done", "a reader's own"
    assert runs.first_look(SHORT, AGES) is not None


def test_a_link_that_nobody_asks_about_gives_its_place_to_the_next(runs):
    runs.slots = Slots(weights=1)
    assert runs.model(LONG, 4000, 0.0) is None
    (record,) = runs._records.values()
    record.asked -= 2 * FORSAKEN
    assert runs.model(SHORT, 5, AGES) is not None


def test_the_first_look_is_the_first_report_of_the_run(runs):
    look = runs.first_look(SHORT, AGES)
    expected = History.of([next(train(SHORT))])
    for name in History._fields:
        np.testing.assert_array_equal(getattr(look, name), getattr(expected, name), name)
    assert runs.first_look(SHORT, 0.0) is look


def test_weights_of_many_runs_stay_within_the_budget_and_can_be_had_again(runs):
    runs._cache.budget = 3 * 4 * SHORT.parameters
    try:
        for seed in range(8):
            runs.model(replace(SHORT, seed=seed), 5, AGES)
            assert runs._cache.size <= runs._cache.budget
        assert torch.equal(weights(runs.model(SHORT, 5, AGES)), weights(train_to(SHORT, 5)))
    finally:
        runs._cache.budget = ValueCache().budget


def test_a_model_shares_the_memory_of_the_weights_that_came_for_it(runs):
    run = runs.start(SHORT)
    ended(runs, run)
    kept = runs._cache.get((SHORT, 20))
    model, _ = runs.latest(run)
    assert next(model.parameters()).untyped_storage().data_ptr() == kept.untyped_storage().data_ptr()


def test_a_run_ends_some_time_after_its_reader_has_gone(runs):
    run = runs.start(LONG)
    runs.leave(run)
    with runs._changed:
        runs._changed.wait_for(lambda: run not in runs._records, AGES)
    assert run not in runs._records


def test_a_reader_who_comes_back_finds_his_run_and_nobody_else_does(runs):
    runs._grace = AGES
    run, other = runs.start(LONG, owner="mine"), runs.start(SHORT, owner="mine")
    assert runs.adopt(LONG, "mine") is None, "its reader is still there"
    runs.leave(run)
    runs.leave(other)
    runs.leave(runs.start(LONG))  # of who cannot be known again
    assert runs.adopt(LONG, "yours") is None
    assert runs.adopt(LONG, None) is None
    assert runs.adopt(LONG, "mine") == run
    assert runs.adopt(LONG, "mine") is None
