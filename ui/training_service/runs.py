"""All readers' training runs: begun when there is a place, watched, steered, left and ended, and the models and first
looks that pages wait for.

Pages call these methods and read snapshots; threads of their own listen to the workers, and what one has reported
survives its death. Nothing here knows Streamlit.
"""

import atexit
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, overload

import numpy as np
from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.after_2017.one_stack import OneStack
from transformer_core.training.any_run import AnyConfig, AnyModel, model_with, nothing_told, untrained
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.row_config import RowConfig
from ui.cache import ValueCache, cached
from ui.training_service.engine import Engine, Open, Worker
from ui.training_service.eta import Eta, Pace, eta, load
from ui.training_service.local_engine import LocalEngine
from ui.training_service.queue import Refused, Slots, forsaken, next_in_line
from ui.training_service.ray.ray_engine import engine_in_use
from ui.training_service.registry import BackgroundTasks, Hear, Purpose, Record, Registry, RunSnapshot, Snapshot
from ui.training_service.worker import SMALL_MODEL

GRACE = 20.0  # seconds a run outlives its reader, who may only have reloaded the page
PATIENCE = 5.0  # seconds a page waits for the worker before it goes on with what is known
UNASKED = 120.0  # seconds a run for a link goes on after the last page asked for it; a hidden tab asks once a minute
ASK_AGAIN = 1.0  # seconds after which a page that waits for a run asks again


