"""What workers do besides training: a task is one command, answered by messages until it is done."""

import uuid
from collections.abc import Callable
from typing import Any

import numpy as np

from ui.training_service.engine import Worker

Hear = Callable[[str, dict[str, np.ndarray]], None]  # a state, as of a run, and arrays


class BackgroundTasks:
    """Those on their way. To be called with the lock of the runs held."""

    def __init__(self) -> None:
        self._under_way: dict[str, tuple[Worker, Hear]] = {}

    @property
    def workers(self) -> list[Worker]:
        """Who is at it, once for each."""
        return [worker for worker, _ in self._under_way.values()]

    def send(self, worker: Worker, hear: Hear, command: dict[str, Any]) -> str:
        name = uuid.uuid4().hex[:12]
        self._under_way[name] = worker, hear
        worker.send(command | {"run": name})
        return name

    def end(self, name: str) -> None:
        worker, _ = self._under_way.pop(name, (None, None))
        if worker is not None:
            worker.send({"do": "stop", "run": name})

    def hear(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """A message of the worker's, perhaps about a task."""
        name = header["run"]
        if name in self._under_way:
            _, hear = self._under_way[name]
            if header["state"] != "running":
                del self._under_way[name]
            hear(header["state"], arrays)

    def lose(self, worker: Worker) -> None:
        for name, (sent_to, hear) in list(self._under_way.items()):
            if sent_to is worker:
                del self._under_way[name]
                hear("lost", {})
