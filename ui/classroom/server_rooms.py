"""The rooms that a class finds, whichever server its readers are at."""

from ui.classroom.rooms import Rooms
from ui.training_service.ray.ray_engine import RayEngine
from ui.training_service.ray.shared_rooms import SharedRooms
from ui.training_service.runs import all_runs

# Made at once: two who ask for them first at the same moment would else each have their own.
_rooms = SharedRooms(all_runs.engine) if isinstance(all_runs.engine, RayEngine) else Rooms()


def rooms() -> Rooms:
    """The only way to them."""
    return _rooms
