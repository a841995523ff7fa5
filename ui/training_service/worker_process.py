"""A worker on this machine: a process to send commands to, and a thread that hears its messages."""

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from ui.training_service import protocol
from ui.training_service.engine import Hear, Lose

ROOT = Path(__file__).parents[2]


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
