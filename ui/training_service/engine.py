"""Where runs are trained: what the register of runs asks of workers, and of the engine that finds or starts them.

An engine is made from two functions of the register's, `Engine(hear, lose)`. Commands and messages are those of
`ui.training_service.worker`, whoever carries them: same settings and seed, same reports, whichever worker.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np


class Worker(Protocol):
    """Does what it is sent for one run, or background task, or several, until it is closed or lost.

    It calls `hear(worker, header, arrays)` with each message, those of one run in order, and `lose(worker)` when it has
    gone, within seconds, whatever the cause; both from threads of its own, or `lose` out of `send`. It may call `lose`
    more than once, and after `close`. One that serves a single run goes by itself, without a word, when it was sent
    `stop` or has told that the run is done or failed.
    """

    @property
    def place(self) -> str:
        """The machine on which it works, for the run's details; "" is the server's own, or not known yet."""

    @property
    def alive(self) -> bool: ...

    def send(self, command: Mapping[str, Any]) -> None:
        """Returns at once and never raises: the register's lock is held."""

    def close(self) -> None:
        """End it, and what it does. Not called with the lock held: it may wait for the end."""


Hear = Callable[[Worker, dict[str, Any], dict[str, np.ndarray]], None]
Lose = Callable[[Worker], None]
Load = Mapping[Worker, float]


class Engine(Protocol):
    @property
    def trouble(self) -> str:
        """What readers are told of it while it cannot train as it should, by a key of the training chapter's texts:
        "" where it can."""

    @property
    def count(self) -> int:
        """How many runs it works on at the same time, at least 1: by this readers are told how long they wait."""

    def worker(self, load: Load) -> Worker:
        """A living worker for one more run or background task, soon and without waiting: the register's lock is held.

        `load` has those that have something to do now, and for how long: seconds where that is known, else the number
        of things.
        """

    def warm(self) -> None:
        """Make ready what takes long to begin with; the register's lock is held."""

    def close(self) -> None:
        """End all workers, as the end of the server does. Not called with the lock held."""


Open = Callable[[Hear, Lose], Engine]
