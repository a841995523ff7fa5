"""The rooms of classes where several servers serve one class: one named actor of the cluster keeps them."""

from collections.abc import Callable
from typing import Any

from ui.server.cluster.engine import Cluster
from ui.server.rooms import Rooms


class SharedRooms:
    """Has the methods of `Rooms`. While the cluster cannot be reached they are those of this server's own rooms."""

    def __init__(self, cluster: Cluster, here: Rooms) -> None:
        self._cluster, self._here = cluster, here

    def __getattr__(self, method: str) -> Callable[..., Any]:
        def called(*given: Any) -> Any:
            try:
                return self._cluster.ask_rooms(method, *given)
            except ConnectionError:
                return getattr(self._here, method)(*given)

        return called
