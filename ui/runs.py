"""All readers' training runs: starts the worker, keeps what it reports, and survives its death.

Pages call these methods and read snapshots; a thread of its own listens to the worker. Nothing here knows Streamlit.
"""

import copy
import sys
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from transformer_core import EncoderDecoder
from transformer_core.history import EMPTY, History
from transformer_core.train_config import TrainConfig
from transformer_core.training_run import fresh_model
from transformer_core.worker import SMALL_MODEL
from ui.worker_process import WorkerProcess

COMMAND = (sys.executable, "-m", "transformer_core.worker")
MAX_RUNS = 40  # running or paused at once
MAX_MEMORY = 3 * 2**29  # bytes of all of them together
GRACE = 20.0  # seconds a run outlives its reader, who may only have reloaded the page
UNASKED = 120.0  # seconds a run for a link goes on after the last page asked for it; a hidden tab asks once a minute
MODELS_KEPT = 2**28  # bytes of models kept ready for other chapters
PATIENCE = 5.0  # seconds a page waits for the worker before it goes on with what is known
ACTIVE = ("running", "paused")


class Refused(RuntimeError):
    """What was asked for cannot be had. `reason` is the key of the sentence that says why, `limit` fills its blank."""

    def __init__(self, reason: str, limit: int = 0) -> None:
        super().__init__(f"{reason} {limit}")
        self.reason = reason
        self.limit = limit


@dataclass(frozen=True)
class Snapshot:
    """A run as far as it is known. It never changes; a later look is another snapshot."""

    run: str
    config: TrainConfig
    state: str = "running"  # running, paused, done, stopped, failed, lost (with the worker)
    step: int = 0
    reason: str = ""  # why it failed: diverged, broken
    history: History = EMPTY

    @property
    def active(self) -> bool:
        return self.state in ACTIVE


@dataclass
class _Record:
    """What is kept behind a snapshot."""

    snapshot: Snapshot
    worker: WorkerProcess
    measured: bool = True  # False: only the weights at step `until` are wanted
    until: int | None = None
    weights: np.ndarray | None = None
    weights_step: int = -1
    leaving: threading.Timer | None = None  # its reader has gone


