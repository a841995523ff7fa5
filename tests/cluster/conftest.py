"""A cluster of Ray's on this machine alone: two nodes that know of each other by 127.0.0.1 and nothing beyond it."""

import os
from collections.abc import Iterator

import pytest

from ui.server.memory import MB

os.environ |= {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # what Ray does there by default: its nodes have the loopback's address
}

from ray.cluster_utils import Cluster

NODE = {"num_cpus": 1, "object_store_memory": 80 * MB, "include_dashboard": False}


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A head and one more node, a CPU each."""
    made = Cluster(initialize_head=True, head_node_args=NODE)
    made.add_node(**NODE)
    yield made
    made.shutdown()
