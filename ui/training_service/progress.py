"""How far a reader's training has come, as one value: a page is drawn for it."""

from dataclasses import dataclass
from typing import Literal

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from ui.training_service.eta import Eta
from ui.training_service.queue import Refused
from ui.training_service.registry import Moment, Snapshot
from ui.training_service.runs import Runs

# none: there is no run, and an untrained model to look at; asked: a place, or the first look, is awaited; running;
# fresh: at rest, with a model that chapters were not given yet; resting: paused or over; lost: with the worker.
Stage = Literal["none", "asked", "running", "fresh", "resting", "lost"]


@dataclass(frozen=True)
class RunProgress:
    """Of a run, or without one of what a run with these settings begins with."""

    config: TrainConfig
    seen: Snapshot | None  # the run
    history: History | None  # what there is to look at; None while it is awaited
    at: int  # the step that is looked at
    eta: Eta | None  # how long it takes, where something is awaited
    handed: Moment | None  # the model that all chapters were given last

    @property
    def stage(self) -> Stage:
        if self.seen and self.seen.state == "running":
            return "running"
        if self.history is None or (self.seen and self.seen.state in ("waiting", "queued")):
            return "asked"
        if self.seen is None:
            return "none"
        if self.seen.state == "lost":
            return "lost"
        return "resting" if self.seen.rests_at in (None, self.handed) else "fresh"

    @property
    def going(self) -> bool:
        """The run moves by itself, or will."""
        return self.seen is not None and self.seen.going

    @property
    def last(self) -> int:
        """The step that curves are drawn up to: a run under way is past its last record of the probe."""
        return int(self.history.step[-1]) if self.history and self.going else self.at


def progress_of(
    runs: Runs, seen: Snapshot | None, config: TrainConfig, handed: Moment | None, at: int, seconds: float
) -> RunProgress:
    """As `ReaderSession.progress` says."""
    config = seen.config if seen else config
    seen, history = _looked_at(runs, seen, config, seconds)
    steps = history.probe_step.tolist() if history else [0]
    going = seen is not None and seen.going
    return RunProgress(
        config,
        seen,
        history,
        steps[-1] if going else min(steps, key=lambda step: abs(step - at)),
        runs.eta(seen.run) if seen else runs.eta_of(config),
        handed,
    )


def _looked_at(
    runs: Runs, seen: Snapshot | None, config: TrainConfig, seconds: float
) -> tuple[Snapshot | None, History | None]:
    """The run as it is now, and its reports, or those that it begins with."""
    placed = seen is not None and seen.placed
    if seen and placed:
        seen = runs.wait(seen.run, lambda seen: len(seen.history.probe_step) > 0 or not seen.active, seconds)
    if seen and len(seen.history.probe_step):
        return seen, seen.history
    try:
        return seen, runs.first_look(config, seconds, ask=not placed)  # such a run brings it by itself
    except Refused:  # the worker has died; the next look finds another one
        return seen, None