class Runs:
    """The runs of one server. Safe to call from any thread."""

    def __init__(self, command: Sequence[str] = COMMAND, grace: float = GRACE) -> None:
        self._command = command
        self._grace = grace
        self._changed = threading.Condition(threading.RLock())
        self._records: dict[str, _Record] = {}
        self._models: OrderedDict[tuple[TrainConfig, int], EncoderDecoder] = OrderedDict()
        self._worker: WorkerProcess | None = None

    def warm(self) -> None:
        """Start the worker ahead of the first run: it needs a second or two to import PyTorch."""
        with self._changed:
            self._living_worker()

    def start(self, config: TrainConfig, until: int | None = None) -> str:
        """A new run, by its name; it pauses at step `until`. Refused if there are too many, or too large ones."""
        return self._start(config, until, measured=True)

    def pause(self, run: str) -> None:
        self._ask("pause", run, lambda seen: seen.state != "running")

    def resume(self, run: str) -> None:
        self._ask("resume", run, lambda seen: seen.state != "paused")

    def step(self, run: str) -> None:
        """One step of a paused run."""
        before = self._records[run].snapshot.step
        self._ask("step", run, lambda seen: seen.state != "running" and (seen.step > before or not seen.active))

    def stop(self, run: str) -> None:
        """End a run; what it has reached is kept."""
        self.pause(run)
        with self._changed:
            record = self._records[run]
            if record.snapshot.active:
                self._send(record, do="stop")
                self._show(record, state="stopped")

    def restart(self, run: str) -> None:
        """Train a lost run again, up to where it was, and on from there unless it was paused."""
        with self._changed:
            record = self._records[run]
            if record.snapshot.state == "lost":
                record.worker = self._living_worker()
                self._show(record, state="running")
                self._send_start(record)

    def forget(self, run: str) -> None:
        """End a run and drop all that is known of it."""
        with self._changed:
            record = self._records.pop(run, None)
            self._changed.notify_all()
            if record is not None and record.snapshot.active:
                self._send(record, do="stop")

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

    def adopt(self, config: TrainConfig) -> str | None:
        """A run with these settings whose reader has gone just now."""
        with self._changed:
            for run, record in self._records.items():
                if record.measured and record.leaving is not None and record.snapshot.config == config:
                    record.leaving.cancel()
                    record.leaving = None
                    return run
        return None

    def knows(self, run: str) -> bool:
        return run in self._records

    def snapshot(self, run: str) -> Snapshot:
        return self._records[run].snapshot

    def wait(self, run: str, until: Callable[[Snapshot], bool], seconds: float) -> Snapshot:
        """The first snapshot that is as wanted, or the one after `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: until(self._records[run].snapshot), seconds)
            return self._records[run].snapshot

    def latest(self, run: str) -> tuple[EncoderDecoder, int] | None:
        """The model of a run with the last weights that are known, in evaluation mode, and their step."""
        with self._changed:
            record = self._records[run]
            if record.snapshot.state == "running" and record.snapshot.config.parameters > SMALL_MODEL:
                asked = record.snapshot.step
                self._send(record, do="weights")
                self._changed.wait_for(
                    lambda: record.weights_step >= asked or record.snapshot.state != "running", PATIENCE
                )
            if record.weights is None:
                return None
            config, step, weights = record.snapshot.config, record.weights_step, record.weights
        return self._built(config, step, weights), step

    def model(self, config: TrainConfig, step: int, seconds: float = PATIENCE) -> EncoderDecoder | None:
        """The model after `step` steps of a run with these settings, whoever ran it, trained now if need be.

        None if that takes longer than `seconds`: ask again later. Refused if it cannot be trained at all.
        """
        if step == 0:
            return fresh_model(config).eval()
        step, deadline = min(step, config.steps), time.monotonic() + seconds
        while True:
            with self._changed:
                if (config, step) in self._models:
                    self._models.move_to_end((config, step))
                    return self._models[config, step]
                weights = self._weights(config, step)
                if weights is None:
                    run = self._awaited(config, step) or self._start(config, step, measured=False)
                    self.leave(run, UNASKED)  # it is nobody's own, and ends when nobody asks again
                if weights is None and not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    return None
            if weights is not None:
                return self._built(config, step, weights)

    def close(self) -> None:
        """End the worker, as the end of the server does."""
        with self._changed:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def _start(self, config: TrainConfig, until: int | None, *, measured: bool) -> str:
        with self._changed:
            active = [record.snapshot for record in self._records.values() if record.snapshot.active]
            if len(active) >= MAX_RUNS:
                raise Refused("too_many", MAX_RUNS)
            if sum(snapshot.config.memory for snapshot in active) + config.memory > MAX_MEMORY:
                raise Refused("too_large", MAX_MEMORY // 2**20)
            run = uuid.uuid4().hex[:12]
            record = _Record(Snapshot(run, config), self._living_worker(), measured, until)
            self._records[run] = record
            self._send_start(record)
            return run

    def _ask(self, do: str, run: str, answered: Callable[[Snapshot], bool]) -> None:
        """Send a command and wait for its effect, so that the page drawn next shows it."""
        with self._changed:
            record = self._records[run]
            if record.snapshot.active:
                self._send(record, do=do)
                self.wait(run, answered, PATIENCE)

    def _show(self, record: _Record, **changes: Any) -> None:
        record.snapshot = replace(record.snapshot, **changes)
        self._changed.notify_all()

    def _weights(self, config: TrainConfig, step: int) -> np.ndarray | None:
        found = [r.weights for r in self._records.values() if r.weights_step == step and r.snapshot.config == config]
        return found[0] if found else None

    def _awaited(self, config: TrainConfig, step: int) -> str | None:
        """The run that these weights are to come from. Refused, once, if it has ended without them."""
        for run, record in self._records.items():
            if not record.measured and record.snapshot.config == config and record.until == step:
                if record.snapshot.state in ("failed", "lost"):
                    del self._records[run]
                    raise Refused(record.snapshot.reason or "lost")
                return run
        return None

    def _built(self, config: TrainConfig, step: int, weights: np.ndarray) -> EncoderDecoder:
        with self._changed:
            if (config, step) in self._models:
                return self._models[config, step]
            known = next((model for (of, _), model in self._models.items() if of == config), None)
        model = fresh_model(config).eval() if known is None else copy.deepcopy(known)  # a copy is built sooner
        torch.nn.utils.vector_to_parameters(torch.tensor(weights), model.parameters())
        with self._changed:
            self._models[config, step] = model
            while len(self._models) > 1 and sum(4 * kept.parameters for kept, _ in self._models) > MODELS_KEPT:
                self._models.popitem(last=False)
        return model

    def _living_worker(self) -> WorkerProcess:
        if self._worker is None or not self._worker.alive:
            self._worker = WorkerProcess(self._command, self._hear, self._lose)
        return self._worker

    def _send_start(self, record: _Record) -> None:
        config = record.snapshot.config.to_dict()
        self._send(record, do="start", config=config, until=record.until, measured=record.measured)

    def _send(self, record: _Record, **command: Any) -> None:
        record.worker.send(command | {"run": record.snapshot.run})

    def _hear(self, worker: WorkerProcess, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        with self._changed:
            record = self._records.get(header["run"])
            if record is None or record.worker is not worker:
                return
            weights = arrays.pop("weights", None)
            if weights is not None and header["step"] >= record.weights_step:
                record.weights, record.weights_step = weights, header["step"]
            seen = record.snapshot
            self._show(
                record,
                history=seen.history.then(History(**arrays)) if arrays else seen.history,
                step=max(seen.step, header["step"]),
                state=header["state"] if seen.active else seen.state,
                reason=header["reason"],
            )
            if not record.measured and header["state"] != "running":
                self._send(record, do="stop")
                self.leave(header["run"])

    def _lose(self, worker: WorkerProcess) -> None:
        """The worker has died: its runs are lost, though nothing of what they have reported."""
        with self._changed:
            if self._worker is worker:
                self._worker = None
            for record in self._records.values():
                if record.worker is worker and record.snapshot.active:
                    if record.measured:
                        record.until = record.snapshot.step if record.snapshot.state == "paused" else None
                    self._show(record, state="lost")
