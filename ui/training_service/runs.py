"""All readers' training runs: what a page may do with its own, and the models and first looks that pages wait for.

Pages call these methods and read snapshots. Nothing here knows Streamlit.
"""

import atexit
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.models import fresh_model, model_with
from ui.training_service.eta import Eta
from ui.training_service.queue import forsaken
from ui.training_service.registry import Register
from ui.training_service.run_records import Snapshot
from ui.training_service.selected_engine import chosen
from ui.training_service.slots import Purpose, Refused
from ui.training_service.worker import SMALL_MODEL

UNASKED = 120.0  # seconds a run for a link goes on after the last page asked for it; a hidden tab asks once a minute
ASK_AGAIN = 1.0  # seconds after which a page that waits for a run asks again


class Runs(Register):
    """The runs of one server. Safe to call from any thread."""

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
        self._go_on(run, until=None)
        self._ask("resume", run, lambda seen: seen.state != "paused")

    def step(self, run: str) -> None:
        """One step of a paused run."""
        before = self.snapshot(run)
        if before is not None:
            at = before.step
            self._go_on(run, until=at + 1)
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
            return self._cache.get_or_make((config, 0), lambda: fresh_model(config).eval())
        self.slots.fit(config)
        step = min(step, config.steps)
        known: Tensor | EncoderDecoder | None = self._awaited(
            partial(self._known, config, step), "weights", config, step, seconds
        )
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

    def eta_of(self, config: TrainConfig, step: int | None = None) -> Eta | None:
        """The same of what a link waits for: the model after `step` steps, or without one the first look."""
        with self._changed:
            purpose: Purpose = "look" if step is None else "weights"
            run = self._bringing(purpose, config, min(step or 0, config.steps))
            return None if run is None else self.eta(run)

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

    def _known(self, config: TrainConfig, step: int) -> Tensor | EncoderDecoder | None:
        """A model that is kept, or the weights for it."""
        found: Tensor | EncoderDecoder | None = self._cache.get((config, step))
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


all_runs = Runs(chosen)  # of all readers of this server; a Streamlit cache could be emptied by any visitor's browser
atexit.register(all_runs.close)
