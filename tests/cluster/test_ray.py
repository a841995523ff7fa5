"""Runs as actors of a Ray cluster: as those of this machine's workers in every bit, on whatever node."""

import os
import platform
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import ray
import torch

from tests.cluster.conftest import AGES, Machines, connected, engine, until
from tests.cluster.trainers import trainers
from transformer_core.experiments.sequence_layers import LAYERS
from transformer_core.train import train, train_to
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from ui.training_service.registry import Snapshot
from ui.training_service.runs import Runs

LONG = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=5000, warmup=5)
SHORT = replace(LONG, steps=20)
OTHER_VERSION = """
import sys
from unittest import mock
from ui.training_service.ray import bridge
with mock.patch.object(bridge, "versions", lambda: {"torch": "1.0"}):
    bridge.main()
"""
FROZEN = """
from ui.training_service.ray import bridge, carried_runs
carried_runs.SILENCE = 2.0
bridge.main()
"""
NO_REST = """
from ui.training_service.ray import bridge, carried_runs
carried_runs.AT_REST = 0.0
bridge.main()
"""
ENDS_UNHEARD = """
import os, pathlib, sys
from ui.training_service.ray import bridge
ended = pathlib.Path(sys.argv.pop(1))
class Trainer(bridge.Trainer):
    def place(self):
        if len(said := ended.read_text()) == 2:
            return super().place()
        ended.write_text(said + "x")
        os._exit(1)
bridge.Trainer = Trainer
bridge.main()
"""


def under_way(runs: Runs, run: str, step: int = 1) -> Snapshot | None:
    return runs.wait(run, lambda seen: seen.step >= step or not seen.active, AGES)


def ended(runs: Runs, run: str) -> Snapshot | None:
    return runs.wait(run, lambda seen: not seen.active, AGES)


def lost(runs: Runs, run: str) -> Snapshot | None:
    return runs.wait(run, lambda seen: seen.state == "lost", AGES)


def states(runs: Runs, *names: str) -> list[str]:
    return [runs.snapshot(name).state for name in names]


def curve(history: History) -> list[np.ndarray]:
    """All but how fast it was."""
    return list(history._replace(tokens_per_second=np.empty(0)))


def same(a: History, b: History) -> None:
    for one, other in zip(curve(a), curve(b), strict=True):
        np.testing.assert_array_equal(one, other)


def alike(one: torch.nn.Module | None, other: torch.nn.Module | None) -> None:
    for mine, theirs in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_the_machines_are_on_the_loopback_alone(machines: Machines) -> None:
    with ray.init(machines.address, log_to_driver=False):
        assert [node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]] == ["127.0.0.1"] * 3


def test_a_run_on_a_node_is_the_run_of_this_machine_to_the_bit_and_says_where_it_was(runs: Runs) -> None:
    seen = ended(runs, run := runs.start(SHORT))
    assert (seen.state, seen.step, seen.place) == ("done", 20, platform.node())
    same(seen.history, History.of(list(train(SHORT))))
    alike(runs.model(SHORT, 20), train_to(SHORT, 20))
    assert runs.latest(run) == (runs.model(SHORT, 20), 20)


def test_a_run_is_paused_taken_on_and_stopped_while_it_trains(runs: Runs) -> None:
    run = runs.start(LONG)
    under_way(runs, run, 3)
    runs.pause(run)
    paused = runs.snapshot(run)
    assert paused.state == "paused"
    assert runs._records[run].weights_step == paused.step
    runs.step(run)
    assert (runs.snapshot(run).state, runs.snapshot(run).step) == ("paused", paused.step + 1)
    runs.resume(run)
    under_way(runs, run, paused.step + 5)
    runs.stop(run)
    assert runs.snapshot(run).state == "stopped"
    until(lambda: not trainers())


