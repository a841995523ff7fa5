"""The runs that a server knows: of each a snapshot for the pages, and what is kept behind it."""

import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor

from transformer_core.training.any_run import AnyConfig, AnyHistory
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import EMPTY, History
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_run import RowHistory
from ui.cache import ValueCache, carried, size_of
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


Purpose = Literal["reports", "weights", "look"]  # a reader's run; the moment a link names; what a run begins with

PLACED = ("queued", "running", "paused")
RESTING = ("paused", "done", "stopped")

Moment = tuple[str, int]  # of a run: its name, and a step
ENDED_KEPT = 64 * 2**20  # bytes of reports of runs that have ended


class Learned(NamedTuple):
    """When all sequences that were measured came out right for the first time."""

    step: int
    seconds: float  # of work until then: what other runs had of the processor does not count


C = TypeVar("C", bound=AnyConfig)
H = TypeVar("H", bound=AnyHistory)
_NOTHING: Any = EMPTY  # is told yet


@dataclass(frozen=True)
class RunSnapshot(Generic[C, H]):
    """A run as far as it is known. It never changes; a later look is another one."""

    run: str
    config: C
    # waiting (for a place), queued (it has one, on a cluster whose processors are all busy), running, paused, done,
    # stopped, failed, lost (with its worker)
    state: str = "waiting"
    step: int = 0
    reason: str = ""  # why it failed: diverged, exploded, broken
    history: H = _NOTHING
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


Snapshot = RunSnapshot[TrainConfig, History]
RowSnapshot = RunSnapshot[RowConfig, RowHistory]  # of a model of one stack


@dataclass
class Record:
    """What is kept behind a snapshot."""

    snapshot: RunSnapshot[Any, Any]
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

    def hear(self, header: Mapping[str, Any], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
        """Take in what its worker has sent, and weights out of the arrays; what of its snapshot changes by that."""
        weights = arrays.pop("weights", None)
        if weights is not None and header["step"] >= self.weights_step:
            self.weights, self.weights_step = torch.from_numpy(weights), header["step"]
        self._rest(header["state"], header["step"])
        self.spent = header.get("spent", self.spent)
        seen = self.snapshot
        news = type(seen.history)(**arrays) if arrays else None
        return {
            "history": seen.history.then(news) if news else seen.history,
            "spent": self.spent,
            "learned": seen.learned or (learned_in(news, self.spent) if news else None),
            "step": max(seen.step, header["step"]),
            "state": header["state"] if seen.active else seen.state,
            "reason": header["reason"],
        }

    def keep(self, cache: ValueCache) -> None:
        """Its weights, if there are any, where any model is."""
        if self.weights is not None:
            cache.get_or_make((self.snapshot.config, self.weights_step), lambda: self.weights)

    def _rest(self, state: str, step: int) -> None:
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


def learned_in(reports: AnyHistory, spent: float) -> Learned | None:
    """The first step of these reports at which every sequence measured came out right, by `spent` seconds of work."""
    right = np.flatnonzero(reports.exact_match == 1.0)  # NaN is not
    return Learned(int(reports.step[right[0]]), spent) if len(right) else None


class Registry(dict[str, Record]):
    """The runs by their names, in the order of their coming."""

    @property
    def all(self) -> list[Record]:
        """As many as there are now: other threads may add to them meanwhile."""
        return list(self.values())

    def bringing(self, purpose: Purpose, config: AnyConfig, step: int) -> str | None:
        """The run of this purpose that is to bring this, or was."""
        for run, record in self.items():
            if record.purpose == purpose and record.snapshot.config == config and record.until == step:
                return run
        return None

    def left_by(self, owner: str, config: TrainConfig) -> str | None:
        """A run with these settings whose reader has gone, if it was this browser's."""
        for run, record in self.items():
            if record.leaving and record.snapshot.config == config and record.owner == owner:
                return run
        return None

    def weights(self, config: AnyConfig, step: int) -> Tensor | None:
        """Those of the model after `step` steps with these settings, if a run has them."""
        for record in self.values():
            if record.weights is not None and record.weights_step == step and record.snapshot.config == config:
                return record.weights
        return None

    def surplus(self) -> list[Record]:
        """The runs that have ended for whose reports there is no room; the first have ended, or begun, first."""
        ended = [record for record in self.all if not record.snapshot.active]
        size, found = sum(map(_size, ended)), list[Record]()
        for record in ended[:-1]:
            if size <= ENDED_KEPT:
                break
            size -= _size(record)
            found.append(record)
        return found


def _size(record: Record) -> int:
    return size_of(record.snapshot.history) + carried(record.snapshot.config)
