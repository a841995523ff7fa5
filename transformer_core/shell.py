"""What every command of ours owes its shell: its release, letters for any console, one sentence for what is wrong.

A command ends with 0 where it has done its work, 2 where a sentence on stderr says why not, 130 by Ctrl-C, 143 where it
was told to end (SIGTERM) and 141 where nobody reads what it prints.
"""

import argparse
import codecs
import io
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

from transformer_core import interrupted

RELEASE = "2.0"  # of this program: the one place that says it
UNREAD = 141

# How our texts are written where a console has no such sign; letters that are not listed become escapes, \u732b.
PLAIN = {"√": "sqrt ", "→": "->", "−": "-", "…": "...", "·": "*", "×": "x", "“": '"', "”": '"'}


def _plain(problem: UnicodeError) -> tuple[str | bytes, int]:
    """For `codecs`: what stands for the letters that could not be encoded."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    escape = codecs.lookup_error("backslashreplace")
    letters = problem.object[problem.start : problem.end]
    said = [PLAIN.get(letter) or escape(UnicodeEncodeError("", letter, 0, 1, ""))[0] for letter in letters]
    return "".join(map(str, said)), problem.end


codecs.register_error("glassformer", _plain)


class Parser(argparse.ArgumentParser):
    """Knows `--version`, and says in one sentence what it does not understand."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.add_argument("--version", action="version", version=f"Glassformer {RELEASE}")

    def error(self, message: str) -> NoReturn:
        self.refuse(f"{message.removesuffix('.')}; --help lists what there is")

    def refuse(self, sentence: str) -> NoReturn:
        """End the command, for this reason."""
        self.exit(2, f"{self.prog}: {sentence}\n")


class StopSignal:
    """Ctrl-C and SIGTERM while the block lasts: the first is kept in `status`, for the block to end where it can.

    A second one is an interruption at once.
    """

    status = 0  # 130 or 143 once it has come
    _SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __enter__(self) -> "StopSignal":
        self._before = [signal.signal(number, self._told) for number in self._SIGNALS]
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in zip(self._SIGNALS, self._before):
            signal.signal(number, handler)

    def _told(self, number: int, frame: FrameType | None) -> None:
        if self.status:
            raise KeyboardInterrupt
        self.status = 128 + number


class ProgressLine:
    """A line on a terminal about work that takes longer than `AFTER` seconds: how far it is, and the time left."""

    AFTER, EVERY = 3.0, 0.2  # seconds

    def __init__(self, total: int, begun: int = 0, *, quiet: bool = False) -> None:
        self.total, self.begun = total, begun
        self._shows = not quiet and sys.stderr.isatty()
        self._started = time.monotonic()
        self._next, self._written = self._started + self.AFTER, 0

    def at(self, step: int) -> None:
        """So many of `total` are done."""
        now, done = time.monotonic(), step - self.begun
        if self._shows and done and now >= self._next:
            left = (now - self._started) / done * (self.total - step)
            self._write(f"step {step} of {self.total}, {_span(left)} left")
            self._next = now + self.EVERY

    def clear(self) -> None:
        """Make room for another line."""
        if self._written:
            self._write("")

    def _write(self, line: str) -> None:
        print(f"\r{line:{self._written}}", end="" if line else "\r", file=sys.stderr, flush=True)
        self._written = len(line)


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def run(command: Callable[[], int]) -> NoReturn:
    """The command as a program, to its end: what it returns is its status. No end has a traceback but that of a bug."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="glassformer")
    try:
        try:
            status: Any = command()
        except SystemExit as end:  # argparse's, after --help
            status = end.code
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        unread()
        status = UNREAD
    except KeyboardInterrupt:
        status = interrupted.STATUS
    except OSError as problem:  # a full disk, say
        print(problem.strerror or problem, file=sys.stderr)
        unread()
        status = 2
    sys.exit(status)


def unread() -> None:
    """From now on what is printed goes nowhere: nobody reads it any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