class Runs:
    """The runs of one server. Safe to call from any thread."""

    def __init__(
        self, engine: Open = LocalEngine, grace: float = GRACE, slots: Slots | None = None, store: ValueCache = cached
    ) -> None:
        self.slots = slots or Slots()
        self.patience = PATIENCE
        self._grace = grace
        self._cache = store
        self._changed = threading.Condition(threading.RLock())
        self._records = Registry()
        self.engine: Engine = engine(self._hear, self._lose)
        self._tasks = BackgroundTasks()
        self._pace = Pace()

    def warm(self) -> None:
        with self._changed:
            self.engine.warm()

    def close(self) -> None:
        """End all workers and forget all runs, as the end of the server does: none that waits may start another."""
        with self._changed:
            self._records.clear()
            self._changed.notify_all()
        self.engine.close()

    def start(
        self,
        config: AnyConfig,
        until: int | None = None,
        *,
        owner: str | None = None,
        linked: bool = False,
        purpose: Purpose = "reports",
    ) -> str:
        """A new run, by its name; it pauses at step `until`. While others have all places, or their memory, it waits.

        Refused if it can never fit, or too many wait.

        `owner` is the browser that may `adopt` it later; `linked` runs, which no hand has started, have few places.
        """
        with self._changed:
            active = [record for record in self._records.values() if record.snapshot.active]
            if linked and sum(record.linked for record in active) >= self.slots.linked:
                raise Refused("linked", self.slots.linked, passing=True)
            self.slots.fit(config)
            if sum(record.snapshot.state == "waiting" for record in active) >= self.slots.waiting:
                raise Refused("too_many", self.slots.waiting, passing=True)
            run = uuid.uuid4().hex[:12]
            seen = RunSnapshot(run, config, history=nothing_told(config))
            self._records[run] = Record(seen, purpose, until, owner, linked, time.monotonic())
            self._call_next()
            return run

    def pause(self, run: str) -> None:
        self._ask("pause", run, lambda seen: seen.state != "running")

    def resume(self, run: str) -> None:
        self._go_on(run, until=None)
        self._ask("resume", run, lambda seen: seen.state != "paused")

    def step(self, run: str) -> None:
        before = self.snapshot(run)
        if before is not None:
            at = before.step
            self._go_on(run, until=at + 1)
            self._ask("step", run, lambda seen: seen.state != "running" and (seen.step > at or not seen.active))

    def stop(self, run: str) -> None:
        self.pause(run)
        with self._changed:
            record = self._records.get(run)
            if record is not None and record.snapshot.active:
                if record.snapshot.placed:
                    self._send(record, do="stop")
                self._show(record, state="stopped")

    def restart(self, run: str) -> None:
        """Train a lost run again, up to where it was, and on from there unless it was paused."""
        with self._changed:
            record = self._records.get(run)
            if record is not None and record.snapshot.state == "lost":
                self._show(record, state="waiting")
                self._call_next()

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

    def adopt(self, config: TrainConfig, owner: str | None) -> str | None:
        """A run with these settings that the same browser has left just now."""
        with self._changed:
            run = None if owner is None else self._records.left_by(owner, config)
            if run is not None:
                self.stay(run)
            return run

    def stay(self, run: str) -> None:
        with self._changed:
            record = self._records.get(run)
            if record is not None and record.leaving is not None:
                record.leaving.cancel()
                record.leaving = None

    def snapshot(self, run: str) -> RunSnapshot[Any, Any] | None:
        """None if it has been forgotten, which may happen at any moment to one whose reader was away."""
        record = self._records.get(run)
        return None if record is None else record.snapshot

    def states(self) -> Mapping[str, int]:
        """How many runs there are in each state that a `Snapshot` can have."""
        return Counter(record.snapshot.state for record in self._records.all)

    def wait(self, run: str, until: Callable[[Snapshot], bool], seconds: float) -> RunSnapshot[Any, Any] | None:
        """The first snapshot that is as wanted, or the one after `seconds`; None once it has been forgotten."""
        with self._changed:
            self._changed.wait_for(lambda: (seen := self.snapshot(run)) is None or until(seen), seconds)
            return self.snapshot(run)

    def eta(self, run: str) -> Eta | None:
        """What a reader who waits for this run is told; None where there is nothing to wait for."""
        with self._changed:
            record = self._records.get(run)
            return None if record is None else eta(record, self._records.all, self._pace, self.engine.count)

    def eta_of(self, config: TrainConfig, step: int | None = None) -> Eta | None:
        """The same of what a link waits for: the model after `step` steps, or without one the first look."""
        with self._changed:
            purpose: Purpose = "look" if step is None else "weights"
            run = self._records.bringing(purpose, config, min(step or 0, config.steps))
            return None if run is None else self.eta(run)

    def latest(self, run: str) -> tuple[EncoderDecoder | None, int] | None:
        """The model of a run with the last weights that are known, in evaluation mode, and their step.

        None before there are weights, and of a run that was forgotten. Where others have taken their room since, they
        are trained again; the model is None if that takes long.
        """
        with self._changed:
            record = self._records.get(run)
            if record is None:
                return None
            if record.snapshot.state == "running" and record.snapshot.config.parameters > SMALL_MODEL:
                asked = record.snapshot.step
                self._send(record, do="weights")
                self._changed.wait_for(
                    lambda: record.weights_step >= asked or record.snapshot.state != "running", self.patience
                )
            if record.weights_step < 0:
                return None
            config, step = record.snapshot.config, record.weights_step
        return self.model(config, step), step

    @overload
    def model(self, config: TrainConfig, step: int, seconds: float | None = None) -> EncoderDecoder | None: ...

    @overload
    def model(self, config: RowConfig, step: int, seconds: float | None = None) -> OneStack | None: ...

    def model(self, config: AnyConfig, step: int, seconds: float | None = None) -> AnyModel | None:
        """The model after `step` steps of a run with these settings, whoever ran it, trained now if need be.

        None if that takes longer than `seconds` (`patience`): ask again later. Refused if it cannot be trained at all.
        """
        if step == 0:  # which nobody needs to train
            return self._cache.get_or_make((config, 0), lambda: untrained(config).eval())
        self.slots.fit(config)
        step = min(step, config.steps)
        known = self._awaited(partial(self._known, config, step), "weights", config, step, seconds)
        if isinstance(known, Tensor):
            return self._cache.put((config, step), model_with(config, known))
        return known

    def first_look(self, config: TrainConfig, seconds: float | None = None, *, ask: bool = True) -> History | None:
        """What a run with these settings begins with: the report of the untrained model; unless `ask`, if it is known.

        None if that takes longer than `seconds` (`patience`): ask again later. Refused if it cannot be trained at all.
        """
        self.slots.fit(config)
        found = partial(self._cache.get, (config, "look"))
        return self._awaited(found, "look", config, 0, seconds) if ask else found()

    def start_background_task(self, hear: Hear, **command: Any) -> str:
        """Let a worker do something besides training. `hear` is called from another thread, with the lock held."""
        with self._changed:
            return self._tasks.send(self._worker(), hear, command)

    def end_background_task(self, name: str) -> None:
        with self._changed:
            self._tasks.end(name)

    def _awaited(
        self, found: Callable[[], Any], purpose: Purpose, config: AnyConfig, step: int, seconds: float | None
    ) -> Any:
        """What `found` gives once a run of this purpose has brought it; None if that takes longer than `seconds`."""
        deadline = time.monotonic() + (self.patience if seconds is None else seconds)
        with self._changed:
            while (value := found()) is None:
                run, left = self._ask_for(purpose, config, step), deadline - time.monotonic()
                if left <= 0:
                    return None
                self._changed.wait_for(partial(self._news, found, run), min(left, ASK_AGAIN))
            return value

    def _news(self, found: Callable[[], object], run: str | None) -> bool:
        """Whether what is awaited has come, or the run that was to bring it has ended."""
        record = self._records.get(run or "")
        return found() is not None or (run is not None and (record is None or not record.snapshot.active))

    def _ask_for(self, purpose: Purpose, config: AnyConfig, step: int) -> str | None:
        """The run that will bring these weights, or this look; None while the line for a place is too long.

        It is nobody's own run, and ends when nobody asks again. One that nobody has asked about for a while makes way.
        """
        run = self._under_way(purpose, config, step)
        if run is None:
            try:
                run = self.start(config, step, purpose=purpose)
            except Refused as refused:
                if not refused.passing:
                    raise
                return None
        record = self._records[run]
        record.asked = time.monotonic()
        self.leave(run, UNASKED)
        if record.snapshot.state == "waiting":
            idle = forsaken(self._records.all, waiting=False)
            for other in [other for other in idle if other.purpose == purpose][:1]:
                self.forget(other.snapshot.run)
        return run

    def _under_way(self, purpose: Purpose, config: AnyConfig, step: int) -> str | None:
        """The run that is to bring this. Refused, once, if it has ended without."""
        run = self._records.bringing(purpose, config, step)
        seen = None if run is None else self._records[run].snapshot
        if run is None or seen is None or seen.active:
            return run
        del self._records[run]
        if seen.state in ("failed", "lost"):
            raise Refused(seen.reason or "lost", passing=seen.state == "lost")
        return None

    def _known(self, config: AnyConfig, step: int) -> Tensor | AnyModel | None:
        """A model in the cache, or the weights for it."""
        found: Tensor | AnyModel | None = self._cache.get((config, step))
        return self._records.weights(config, step) if found is None else found

    def _call_next(self) -> None:
        """Give the places that are free to those who wait."""
        for left in forsaken(self._records.all, waiting=True):
            del self._records[left.snapshot.run]
        while record := next_in_line(self._records.all, self.slots):
            record.worker, record.spent = self._worker(), 0.0
            self._pace.first_reports.begin(time.monotonic(), sum(other.unseen for other in self._records.values()))
            self._show(record, state="running")
            config = record.snapshot.config.to_dict()
            self._send(record, do="start", config=config, until=record.until, want=record.purpose)

    def _worker(self) -> Worker:
        busy = load(self._records.all, self._tasks.workers, self._pace.speed)
        return self.engine.worker(busy)

    def _go_on(self, run: str, until: int | None) -> None:
        """From its rest, to the next."""
        with self._changed:
            record = self._records.get(run)
            if record is not None and record.snapshot.state == "paused":
                record.until = until

    def _ask(self, do: str, run: str, answered: Callable[[Snapshot], bool]) -> None:
        """Send a command and wait for its effect, so that the page drawn next shows it."""
        with self._changed:
            record = self._records.get(run)
            if record is not None and record.snapshot.placed:
                self._send(record, do=do)
                self.wait(run, answered, self.patience)

    def _send(self, record: Record, **command: Any) -> None:
        assert record.worker is not None
        record.worker.send(command | {"run": record.snapshot.run})

    def _hear(self, worker: Worker, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        with self._changed:
            self._tasks.hear(header, arrays)
            record = self._records.get(header["run"])
            if record is None or record.worker is not worker:
                return
            before, unseen, spent, now = record.snapshot, record.unseen, record.spent, time.monotonic()
            changes = record.hear(header, arrays)
            if record.weights_step in before.config.moments:
                record.keep(self._cache)
            if record.purpose == "look" and arrays:
                self._cache.put((before.config, "look"), History(**arrays))
            if before.state == "running" and not unseen and record.spent > spent:
                self._pace.speed.note(record.work * max(0, header["step"] - before.step), record.spent - spent)
            self._show(record, **changes, place=worker.place)
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
        record.keep(self._cache)
        record.weights = None
        for other in self._records.surplus():
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

    def _end_left(self, run: str, timer: threading.Timer) -> None:
        """The time is over, unless its reader has come back while the timer waited for its turn."""
        with self._changed:
            record = self._records.get(run)
            if record is not None and record.leaving is timer:
                self.forget(run)


all_runs = Runs(engine_in_use)  # of all readers of this server; a Streamlit cache could be emptied by any browser
atexit.register(all_runs.close)
