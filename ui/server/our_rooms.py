"""The rooms that a class finds, whichever server its readers are at."""

from functools import cache

from ui.server.cluster.engine import Cluster
from ui.server.cluster.rooms import SharedRooms
from ui.server.rooms import Rooms
from ui.server.runs import all_runs


@cache
def rooms() -> Rooms:
    """The only way to them."""
    engine = all_runs.engine
    return SharedRooms(engine) if isinstance(engine, Cluster) else Rooms()
