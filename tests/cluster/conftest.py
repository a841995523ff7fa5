"""A cluster of Ray's on this machine alone: its nodes know of each other by 127.0.0.1 and of nothing beyond it."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.cluster.trainers import processes
from ui.cache import ValueCache
from ui.training_service.memory_budget import MB
from ui.training_service.ray.ray_engine import RayEngine
from ui.training_service.runs import Runs

os.environ |= {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # what Ray does there by default: its nodes have the loopback's address
}

import ray.cluster_utils

AGES = 300.0  # seconds; only a broken program, or a machine with far too much to do, waits as long


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + AGES
    while not true():
        assert time.monotonic() < end, "what was waited for has not come"
        time.sleep(0.02)


class Machines(ray.cluster_utils.Cluster):  # type: ignore[misc]  # of Ray no types are known
    """A head that trains nothing, and two nodes with a processor each."""

    def __init__(self) -> None:
        soon = {"health_check_period_ms": 1000, "health_check_timeout_ms": 2000, "health_check_failure_threshold": 3}
        super().__init__(initialize_head=True, head_node_args={**self.of(0), "_system_config": soon})
        self.trainers = [self.another() for _ in range(2)]

    def another(self) -> Any:
        return self.add_node(**self.of(1))

    def pull_the_plug(self, node: Any) -> None:
        """All that runs on it ends at once."""
        raylet = node.all_processes["raylet"][0].process.pid
        for pid in [raylet, *(process.pid for process in processes() if process.parent == raylet)]:
            os.kill(pid, signal.SIGKILL)

    @staticmethod
    def of(cpus: int) -> dict[str, Any]:
        return {"num_cpus": cpus, "object_store_memory": 80 * MB, "include_dashboard": False}


@pytest.fixture(scope="session")
def machines() -> Iterator[Machines]:
    made = Machines()
    yield made
    made.shutdown()


def engine(runs: Runs) -> RayEngine:
    assert isinstance(runs.engine, RayEngine)
    return runs.engine


def connected(runs: Runs) -> Runs:
    """Once it has a cluster to train on."""
    runs.warm()
    until(lambda: engine(runs)._usable)
    return runs


@pytest.fixture
def on(machines: Machines) -> Iterator[Callable[..., Runs]]:
    """Makes the runs of a server, with this cluster unless told another address."""
    made: list[Runs] = []

    def make(address: str = machines.address, **options: Any) -> Runs:
        made.append(Runs(partial(RayEngine, address=address, **options), grace=0.0, store=ValueCache()))
        made[-1].patience = AGES
        return made[-1]

    yield make
    for runs in made:
        runs.close()


@pytest.fixture
def runs(on: Callable[..., Runs]) -> Runs:
    return connected(on())
