"""Which engine trains the runs of this server: GLASSFORMER_RAY is the address of a Ray cluster, HOST:PORT."""

import os

from ui.server.cluster.engine import Cluster
from ui.server.engine import Engine, Hear, Lose
from ui.server.local import Processes


def chosen(hear: Hear, lose: Lose) -> Engine:
    address = os.environ.get("GLASSFORMER_RAY", "").strip()
    return Cluster(hear, lose, address=address) if address else Processes(hear, lose)
