"""Work of a worker that is the same for all readers, and done once for all who ask for it."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from ui.training_service.registry import Hear

K = TypeVar("K")
R = TypeVar("R")


@dataclass(frozen=True)
class SharedTask(Generic[R]):
    """As far as it is known; a later look is another one."""

    state: str = "none"  # none, running, done, stopped, failed, lost (with its worker)
    reports: tuple[R, ...] = ()
    number: int = 0  # which task it is, of all there were
    task: str = ""
    waiting: frozenset[str] = field(default_factory=frozenset)  # readers who have asked and not stopped


class TaskRunner(Protocol):
    """Who sends tasks to a worker and calls them back: the runs, which share them."""

    def start_background_task(self, hear: Hear, **command: Any) -> str: ...

    def end_background_task(self, name: str) -> None: ...


class SharedTasks(Generic[K, R]):
    """One per key. A task takes some seconds of a worker, whoever has left meanwhile."""

    MOST = 64  # that have ended and are known
    AT_ONCE = 8

    def __init__(self, runs: TaskRunner) -> None:
        self._runs = runs
        self._lock = threading.Lock()  # never held while the runs are asked for something: they hold theirs, and call
        self._known: dict[K, SharedTask[R]] = {}
        self._numbers = count(1)

    def command(self, key: K) -> dict[str, Any]:
        """What the worker is sent."""
        raise NotImplementedError

    def read(self, key: K, arrays: Mapping[str, np.ndarray]) -> tuple[R, ...]:
        """What it reports."""
        raise NotImplementedError

    def look(self, key: K) -> SharedTask[R]:
        return self._known.get(key, SharedTask())

    @property
    def full(self) -> bool:
        """Whether there is no place for one more."""
        return sum(other.state == "running" for other in list(self._known.values())) >= self.AT_ONCE

    def begin(self, key: K, reader: str) -> bool:
        """Do it, from the beginning; or wait with those who wait already. Whether there was a place for it."""
        with self._lock:
            seen = self.look(key)
            first = seen.state != "running"
            if first:
                if self.full:
                    return False
                seen = SharedTask("running", number=next(self._numbers))
                self._known.pop(key, None)  # the last begun stands last
            self._known[key] = replace(seen, waiting=seen.waiting | {reader})
            ended = [known for known, other in self._known.items() if other.state != "running"]
            for oldest in ended[: -self.MOST]:
                del self._known[oldest]
        if first:
            self._send(key, seen.number)
        return True

    def stop(self, key: K, reader: str) -> None:
        """This reader waits no longer. The task ends with the last one who does; what it has reported is kept."""
        with self._lock:
            seen = self.look(key)
            left = seen.waiting - {reader}
            ended = seen.state == "running" and not left
            self._known[key] = replace(seen, waiting=left, state="stopped" if ended else seen.state)
        if ended and seen.task:  # else `_send` ends it as soon as it has a name
            self._runs.end_background_task(seen.task)

    def _send(self, key: K, number: int) -> None:
        try:
            task = self._runs.start_background_task(partial(self._hear, key, number), **self.command(key))
        except OSError:  # no process is to be had for it
            self._hear(key, number, "lost", {})
            return
        with self._lock:
            seen = self.look(key)
            if (seen.number, seen.state) == (number, "running"):
                self._known[key] = replace(seen, task=task)
            unwanted = seen.number != number or seen.state == "stopped"
        if unwanted:  # all who waited have stopped meanwhile, when it had no name to be ended by
            self._runs.end_background_task(task)

    def _hear(self, key: K, number: int, state: str, arrays: dict[str, np.ndarray]) -> None:
        new = self.read(key, arrays)
        with self._lock:
            seen = self.look(key)
            if (seen.number, seen.state) == (number, "running"):
                self._known[key] = replace(seen, state=state, reports=(*seen.reports, *new))
