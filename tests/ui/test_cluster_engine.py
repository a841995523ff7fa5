"""The engine in front of a cluster, by itself: what it does without Ray, and what it makes of messages."""

import importlib.util
import sys
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from transformer_core.training.config import TrainConfig
from ui.cache import ValueCache
from ui.training_service.local_engine import LocalEngine, WorkerProcess
from ui.training_service.ray import ray_engine
from ui.training_service.ray.ray_engine import RayEngine, engine_in_use
from ui.training_service.ray.same_app import difference, versions
from ui.training_service.ray.shared_rooms import SharedRooms
from ui.training_service.runs import Runs

DEAF = (sys.executable, "-c", "import sys; sys.stdin.read()")  # the address that it is told is one argument more
CONFIG = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=20)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Runs]:
    """Of a server with a cluster of which nothing was heard yet."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    local = partial(LocalEngine, count=1, command=DEAF)
    runs = Runs(partial(RayEngine, address="nowhere:1", local=local, command=DEAF), grace=0.0, store=ValueCache())
    runs.patience = 0.0
    runs.warm()
    yield runs
    runs.close()


def hear(runs: Runs, **header: Any) -> None:
    """As if the process that speaks with the cluster had said it."""
    assert isinstance(runs.engine, RayEngine)
    assert runs.engine._bridge is not None
    runs.engine._listen(runs.engine._bridge, header, {})


def name_of(runs: Runs, run: str) -> str:
    worker = runs._records[run].worker
    assert isinstance(worker, ray_engine.RayWorker)
    return worker.name


def test_the_address_of_a_cluster_chooses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for address, kind in (("", LocalEngine), (" ", LocalEngine), ("head:6379", RayEngine)):
        monkeypatch.setenv("GLASSFORMER_RAY", address)
        assert type(engine_in_use(lambda *_: None, lambda *_: None)) is kind


def test_until_the_cluster_is_there_this_machine_trains(runs: Runs) -> None:
    assert isinstance(runs._records[runs.start(CONFIG)].worker, WorkerProcess)
    assert runs.engine.trouble == ""
    hear(runs, cpus=3)
    assert runs.engine.count == 3
    assert name_of(runs, runs.start(CONFIG))


def test_a_run_is_where_it_says_and_waits_while_no_processor_is_free(runs: Runs) -> None:
    hear(runs, cpus=3)
    run = runs.start(CONFIG)
    told = {"worker": name_of(runs, run), "run": run, "step": 0, "reason": ""}
    hear(runs, **told, state="queued")
    seen = runs.snapshot(run)
    assert (seen.state, seen.going, seen.place) == ("queued", True, "")
    hear(runs, **told, state="running", place="node-7")
    seen = runs.snapshot(run)
    assert (seen.state, seen.place) == ("running", "node-7")


def test_a_run_that_is_lost_is_restarted_and_what_its_old_worker_says_is_not_heard(runs: Runs) -> None:
    hear(runs, cpus=3)
    run = runs.start(CONFIG)
    before = name_of(runs, run)
    hear(runs, worker=before, state="lost", reason="a plug was pulled", differs=False)
    assert runs.snapshot(run).state == "lost"
    runs.restart(run)
    assert name_of(runs, run) != before
    hear(runs, worker=before, run=run, step=9, state="running", reason="")
    assert runs.snapshot(run).step == 0
    assert runs.engine.trouble == ""


def test_a_node_of_another_version_gets_no_more_runs_for_a_while(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(ray_engine, "time", SimpleNamespace(monotonic=lambda: now))
    hear(runs, cpus=3)
    run = runs.start(CONFIG)
    hear(runs, worker=name_of(runs, run), state="lost", reason="torch is 1 and 2", differs=True)
    assert runs.engine.trouble == "versions"
    assert isinstance(runs._records[runs.start(CONFIG)].worker, WorkerProcess)
    now += ray_engine.AVOIDED
    assert runs.engine.trouble == ""
    assert name_of(runs, runs.start(CONFIG))


def test_a_cluster_without_processors_or_that_has_gone_is_told_and_left(
    runs: Runs, caplog: pytest.LogCaptureFixture
) -> None:
    hear(runs, cpus=0)
    assert runs.engine.trouble == "away"
    hear(runs, cpus=2)
    assert runs.engine.trouble == ""
    run = runs.start(CONFIG)
    assert name_of(runs, run)
    hear(runs, cpus=0, why="it does not answer")
    assert isinstance(runs.engine, RayEngine)
    assert runs.engine._bridge is not None
    runs.engine._gone(runs.engine._bridge)
    assert runs.snapshot(run).state == "lost"
    assert runs.engine.trouble == "away"
    assert "this machine trains by itself: it does not answer" in caplog.text


def test_where_ray_is_not_installed_it_is_told_and_everything_is_here(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    cluster = RayEngine(lambda *_: None, lambda *_: None, address="head:6379", local=partial(LocalEngine, command=DEAF))
    rooms = SharedRooms(cluster)
    room = rooms.open("teacher") or ""
    assert rooms.has(room)
    assert rooms.at(room, "browser") is not None
    assert cluster.trouble == "away"
    assert "requirements-cluster.txt" in caplog.text
    worker = cluster.worker({})
    assert isinstance(worker, WorkerProcess)
    cluster.close()


def test_machines_train_alike_where_versions_are_the_same() -> None:
    assert difference(versions()) == ""
    assert "torch is 1.0 at the server" in difference({**versions(), "torch": "1.0"})
    assert "glassformer is None at the server" in difference({"torch": versions()["torch"]})
