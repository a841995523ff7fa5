"""Who may train now: the workers' places and memory, shared out so that links cannot keep readers from training."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from transformer_core.training import memory
from transformer_core.training.config import TrainConfig
from ui.training_service.memory_budget import LARGE_RUNS, MB, SMALL_RUNS, WORKERS

Purpose = Literal["reports", "weights", "look"]  # a reader's run; the moment a link names; what a run begins with

SMALL = 3 * MB  # resting bytes of a run that needs no part of LARGE_RUNS


class Refused(RuntimeError):
    """What was asked for cannot be had. `reason` is the key of the sentence that says why, `limit` fills its blank.

    `passing`: it can be had later.
    """

    def __init__(self, reason: str, limit: int = 0, *, passing: bool = False) -> None:
        super().__init__(f"{reason} {limit}")
        self.reason = reason
        self.limit = limit
        self.passing = passing


@dataclass(frozen=True)
class Slots:
    """How many runs of each purpose may be active at once, and the bytes of all together."""

    reports: int = 64
    linked: int = 4  # of them, for runs that a link started and nobody asked for by hand
    weights: int = 4
    look: int = 4
    waiting: int = 256  # runs that wait for one of these places
    small: int = SMALL_RUNS
    large: int = LARGE_RUNS
    at_once: int = WORKERS  # runs at work while the others rest

    def has_room(self, config: TrainConfig, purpose: Purpose, placed: Sequence[tuple[TrainConfig, Purpose]]) -> bool:
        """Whether one more run has a place, and its memory, beside those that have theirs."""
        if sum(other == purpose for _, other in placed) >= getattr(self, purpose):
            return False
        beside = [other for other, _ in placed if small(other) == small(config)]
        return self._bytes([*beside, config]) <= (self.small if small(config) else self.large)

    def fit(self, config: TrainConfig) -> None:
        """Refused if the run is too large for this server even when nothing else is trained."""
        if not small(config) and config.memory > self.large:
            raise Refused("too_big", self.large // MB)

    def _bytes(self, configs: Sequence[TrainConfig]) -> int:
        """All rest in memory, and one of each worker's is at work: at most those that take most."""
        working = sorted(map(memory.working, configs), reverse=True)
        return sum(map(memory.resting, configs)) + sum(working[: self.at_once])


def small(config: TrainConfig) -> bool:
    """Whether a run takes its memory from what is kept for small ones."""
    return memory.resting(config) <= SMALL
