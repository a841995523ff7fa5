"""How often pages are drawn anew, how long that takes, and how often it fails: of all readers together."""

import threading
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

Part = Literal["page", "fragment"]

BOUNDS = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


@dataclass(frozen=True)
class Times:
    """Of all reruns of one kind."""

    counts: tuple[int, ...] = (0,) * (len(BOUNDS) + 1)  # that took at most BOUNDS[i], and more than the bound before
    seconds: float = 0.0  # all together
    failed: int = 0

    def and_one(self, seconds: float, *, failed: bool) -> "Times":
        at = bisect_left(BOUNDS, seconds)
        counts = (*self.counts[:at], self.counts[at] + 1, *self.counts[at + 1 :])
        return replace(self, counts=counts, seconds=self.seconds + seconds, failed=self.failed + failed)


class Reruns:
    """Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: Mapping[Part, Times] = {"page": Times(), "fragment": Times()}

    @property
    def seen(self) -> Mapping[Part, Times]:
        """As it is now; a later look is another one."""
        return self._known

    @contextmanager
    def timed(self, part: Part) -> Iterator[None]:
        """What the block does is one more. It has failed if it ends in an error; a rerun that makes way has not."""
        began, failed = time.perf_counter(), False
        try:
            yield
        except Exception:
            failed = True
            raise
        finally:
            seconds = time.perf_counter() - began
            with self._lock:
                self._known = {**self._known, part: self._known[part].and_one(seconds, failed=failed)}


all_reruns = Reruns()  # of all readers of this server
