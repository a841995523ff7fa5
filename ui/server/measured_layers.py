"""The layers' times and memory as measured on this server: the same for all readers, and measured once for all."""

import threading
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from transformer_core.experiments.sequence_layers import LAYERS, SIZES, Point
from ui.server.errands import Hear
from ui.server.runs import all_runs

Size = tuple[int, int]  # d, kernel


@dataclass(frozen=True)
class Measurement:
    """As far as it is known; a later look is another one."""

    state: str = "none"  # none, running, done, stopped, failed, lost (with its worker)
    points: tuple[Point, ...] = ()
    errand: str = ""
    waiting: frozenset[str] = field(default_factory=frozenset)  # readers who have asked and not stopped

    @property
    def share(self) -> float:
        """Of the whole, by the tokens that were read."""
        return sum(point.n for point in self.points) / (len(LAYERS) * sum(SIZES))


class Office(Protocol):
    """Who sends errands to a worker and calls them back: the runs, which share them."""

    def send_errand(self, hear: Hear, **command: Any) -> str: ...

    def end_errand(self, name: str) -> None: ...


class Measurements:
    """One per size. A measurement takes some seconds of a worker, whoever has left meanwhile."""

    def __init__(self, runs: Office) -> None:
        self._runs = runs
        self._lock = threading.Lock()  # never held while the runs are asked for something: they hold theirs, and call
        self._known: dict[Size, Measurement] = {}

    def look(self, size: Size) -> Measurement:
        return self._known.get(size, Measurement())

    def begin(self, size: Size, reader: str) -> None:
        """Measure, from the beginning; or wait with those who wait already."""
        with self._lock:
            seen = self.look(size)
            first = seen.state != "running"
            if first:
                seen = Measurement("running")
            self._known[size] = replace(seen, waiting=seen.waiting | {reader})
        if first:
            d, kernel = size
            errand = self._runs.send_errand(partial(self._hear, size), do="measure", d=d, kernel=kernel)
            with self._lock:
                self._known[size] = replace(self._known[size], errand=errand)

    def stop(self, size: Size, reader: str) -> None:
        """This reader waits no longer. The measurement ends with the last one who does; its points are kept."""
        with self._lock:
            seen = self.look(size)
            left = seen.waiting - {reader}
            ended = seen.state == "running" and not left
            self._known[size] = replace(seen, waiting=left, state="stopped" if ended else seen.state)
        if ended:
            self._runs.end_errand(seen.errand)

    def _hear(self, size: Size, state: str, arrays: dict[str, np.ndarray]) -> None:
        names = list(LAYERS)
        new = [
            Point(names[int(layer)], int(n), forward, backward, int(saved))
            for layer, n, forward, backward, saved in arrays.get("points", np.empty((0, 5))).tolist()
        ]
        with self._lock:
            seen = self._known[size]
            if seen.state == "running":
                self._known[size] = replace(seen, state=state, points=(*seen.points, *new))


measurements = Measurements(all_runs)
