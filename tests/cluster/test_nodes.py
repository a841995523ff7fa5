"""What is asked of Ray itself."""

import ray
from ray.cluster_utils import Cluster


def test_a_cluster_of_two_nodes_is_on_the_loopback_alone(cluster: Cluster) -> None:
    with ray.init(cluster.address, log_to_driver=False):
        nodes = ray.nodes()
        assert [node["NodeManagerAddress"] for node in nodes if node["Alive"]] == ["127.0.0.1"] * 2
