"""Who may train now, and who is next: places with the workers and their memory, shared out so that links cannot keep
readers from training, and the runs that wait for one, in the order of their coming."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from transformer_core.training.any_run import AnyConfig
from ui.training_service.memory_budget import LARGE_RUNS, MB, SMALL_RUNS, WORKERS
from ui.training_service.registry import Purpose, Record

FORSAKEN = 10.0  # seconds without a question after which a run for a link gives its place to another
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

    def has_room(self, config: AnyConfig, purpose: Purpose, placed: Sequence[tuple[AnyConfig, Purpose]]) -> bool:
        """Whether one more run has a place, and its memory, beside those that have theirs."""
        if sum(other == purpose for _, other in placed) >= getattr(self, purpose):
            return False
        beside = [other for other, _ in placed if small(other) == small(config)]
        return self._bytes([*beside, config]) <= (self.small if small(config) else self.large)

    def fit(self, config: AnyConfig) -> None:
        """Refused if the run is too large for this server even when nothing else is trained."""
        if not small(config) and config.memory > self.large:
            raise Refused("too_big", self.large // MB)

    def _bytes(self, configs: Sequence[AnyConfig]) -> int:
        """All rest in memory, and one of each worker's is at work: at most those that take most."""
        working = sorted((config.working for config in configs), reverse=True)
        return sum(config.resting for config in configs) + sum(working[: self.at_once])


def small(config: AnyConfig) -> bool:
    """Whether a run takes its memory from what is kept for small ones."""
    return config.resting <= SMALL


def next_in_line(records: Sequence[Record], slots: Slots) -> Record | None:
    """The first of those who wait for whom there is a place; the records are in the order of their coming.

    One whose place would have to be larger keeps back those of its own kind alone.
    """
    placed = [(record.snapshot.config, record.purpose) for record in records if record.snapshot.placed]
    kept_back = set[tuple[Purpose, bool]]()
    for record in records:
        kind = record.purpose, small(record.snapshot.config)
        if record.snapshot.state == "waiting" and kind not in kept_back:
            if slots.has_room(record.snapshot.config, record.purpose, placed):
                return record
            kept_back.add(kind)
    return None


def forsaken(records: Sequence[Record], *, waiting: bool) -> list[Record]:
    """Runs for links whose pages have not asked for a while, in the line or in a place; the longest unasked first."""
    now = time.monotonic()
    found = [
        record
        for record in records
        if record.purpose != "reports"
        and (record.snapshot.state == "waiting" if waiting else record.snapshot.placed)
        and now - record.asked > FORSAKEN
    ]
    return sorted(found, key=lambda record: record.asked)
