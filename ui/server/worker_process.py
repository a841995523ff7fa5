"""The worker seen from the app: a process to send commands to, and a thread that hears its messages."""

import json
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from ui.server import messages

ROOT = Path(__file__).parents[2]


class WorkerProcess:
    """One worker, from its start to its death. `hear` and `lose` are called with the worker, from other threads."""

    def __init__(
        self,
        command: Sequence[str],
        hear: Callable[["WorkerProcess", dict[str, Any], dict[str, np.ndarray]], None],
        lose: Callable[["WorkerProcess"], None],
    ) -> None:
        self._hear, self._lose = hear, lose
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def send(self, command: Mapping[str, Any]) -> None:
        stdin = cast(IO[bytes], self._process.stdin)
        try:
            stdin.write(json.dumps(command).encode() + b"\n")
            stdin.flush()
        except (OSError, ValueError):  # the pipe is broken, or closed
            self._lose(self)

    def close(self) -> None:
        """Close its stdin, which ends it, and wait for the end."""
        _close(self._process.stdin)
        self._process.wait()

    def _listen(self) -> None:
        try:
            while True:
                self._hear(self, *messages.read(cast(IO[bytes], self._process.stdout)))
        except (EOFError, ValueError):  # it is gone, perhaps in the middle of a message
            self._lose(self)
        finally:
            self.close()
            _close(self._process.stdout)


def _close(pipe: IO[bytes] | None) -> None:
    with suppress(OSError):  # closing flushes, and the other end may be gone
        cast(IO[bytes], pipe).close()
