"""A run as the server knows it: a snapshot for the pages, and what is kept behind it."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import EMPTY, History
from ui.cache import carried, size_of
from ui.training_service.engine import Worker
from ui.training_service.slots import Purpose

PLACED = ("queued", "running", "paused")
RESTING = ("paused", "done", "stopped")

Moment = tuple[str, int]  # of a run: its name, and a step
ENDED_KEPT = 64 * 2**20  # bytes of reports of runs that have ended


class Learned(NamedTuple):
    """When all sequences that were measured came out right for the first time."""

    step: int
    seconds: float  # of work until then: what other runs had of the processor does not count


@dataclass(frozen=True)
class Snapshot:
    """A run as far as it is known. It never changes; a later look is another snapshot."""

    run: str
    config: TrainConfig
    # waiting (for a place), queued (it has one, on a cluster whose processors are all busy), running, paused, done,
    # stopped, failed, lost (with its worker)
    state: str = "waiting"
    step: int = 0
    reason: str = ""  # why it failed: diverged, exploded, broken
    history: History = EMPTY
    spent: float = 0.0  # seconds that its worker has worked on it
    learned: Learned | None = None
    place: str = ""  # the machine on which it was trained; "" is the server's own

    @property
    def active(self) -> bool:
        """It has not ended."""
        return self.state == "waiting" or self.placed

    @property
    def going(self) -> bool:
        """It moves by itself, or will."""
        return self.state in ("waiting", "queued", "running")

    @property
    def rests_at(self) -> Moment | None:
        """Where it is at rest with a model that it has trained; None where it is not."""
        return (self.run, self.step) if self.state in RESTING and self.step > 0 else None

    @property
    def placed(self) -> bool:
        """It has a place with a worker, and its memory."""
        return self.state in PLACED


@dataclass
class Record:
    """What is kept behind a snapshot."""

    snapshot: Snapshot
    purpose: Purpose = "reports"
    until: int | None = None  # the step at which it pauses, or rests, also where it is trained again; or is wanted
    owner: str | None = None  # the browser that may come back for it
    linked: bool = False  # a link started it, nobody's hand
    asked: float = 0.0  # when a page last asked for what it is to bring
    weights: Tensor | None = None  # (parameters,) while it is active; those of a run that has ended are in the cache
    weights_step: int = -1
    leaving: threading.Timer | None = None  # its reader has gone
    worker: Worker | None = None  # that has it, or had it last
    spent: float = 0.0  # seconds that its worker has worked on it

    @property
    def unseen(self) -> bool:
        """It has a place, and the report of the untrained model, the first there is, has not come."""
        seen = self.snapshot
        return self.purpose != "weights" and seen.state == "running" and not len(seen.history.step)

    def rests(self, state: str, step: int) -> None:
        """Its worker has told this: trained again, it pauses where it rests, and not where it has gone on from."""
        if self.purpose == "reports" and state == "paused":
            self.until = step
        elif self.purpose == "reports" and self.until is not None and step > self.until:
            self.until = None

    @property
    def last(self) -> int:
        """The step at which it is through."""
        steps = self.snapshot.config.steps
        return steps if self.purpose == "reports" or self.until is None else self.until

    @property
    def work(self) -> int:
        """Of a step, up to a factor: multiplications of weights with tokens."""
        config = self.snapshot.config
        return config.parameters * config.batch * config.length


def surplus(records: Sequence[Record]) -> list[Record]:
    """The runs that have ended for whose reports there is no room; the first have ended, or begun, first."""
    ended = [record for record in records if not record.snapshot.active]
    size, found = sum(map(_size, ended)), list[Record]()
    for record in ended[:-1]:
        if size <= ENDED_KEPT:
            break
        size -= _size(record)
        found.append(record)
    return found


def _size(record: Record) -> int:
    return size_of(record.snapshot.history) + carried(record.snapshot.config)