def test_runs_without_a_free_processor_wait_and_it_is_said(runs: Runs) -> None:
    a, b = (runs.start(replace(LONG, seed=seed)) for seed in (1, 2))
    under_way(runs, a)
    under_way(runs, b)
    assert runs.engine.count == 2
    c = runs.start(replace(SHORT, seed=3))
    runs.wait(c, lambda seen: seen.state == "queued", AGES)
    assert states(runs, a, b, c) == ["running", "running", "queued"]
    runs.stop(a)
    assert ended(runs, c).state == "done"
    assert states(runs, b) == ["running"]


def test_a_paused_run_gives_its_processor_to_others_and_goes_on_as_if_it_had_kept_it(on: Callable[..., Runs]) -> None:
    runs, config = connected(on(command=[sys.executable, "-c", NO_REST])), replace(LONG, steps=200, dropout=0.1)
    a, b = (runs.start(replace(config, seed=seed)) for seed in (1, 2))
    for run in (a, b):
        under_way(runs, run, 3)
        runs.pause(run)
    c = runs.start(replace(SHORT, seed=3))
    assert ended(runs, c).state == "done"
    assert states(runs, a, b) == ["paused", "paused"]
    at = runs.snapshot(a).step
    runs.step(a)
    assert (runs.snapshot(a).state, runs.snapshot(a).step) == ("paused", at + 1)
    runs.resume(a)
    seen = ended(runs, a)
    assert seen.state == "done"
    whole = History.of(list(train(seen.config)))
    for name in ("loss", "gradient_norm", "exact_match"):  # where it rested it was looked at besides
        np.testing.assert_array_equal(getattr(seen.history, name), getattr(whole, name))
    alike(runs.model(seen.config, seen.step), train_to(seen.config, seen.step))
    runs.stop(b)
    assert states(runs, b) == ["stopped"]
    until(lambda: not trainers())


def test_one_that_waits_can_be_ended_and_takes_no_place_later(runs: Runs) -> None:
    a, b, c = (runs.start(replace(LONG, seed=seed)) for seed in (1, 2, 3))

    def queued() -> list[str]:
        return [run for run, state in zip((a, b, c), states(runs, a, b, c)) if state == "queued"]

    until(lambda: len(queued()) == 1 and sum(state == "running" for state in states(runs, a, b, c)) == 2)
    (waiting,) = queued()
    runs.stop(waiting)
    for run in {a, b, c} - {waiting}:
        runs.stop(run)
    until(lambda: not trainers())
    assert runs.snapshot(waiting).step == 0


def test_two_servers_find_the_same_run_by_the_same_link(on: Callable[..., Runs]) -> None:
    replicas = connected(on()), connected(on())
    seen = [ended(runs, runs.start(SHORT, linked=True)) for runs in replicas]
    assert [each.state for each in seen] == ["done"] * 2
    same(seen[0].history, seen[1].history)
    alike(*(runs.model(SHORT, 13) for runs in replicas))


def test_a_node_measures_layers_too(runs: Runs) -> None:
    heard: list[tuple[str, list[str]]] = []
    runs.start_background_task(lambda state, arrays: heard.append((state, list(arrays))), do="measure", d=8, kernel=3)
    until(lambda: heard and heard[-1][0] != "running")
    assert heard[-1][0] == "done"
    assert sum(arrays == ["points"] for _, arrays in heard) >= len(LAYERS)


def test_a_run_whose_process_was_killed_is_lost_and_comes_back_the_same(runs: Runs) -> None:
    config = replace(LONG, steps=300)
    under_way(runs, run := runs.start(config), 3)
    (process,) = trainers()
    os.kill(process, signal.SIGKILL)
    assert lost(runs, run).step >= 3
    runs.restart(run)
    seen = ended(runs, run)
    assert seen.state == "done"
    same(seen.history, History.of(list(train(config))))


