"""The engine of a server alone: worker processes on this machine."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from ui.training_service.engine import Hear, Load, Lose
from ui.training_service.memory_budget import WORKERS
from ui.training_service.worker_process import WorkerProcess

COMMAND = (sys.executable, "-m", "ui.training_service.worker")
NICENESS = 10  # the pages come first


class Processes:
    """Up to `count` of them, each started when there is work for it."""

    trouble = ""

    def __init__(self, hear: Hear, lose: Lose, *, count: int = WORKERS, command: Sequence[str] = COMMAND) -> None:
        self.count = count
        self._process = partial(WorkerProcess, command, hear, lose)
        self._workers: list[WorkerProcess] = []

    def worker(self, load: Load) -> WorkerProcess:
        """One with nothing to do, or a new one; at last the one with least to do."""
        self._workers = [worker for worker in self._workers if worker.alive]
        if len(self._workers) < self.count and all(worker in load for worker in self._workers):
            try:
                self._workers.append(self._begin())
                return self._workers[-1]
            except OSError:  # no more processes are to be had here: those that there are do the work
                if not self._workers:
                    raise
        return min(self._workers, key=lambda worker: load.get(worker, 0.0))

    def warm(self) -> None:
        """Start one ahead of the first run: it needs a second or two to import PyTorch."""
        self.worker({})

    def close(self) -> None:
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.close()

    def _begin(self) -> WorkerProcess:
        """At low priority from the first: a class starts all at once, and each imports PyTorch."""
        worker = self._process()
        with suppress(OSError):  # it has gone already
            os.setpriority(os.PRIO_PROCESS, worker.pid, os.nice(0) + NICENESS)
        return worker
