"""The engine of a server alone: workers that are processes on this machine, each with a thread that hears it."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from ui.training_service import protocol
from ui.training_service.engine import Hear, Load, Lose
from ui.training_service.memory_budget import WORKERS

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "ui.training_service.worker")
NICENESS = 10  # the pages come first


class WorkerProcess:
    """One worker, from its start to its death."""

    place = ""

    def __init__(self, command: Sequence[str], hear: Hear, lose: Lose) -> None:
        self._hear, self._tell = hear, lose
        self._gone = False
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return not self._gone and self._process.poll() is None

    def send(self, command: Mapping[str, Any]) -> None:
        stdin = cast(IO[bytes], self._process.stdin)
        try:
            stdin.write(json.dumps(command).encode() + b"\n")
            stdin.flush()
        except (OSError, ValueError):  # the pipe is broken, or closed
            self._lose()

    def close(self) -> None:
        """Close its stdin, which ends it, and wait for the end."""
        _close(self._process.stdin)
        self._process.wait()

    def _listen(self) -> None:
        try:
            while True:
                self._hear(self, *protocol.read(cast(IO[bytes], self._process.stdout)))
        except (EOFError, ValueError):  # it is gone, perhaps in the middle of a message
            self._lose()
        finally:
            self.close()
            _close(self._process.stdout)

    def _lose(self) -> None:
        self._gone = True  # a process whose pipes are closed may not have ended yet
        self._tell(self)


def _close(pipe: IO[bytes] | None) -> None:
    with suppress(OSError):  # closing flushes, and the other end may be gone
        cast(IO[bytes], pipe).close()


class LocalEngine:
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
