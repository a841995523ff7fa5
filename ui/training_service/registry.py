"""All runs that the server knows, and the workers that train them: begun when there is a place, heard, left, ended.

Threads of their own listen to the workers; what one has reported survives its death. Nothing here knows Streamlit.
"""

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from ui.cache import ValueCache, cached
from ui.training_service.background_tasks import BackgroundTasks, Hear
from ui.training_service.earlier_runs import learned_in
from ui.training_service.engine import Engine, Open, Worker
from ui.training_service.eta import Eta, Pace, eta, load
from ui.training_service.local_engine import Processes
from ui.training_service.queue import forsaken, next_in_line
from ui.training_service.run_records import Record, Snapshot, surplus
from ui.training_service.slots import Purpose, Refused, Slots

GRACE = 20.0  # seconds a run outlives its reader, who may only have reloaded the page
PATIENCE = 5.0  # seconds a page waits for the worker before it goes on with what is known


class Register:
    """Safe to use from any thread."""

    def __init__(
        self, engine: Open = Processes, grace: float = GRACE, slots: Slots | None = None, store: ValueCache = cached
    ) -> None:
        self.slots = slots or Slots()
        self.patience = PATIENCE
        self._grace = grace
        self._cache = store
        self._changed = threading.Condition(threading.RLock())
        self._records: dict[str, Record] = {}
        self._engine = engine(self._hear, self._lose)
        self._tasks = BackgroundTasks()
        self._pace = Pace()

    @property
    def engine(self) -> Engine:
        return self._engine

    @property
    def trouble(self) -> str:
        """As of the engine."""
        return self._engine.trouble

    def warm(self) -> None:
        """Have a worker ready for the first run."""
        with self._changed:
            self._engine.warm()

    def forget(self, run: str) -> None:
        """End a run and drop all that is known of it."""
        with self._changed:
            record = self._records.pop(run, None)
            self._changed.notify_all()
            if record is not None and record.snapshot.placed:
                self._send(record, do="stop")
                self._call_next()

    def leave(self, run: str, grace: float | None = None) -> None:
        """Its reader has gone. The run ends when nobody adopts it soon: a reloaded page comes back."""
        with self._changed:
            record = self._records.get(run)
            if record is not None:
                if record.leaving is not None:
                    record.leaving.cancel()
                grace = self._grace if grace is None else grace
                record.leaving = timer = threading.Timer(grace, lambda: self._end_left(run, timer))
                timer.daemon = True
                timer.start()

    def _end_left(self, run: str, timer: threading.Timer) -> None:
        """The time is over, unless its reader has come back while the timer waited for its turn."""
        with self._changed:
            record = self._records.get(run)
            if record is not None and record.leaving is timer:
                self.forget(run)

    def adopt(self, config: TrainConfig, owner: str | None) -> str | None:
        """A run with these settings that the same browser has left just now."""
        with self._changed:
            for run, record in self._records.items():
                if record.leaving and record.snapshot.config == config and owner is not None and record.owner == owner:
                    self.stay(run)
                    return run
        return None

    def stay(self, run: str) -> None:
        """Its reader is back."""
        with self._changed:
            record = self._records.get(run)
            if record is not None and record.leaving is not None:
                record.leaving.cancel()
                record.leaving = None

    def snapshot(self, run: str) -> Snapshot | None:
        """None if it has been forgotten, which may happen at any moment to one whose reader was away."""
        record = self._records.get(run)
        return None if record is None else record.snapshot

    def states(self) -> Mapping[str, int]:
        """How many runs there are in each state that a `Snapshot` can have."""
        return Counter(record.snapshot.state for record in list(self._records.values()))

    def eta(self, run: str) -> Eta | None:
        """What a reader who waits for this run is told; None where there is nothing to wait for."""
        with self._changed:
            record = self._records.get(run)
            if record is None:
                return None
            return eta(record, list(self._records.values()), self._pace, self._engine.count)

    def wait(self, run: str, until: Callable[[Snapshot], bool], seconds: float) -> Snapshot | None:
        """The first snapshot that is as wanted, or the one after `seconds`; None once it has been forgotten."""
        with self._changed:
            self._changed.wait_for(lambda: (seen := self.snapshot(run)) is None or until(seen), seconds)
            return self.snapshot(run)

    def start_background_task(self, hear: Hear, **command: Any) -> str:
        """Let a worker do something besides training. `hear` is called from another thread, with the lock held."""
        with self._changed:
            return self._tasks.send(self._worker(), hear, command)

    def end_background_task(self, name: str) -> None:
        with self._changed:
            self._tasks.end(name)

    def close(self) -> None:
        """End all workers and forget all runs, as the end of the server does: none that waits may start another."""
        with self._changed:
            self._records.clear()
            self._changed.notify_all()
        self._engine.close()

    def _start(
        self, config: TrainConfig, until: int | None, purpose: Purpose, owner: str | None = None, linked: bool = False
    ) -> str:
        with self._changed:
            active = [record for record in self._records.values() if record.snapshot.active]
            if linked and sum(record.linked for record in active) >= self.slots.linked:
                raise Refused("linked", self.slots.linked, passing=True)
            self.slots.fit(config)
            if sum(record.snapshot.state == "waiting" for record in active) >= self.slots.waiting:
                raise Refused("too_many", self.slots.waiting, passing=True)
            run = uuid.uuid4().hex[:12]
            self._records[run] = Record(Snapshot(run, config), purpose, until, owner, linked, time.monotonic())
            self._call_next()
            return run

    def _call_next(self) -> None:
        """Give the places that are free to those who wait."""
        for left in forsaken(list(self._records.values()), waiting=True):
            del self._records[left.snapshot.run]
        while record := next_in_line(list(self._records.values()), self.slots):
            record.worker, record.spent = self._worker(), 0.0
            self._pace.first_reports.begin(time.monotonic(), sum(other.unseen for other in self._records.values()))
            self._show(record, state="running")
            config = record.snapshot.config.to_dict()
            self._send(record, do="start", config=config, until=record.until, want=record.purpose)

    def _worker(self) -> Worker:
        """For one more run or background task."""
        busy = load(list(self._records.values()), self._tasks.workers, self._pace.speed)
        return self._engine.worker(busy)

    def _send(self, record: Record, **command: Any) -> None:
        """To the worker of a run that has a place."""
        assert record.worker is not None
        record.worker.send(command | {"run": record.snapshot.run})

    def _hear(self, worker: Worker, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        with self._changed:
            self._tasks.hear(header, arrays)
            record = self._records.get(header["run"])
            if record is None or record.worker is not worker:
                return
            weights = arrays.pop("weights", None)
            if weights is not None and header["step"] >= record.weights_step:
                record.weights, record.weights_step = torch.from_numpy(weights), header["step"]
            if record.purpose == "look" and arrays:
                self._cache.put((record.snapshot.config, "look"), History(**arrays))
            record.rests(header["state"], header["step"])
            seen, unseen, now = record.snapshot, record.unseen, time.monotonic()
            spent = header.get("spent", record.spent) - record.spent
            if record.snapshot.state == "running" and not unseen and spent > 0:
                self._pace.speed.note(record.work * max(0, header["step"] - seen.step), spent)
            record.spent += spent
            told = History(**arrays) if arrays else None
            self._show(
                record,
                history=seen.history.then(told) if told else seen.history,
                spent=record.spent,
                learned=seen.learned or (learned_in(told, record.spent) if told else None),
                step=max(seen.step, header["step"]),
                state=header["state"] if seen.active else seen.state,
                reason=header["reason"],
                place=worker.place,
            )
            if unseen and not record.unseen:
                self._pace.looked(now, record.spent)
            if record.purpose != "reports" and header["state"] != "running":
                self._send(record, do="stop")
                self._show(record, state="stopped" if header["state"] == "paused" else header["state"])
                self.leave(header["run"])

    def _show(self, record: Record, **changes: Any) -> None:
        record.snapshot = replace(record.snapshot, **changes)
        if not record.snapshot.active:
            self._lay_aside(record)
            self._call_next()
        self._changed.notify_all()

    def _lay_aside(self, record: Record) -> None:
        """A run that has ended keeps its reports, as far as there is room, and its weights as any model does."""
        config, step = record.snapshot.config, record.weights_step
        if record.weights is not None and self._cache.get((config, step)) is None:
            self._cache.put((config, step), record.weights)
        record.weights = None
        for other in surplus(list(self._records.values())):
            del self._records[other.snapshot.run]

    def _lose(self, worker: Worker) -> None:
        """A worker has died: its runs are lost, though nothing of what they have reported."""
        with self._changed:
            self._tasks.lose(worker)
            placed = [record for record in self._records.values() if record.snapshot.placed]
            lost = [record for record in placed if record.worker is worker]
            for record in lost:  # all of them, before one that waits may find that no other worker is to be had
                record.snapshot = replace(record.snapshot, state="lost")
            for record in lost:
                self._lay_aside(record)
            self._changed.notify_all()
            if lost:
                self._call_next()
