"""All readers' training runs: starts the worker, keeps what it reports, and survives its death.

Pages call these methods and read snapshots; a thread of its own listens to the worker. Nothing here knows Streamlit.
"""

import atexit
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.models import fresh_model, model_with
from ui.server.errands import Errands, Hear
from ui.server.kept import Kept, kept
from ui.server.line import forsaken, next_in_line
from ui.server.outlook import Measured, Outlook, outlook
from ui.server.places import Places, Purpose, Refused
from ui.server.records import Record, Snapshot, surplus
from ui.server.worker import SMALL_MODEL
from ui.server.worker_process import WorkerProcess

COMMAND = (sys.executable, "-m", "ui.server.worker")
GRACE = 20.0  # seconds a run outlives its reader, who may only have reloaded the page
UNASKED = 120.0  # seconds a run for a link goes on after the last page asked for it; a hidden tab asks once a minute
ASK_AGAIN = 1.0  # seconds after which a page that waits for a run asks again
PATIENCE = 5.0  # seconds a page waits for the worker before it goes on with what is known


class Runs:
    """The runs of one server. Safe to call from any thread."""

    def __init__(
        self, command: Sequence[str] = COMMAND, grace: float = GRACE, places: Places | None = None, store: Kept = kept
    ) -> None:
        self.places = places or Places()
        self.patience = PATIENCE
        self._command = command
        self._grace = grace
        self._kept = store
        self._changed = threading.Condition(threading.RLock())
        self._records: dict[str, Record] = {}
        self._worker: WorkerProcess | None = None
        self._errands = Errands()
        self._measured = Measured()

    def warm(self) -> None:
        """Start the worker ahead of the first run: it needs a second or two to import PyTorch."""
        with self._changed:
            self._living_worker()

    def start(
        self, config: TrainConfig, until: int | None = None, *, owner: str | None = None, linked: bool = False
    ) -> str:
        """A new run, by its name; it pauses at step `until`. While others have all places, or their memory, it waits.

        Refused if it can never fit, or too many wait.

        `owner` is the browser that may `adopt` it later; `linked` runs, which no hand has started, have few places.
        """
        return self._start(config, until, "reports", owner, linked)

    def pause(self, run: str) -> None:
        self._ask("pause", run, lambda seen: seen.state != "running")

    def resume(self, run: str) -> None:
        self._ask("resume", run, lambda seen: seen.state != "paused")

    def step(self, run: str) -> None:
        """One step of a paused run."""
        before = self.snapshot(run)
        if before is not None:
            at = before.step
            self._ask("step", run, lambda seen: seen.state != "running" and (seen.step > at or not seen.active))

    def stop(self, run: str) -> None:
        """End a run; what it has reached is kept."""
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
                record.leaving = threading.Timer(self._grace if grace is None else grace, self.forget, [run])
                record.leaving.daemon = True
                record.leaving.start()

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

    def outlook(self, run: str) -> Outlook | None:
        """What a reader who waits for this run is told; None where there is nothing to wait for."""
        with self._changed:
            record = self._records.get(run)
            return None if record is None else outlook(record, list(self._records.values()), self._measured)

    def outlook_of(self, config: TrainConfig, step: int | None = None) -> Outlook | None:
        """The same of what a link waits for: the model after `step` steps, or without one the first look."""
        with self._changed:
            purpose: Purpose = "look" if step is None else "weights"
            run = self._bringing(purpose, config, min(step or 0, config.steps))
            return None if run is None else self.outlook(run)

    def wait(self, run: str, until: Callable[[Snapshot], bool], seconds: float) -> Snapshot | None:
        """The first snapshot that is as wanted, or the one after `seconds`; None once it has been forgotten."""
        with self._changed:
            self._changed.wait_for(lambda: (seen := self.snapshot(run)) is None or until(seen), seconds)
            return self.snapshot(run)

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

    def model(self, config: TrainConfig, step: int, seconds: float | None = None) -> EncoderDecoder | None:
        """The model after `step` steps of a run with these settings, whoever ran it, trained now if need be.

        None if that takes longer than `seconds` (`patience`): ask again later. Refused if it cannot be trained at all.
        """
        if step == 0:  # which nobody needs to train
            return self._kept.made((config, 0), lambda: fresh_model(config).eval())
        self.places.fit(config)
        step = min(step, config.steps)
        known: Tensor | EncoderDecoder | None = self._awaited(
            partial(self._known, config, step), "weights", config, step, seconds
        )
        if isinstance(known, Tensor):
            return self._kept.put((config, step), model_with(config, known))
        return known

    def first_look(self, config: TrainConfig, seconds: float | None = None, *, ask: bool = True) -> History | None:
        """What a run with these settings begins with: the report of the untrained model; unless `ask`, if it is known.

        None if that takes longer than `seconds` (`patience`): ask again later. Refused if it cannot be trained at all.
        """
        self.places.fit(config)
        found = partial(self._kept.get, (config, "look"))
        return self._awaited(found, "look", config, 0, seconds) if ask else found()

    def send_errand(self, hear: Hear, **command: Any) -> str:
        """Let the worker do something besides training. `hear` is called from another thread, with the lock held."""
        with self._changed:
            return self._errands.send(self._living_worker(), hear, command)

    def end_errand(self, name: str) -> None:
        with self._changed:
            self._errands.end(name)

    def close(self) -> None:
        """End the worker and forget all runs, as the end of the server does: none that waits may start another."""
        with self._changed:
            worker, self._worker = self._worker, None
            self._records.clear()
            self._changed.notify_all()
        if worker is not None:
            worker.close()

    def _start(
        self, config: TrainConfig, until: int | None, purpose: Purpose, owner: str | None = None, linked: bool = False
    ) -> str:
        with self._changed:
            active = [record for record in self._records.values() if record.snapshot.active]
            if linked and sum(record.linked for record in active) >= self.places.linked:
                raise Refused("linked", self.places.linked, passing=True)
            self.places.fit(config)
            if sum(record.snapshot.state == "waiting" for record in active) >= self.places.waiting:
                raise Refused("too_many", self.places.waiting, passing=True)
            run = uuid.uuid4().hex[:12]
            self._records[run] = Record(
                Snapshot(run, config), self._living_worker(), purpose, until, owner, linked, time.monotonic()
            )
            self._call_next()
            return run

    def _call_next(self) -> None:
        """Give the places that are free to those who wait."""
        for left in forsaken(list(self._records.values()), waiting=True):
            del self._records[left.snapshot.run]
        while record := next_in_line(list(self._records.values()), self.places):
            record.worker, record.spent = self._living_worker(), 0.0
            self._measured.looks.begin(time.monotonic(), sum(other.unseen for other in self._records.values()))
            self._show(record, state="running")
            config = record.snapshot.config.to_dict()
            self._send(record, do="start", config=config, until=record.until, want=record.purpose)

    def _awaited(
        self, found: Callable[[], Any], purpose: Purpose, config: TrainConfig, step: int, seconds: float | None
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

    def _ask_for(self, purpose: Purpose, config: TrainConfig, step: int) -> str | None:
        """The run that will bring these weights, or this look; None while the line for a place is too long.

        It is nobody's own run, and ends when nobody asks again. One that nobody has asked about for a while makes way.
        """
        run = self._under_way(purpose, config, step)
        if run is None:
            try:
                run = self._start(config, step, purpose)
            except Refused as refused:
                if not refused.passing:
                    raise
                return None
        record = self._records[run]
        record.asked = time.monotonic()
        self.leave(run, UNASKED)
        if record.snapshot.state == "waiting":
            idle = forsaken(list(self._records.values()), waiting=False)
            for other in [other for other in idle if other.purpose == purpose][:1]:
                self.forget(other.snapshot.run)
        return run

    def _ask(self, do: str, run: str, answered: Callable[[Snapshot], bool]) -> None:
        """Send a command and wait for its effect, so that the page drawn next shows it."""
        with self._changed:
            record = self._records.get(run)
            if record is not None and record.snapshot.placed:
                self._send(record, do=do)
                self.wait(run, answered, self.patience)

    def _known(self, config: TrainConfig, step: int) -> Tensor | EncoderDecoder | None:
        """A model that is kept, or the weights for it."""
        found: Tensor | EncoderDecoder | None = self._kept.get((config, step))
        for record in self._records.values():
            if found is None and record.weights_step == step and record.snapshot.config == config:
                found = record.weights
        return found

    def _bringing(self, purpose: Purpose, config: TrainConfig, step: int) -> str | None:
        """The run of this purpose that is to bring this, or was."""
        for run, record in self._records.items():
            if record.purpose == purpose and record.snapshot.config == config and record.until == step:
                return run
        return None

    def _under_way(self, purpose: Purpose, config: TrainConfig, step: int) -> str | None:
        """The run that is to bring this. Refused, once, if it has ended without."""
        run = self._bringing(purpose, config, step)
        seen = None if run is None else self._records[run].snapshot
        if run is None or seen is None or seen.active:
            return run
        del self._records[run]
        if seen.state in ("failed", "lost"):
            raise Refused(seen.reason or "lost", passing=seen.state == "lost")
        return None

    def _living_worker(self) -> WorkerProcess:
        if self._worker is None or not self._worker.alive:
            self._worker = WorkerProcess(self._command, self._hear, self._lose)
        return self._worker

    def _send(self, record: Record, **command: Any) -> None:
        record.worker.send(command | {"run": record.snapshot.run})

    def _hear(self, worker: WorkerProcess, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        with self._changed:
            self._errands.hear(header, arrays)
            record = self._records.get(header["run"])
            if record is None or record.worker is not worker:
                return
            weights = arrays.pop("weights", None)
            if weights is not None and header["step"] >= record.weights_step:
                record.weights, record.weights_step = torch.from_numpy(weights), header["step"]
            if record.purpose == "look" and arrays:
                self._kept.put((record.snapshot.config, "look"), History(**arrays))
            seen, unseen, now = record.snapshot, record.unseen, time.monotonic()
            spent = header.get("spent", record.spent) - record.spent
            if record.snapshot.state == "running" and not unseen and spent > 0:
                self._measured.speed.note(record.work * max(0, header["step"] - seen.step), spent)
            record.spent += spent
            self._show(
                record,
                history=seen.history.then(History(**arrays)) if arrays else seen.history,
                step=max(seen.step, header["step"]),
                state=header["state"] if seen.active else seen.state,
                reason=header["reason"],
            )
            if unseen and not record.unseen:
                self._measured.looked(now, record.spent)
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
        if record.weights is not None and self._kept.get((config, step)) is None:
            self._kept.put((config, step), record.weights)
        record.weights = None
        for other in surplus(list(self._records.values())):
            del self._records[other.snapshot.run]

    def _lose(self, worker: WorkerProcess) -> None:
        """The worker has died: its runs are lost, though nothing of what they have reported."""
        with self._changed:
            if self._worker is worker:
                self._worker = None
            self._errands.lose(worker)
            for record in [record for record in self._records.values() if record.snapshot.placed]:
                if record.worker is worker:
                    if record.purpose == "reports":
                        record.until = record.snapshot.step if record.snapshot.state == "paused" else None
                    self._show(record, state="lost")


all_runs = Runs()  # of all readers of this server; a Streamlit cache could be emptied by any visitor's browser
atexit.register(all_runs.close)
