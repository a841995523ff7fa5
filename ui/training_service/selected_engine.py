"""Which engine trains the runs of this server: GLASSFORMER_RAY is the address of a Ray cluster, HOST:PORT."""

import os

from ui.training_service.engine import Engine, Hear, Lose
from ui.training_service.local_engine import Processes
from ui.training_service.ray.ray_engine import Cluster


def chosen(hear: Hear, lose: Lose) -> Engine:
    address = os.environ.get("GLASSFORMER_RAY", "").strip()
    return Cluster(hear, lose, address=address) if address else Processes(hear, lose)
