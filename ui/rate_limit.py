"""How often something may be done: a bucket that fills by the clock, and one for each of many."""

from collections.abc import Hashable
from dataclasses import dataclass


@dataclass
class RateLimit:
    """`most` at once, and `rate` more in every second. Times come from one clock that never goes back."""

    most: float
    rate: float
    left: float | None = None  # None: all
    at: float = 0.0

    def has(self, now: float) -> bool:
        """Whether one more may be done."""
        left = self.most if self.left is None else min(self.most, self.left + self.rate * (now - self.at))
        self.left, self.at = left, now
        return left >= 1

    def take(self, now: float) -> bool:
        """Do one more, if it may be done."""
        if not self.has(now):
            return False
        assert self.left is not None
        self.left -= 1
        return True


class RateLimits:
    """The same for each name. Of more than `names` the one that was heard of longest ago begins anew."""

    def __init__(self, most: float, rate: float, names: int) -> None:
        self.most, self.rate, self.names = most, rate, names
        self._of: dict[Hashable, RateLimit] = {}

    def of(self, name: Hashable) -> RateLimit:
        found = self._of.pop(name, None) or RateLimit(self.most, self.rate)
        self._of[name] = found
        if len(self._of) > self.names:
            del self._of[next(iter(self._of))]
        return found
