"""The layers' times and memory as measured on this server: the same for all readers, and measured once for all."""

import threading
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any, Protocol

import numpy as np

from transformer_core.experiments.sequence_layers import LAYERS, SIZES, Point
from ui.training_service.registry import Hear
from ui.training_service.runs import all_runs

Size = tuple[int, int]  # d, kernel


@dataclass(frozen=True)
class Measurement:
    """As far as it is known; a later look is another one."""

    state: str = "none"  # none, running, done, stopped, failed, lost (with its worker)
    points: tuple[Point, ...] = ()
    number: int = 0  # which measurement it is, of all there were
    task: str = ""
    waiting: frozenset[str] = field(default_factory=frozenset)  # readers who have asked and not stopped

    @property
    def share(self) -> float:
        """Of the whole, by the tokens that were read."""
        return sum(point.n for point in self.points) / (len(LAYERS) * sum(SIZES))


class TaskRunner(Protocol):
    """Who sends tasks to a worker and calls them back: the runs, which share them."""

    def start_background_task(self, hear: Hear, **command: Any) -> str: ...

    def end_background_task(self, name: str) -> None: ...


class Measurements:
    """One per size. A measurement takes some seconds of a worker, whoever has left meanwhile."""

    def __init__(self, runs: TaskRunner) -> None:
        self._runs = runs
        self._lock = threading.Lock()  # never held while the runs are asked for something: they hold theirs, and call
        self._known: dict[Size, Measurement] = {}
        self._numbers = count(1)

    def look(self, size: Size) -> Measurement:
        return self._known.get(size, Measurement())

    def begin(self, size: Size, reader: str) -> None:
        """Measure, from the beginning; or wait with those who wait already."""
        with self._lock:
            seen = self.look(size)
            first = seen.state != "running"
            if first:
                seen = Measurement("running", number=next(self._numbers))
            self._known[size] = replace(seen, waiting=seen.waiting | {reader})
        if first:
            self._send(size, seen.number)

    def stop(self, size: Size, reader: str) -> None:
        """This reader waits no longer. The measurement ends with the last one who does; its points are kept."""
        with self._lock:
            seen = self.look(size)
            left = seen.waiting - {reader}
            ended = seen.state == "running" and not left
            self._known[size] = replace(seen, waiting=left, state="stopped" if ended else seen.state)
        if ended and seen.task:  # else `_send` ends it as soon as it has a name
            self._runs.end_background_task(seen.task)

    def _send(self, size: Size, number: int) -> None:
        d, kernel = size
        try:
            task = self._runs.start_background_task(partial(self._hear, size, number), do="measure", d=d, kernel=kernel)
        except OSError:  # no process is to be had for it
            self._hear(size, number, "lost", {})
            return
        with self._lock:
            seen = self._known[size]
            if (seen.number, seen.state) == (number, "running"):
                self._known[size] = replace(seen, task=task)
            unwanted = seen.number != number or seen.state == "stopped"
        if unwanted:  # all who waited have stopped meanwhile, when it had no name to be ended by
            self._runs.end_background_task(task)

    def _hear(self, size: Size, number: int, state: str, arrays: dict[str, np.ndarray]) -> None:
        names = list(LAYERS)
        new = [
            Point(names[int(layer)], int(n), forward, backward, int(saved))
            for layer, n, forward, backward, saved in arrays.get("points", np.empty((0, 5))).tolist()
        ]
        with self._lock:
            seen = self._known[size]
            if (seen.number, seen.state) == (number, "running"):
                self._known[size] = replace(seen, state=state, points=(*seen.points, *new))


measurements = Measurements(all_runs)