def test_an_actor_that_ended_before_its_first_word_is_begun_again_with_all_it_was_told(
    on: Callable[..., Runs], tmp_path: Path
) -> None:
    """As on a node that has died and is not missed yet."""
    (ended_twice := tmp_path / "ended").touch()
    runs = connected(on(command=[sys.executable, "-c", ENDS_UNHEARD, str(ended_twice)]))
    seen = ended(runs, runs.start(SHORT))
    assert (seen.state, seen.step) == ("done", 20)
    same(seen.history, History.of(list(train(SHORT))))
    assert ended_twice.read_text() == "xx"


def test_a_run_that_falls_silent_is_lost(on: Callable[..., Runs], caplog: pytest.LogCaptureFixture) -> None:
    """No connection is broken by it: a cable is pulled, or a process hangs."""
    runs = connected(on(command=[sys.executable, "-c", FROZEN]))
    under_way(runs, run := runs.start(LONG), 3)
    (process,) = trainers()
    os.kill(process, signal.SIGSTOP)
    try:
        assert lost(runs, run).step >= 3
    finally:
        os.kill(process, signal.SIGKILL)
    assert "it has not said a word for too long" in caplog.text


def test_the_runs_of_a_node_that_died_come_back_on_another_one(machines: Machines, runs: Runs) -> None:
    both = [runs.start(replace(LONG, seed=seed)) for seed in (1, 2)]
    for run in both:
        under_way(runs, run, 3)
    machines.pull_the_plug(machines.trainers.pop())
    until(lambda: "lost" in states(runs, *both))
    assert sorted(states(runs, *both)) == ["lost", "running"]
    (gone,) = (run for run in both if runs.snapshot(run).state == "lost")
    before = runs.snapshot(gone).step
    runs.restart(gone)
    machines.trainers.append(machines.another())
    assert under_way(runs, gone, before + 3).state == "running"
    expected = History.of([report for report, _ in zip(train(runs.snapshot(gone).config), range(before + 4))])
    np.testing.assert_array_equal(runs.snapshot(gone).history.loss[: before + 4], expected.loss)
    assert runs.snapshot(({*both} - {gone}).pop()).state == "running"


def test_a_node_of_another_version_is_refused_and_the_server_trains_by_itself(
    on: Callable[..., Runs], caplog: pytest.LogCaptureFixture
) -> None:
    runs = connected(on(command=[sys.executable, "-c", OTHER_VERSION]))
    run = runs.start(SHORT)
    lost(runs, run)
    assert runs.engine.trouble == "versions"
    assert f"torch is 1.0 at the server and {torch.__version__} at the node" in caplog.text
    runs.restart(run)
    seen = ended(runs, run)
    assert (seen.state, seen.place) == ("done", "")


def test_runs_are_trained_here_where_no_cluster_answers(
    on: Callable[..., Runs], caplog: pytest.LogCaptureFixture
) -> None:
    runs = on("127.0.0.1:1")
    runs.warm()
    until(lambda: runs.engine.trouble == "away")
    assert "this machine trains by itself" in caplog.text
    seen = ended(runs, runs.start(SHORT))
    assert (seen.state, seen.place) == ("done", "")


def test_runs_are_trained_here_once_the_cluster_has_gone(on: Callable[..., Runs]) -> None:
    other = Machines()
    try:
        runs = connected(on(other.address, retry=1.0))
        under_way(runs, run := runs.start(LONG), 3)
        other.shutdown()
        assert lost(runs, run).step >= 3
        until(lambda: runs.engine.trouble == "away")
        assert ended(runs, runs.start(SHORT)).place == ""
    finally:
        other.shutdown()


def test_a_server_finds_the_cluster_again_after_it_has_lost_touch(on: Callable[..., Runs]) -> None:
    runs = connected(on(retry=0.1))
    under_way(runs, run := runs.start(LONG), 3)
    os.kill(engine(runs)._bridge.pid, signal.SIGKILL)
    lost(runs, run)
    connected(runs)
    assert runs.engine.trouble == ""
    assert ended(runs, runs.start(SHORT)).place == platform.node()
