"""Runs of models of one stack, which learn rows of words: one for all readers whose settings are the same."""

import threading
from dataclasses import dataclass, field

from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_file import OneStackCheckpoint
from ui.training_service.queue import Refused
from ui.training_service.registry import RowSnapshot
from ui.training_service.runs import Runs, all_runs

PATIENCE = 1.0  # seconds that a page waits for a model that has to be trained again


@dataclass
class Readers:
    """Of a run: who has it on a page, and whether they want it to go on; and whose page is open."""

    run: str
    want: dict[str, bool] = field(default_factory=dict)
    here: set[str] = field(default_factory=set)

    @property
    def wanted(self) -> bool:
        return any(self.want.values())


class RowRuns:
    """A run moves while one of its readers wants it to. It ends, as any run does, some time after the last has left;
    what has come to its end is known to all."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self._lock = threading.Lock()  # never held while a worker's answer is waited for
        self._known: dict[RowConfig, Readers] = {}

    def look(self, config: RowConfig) -> RowSnapshot | None:
        known = self._known.get(config)
        return None if known is None else self.runs.snapshot(known.run)

    def wanted(self, config: RowConfig, reader: str) -> bool:
        """Whether this reader wants it to go on, or has until it was through."""
        known = self._known.get(config)
        return known is not None and known.want.get(reader, False)

    def waits(self, config: RowConfig, reader: str) -> bool:
        """Whether this reader wants it to go on, and it does, or will."""
        seen = self.look(config)
        return seen is not None and seen.going and self.wanted(config, reader)

    def begin(self, config: RowConfig, reader: str) -> None:
        """Train it, or go on with it where it rests, or with those who train it. Refused if there is no place."""
        with self._lock:
            seen = self.look(config)
            if seen is None or seen.state in ("done", "stopped", "failed"):
                self._known[config] = Readers(self.runs.start(config))
                if seen is not None:
                    self.runs.forget(seen.run)
            known = self._known[config]
            known.want[reader] = True
            known.here.add(reader)
            for forgotten in [other for other in self._known if self.look(other) is None]:
                del self._known[forgotten]
        self.runs.stay(known.run)
        if seen is not None and seen.state in ("paused", "lost"):
            (self.runs.resume if seen.state == "paused" else self.runs.restart)(known.run)

    def pause(self, config: RowConfig, reader: str) -> None:
        """This reader waits no longer. The run rests when nobody does."""
        with self._lock:
            seen, known = self.look(config), self._known.get(config)
            if seen is None or known is None:
                return
            known.want[reader] = False
            if known.wanted:
                return
        if seen.state == "waiting":
            self.runs.forget(known.run)
            return
        self.runs.pause(known.run)
        if known.wanted:  # somebody has come meanwhile
            self.runs.resume(known.run)

    def leave(self, reader: str) -> None:
        """The last page of this reader is closed."""
        with self._lock:
            for config, known in self._known.items():
                known.here.discard(reader)
                seen = self.look(config)
                if not known.here and seen is not None and seen.active:
                    self.runs.leave(known.run)

    def stay(self, reader: str) -> None:
        """A page of this reader is open, perhaps again."""
        with self._lock:
            for known in self._known.values():
                if reader in known.want:
                    known.here.add(reader)
                    self.runs.stay(known.run)

    def model(self, config: RowConfig, step: int) -> OneStackCheckpoint | None:
        """The model after this step; None where others have taken its room, and it is being trained again."""
        try:
            model = self.runs.model(config, step, PATIENCE)
        except Refused:
            return None
        return None if model is None else OneStackCheckpoint(model, config, step)


row_runs = RowRuns(all_runs)
