"""What a reader who waits for a run is told: the place in line, and how long it takes by what was measured so far."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from ui.server.places import small
from ui.server.records import Record

LATE = 8  # of the first reports: by the last so many the next ones are judged
WINDOW = 15.0  # seconds of work by which the next ones are


@dataclass(frozen=True)
class Outlook:
    """`place` 1 comes next, and None means that it is at work; `seconds` is None while nothing like it was measured."""

    place: int | None = None
    seconds: float | None = None


class Looks:
    """How long the worker takes from one first report to the next, while somebody waits for them."""

    def __init__(self) -> None:
        self._taken = deque[float](maxlen=LATE)
        self._since: float | None = None  # when the one that it is at was begun

    def begin(self, now: float, waiting: int) -> None:
        """A run waits for its first report, besides so many others."""
        if not waiting:
            self._since = now

    def come(self, now: float) -> None:
        """A first report has come; the worker goes on to the next."""
        if self._since is not None:
            self._taken.append(now - self._since)
        self._since = now

    @property
    def seconds(self) -> float | None:
        return fmean(self._taken) if self._taken else None


class Speed:
    """How much work of all runs together the worker does in a second, by the last of it."""

    def __init__(self) -> None:
        self._done = deque[tuple[float, int]]()  # when, and how much by then

    def note(self, now: float, work: int) -> None:
        """So much more has been done by now."""
        total = work + (self._done[-1][1] if self._done else 0)
        while self._done and self._done[0][0] < now - WINDOW:
            self._done.popleft()
        self._done.append((now, total))

    @property
    def per_second(self) -> float | None:
        if not self._done or self._done[-1][0] <= self._done[0][0]:
            return None
        (since, before), (now, total) = self._done[0], self._done[-1]
        return (total - before) / (now - since)


@dataclass
class Measured:
    """What is known of the worker's pace."""

    looks: Looks = field(default_factory=Looks)
    speed: Speed = field(default_factory=Speed)


def outlook(record: Record, records: Sequence[Record], measured: Measured) -> Outlook | None:
    """What is to be said of a run among all, in the order of their coming; None where nothing is waited for.

    A run waits for a place as long as others hold all; then for its turn to show the untrained model, which the worker
    does for one run after the other; a link waits until the wanted step is there.
    """
    speed, state = measured.speed.per_second, record.snapshot.state
    if state == "waiting":
        line = [other for other in records if other.snapshot.state == "waiting" and other.purpose == record.purpose]
        place = line.index(record) + 1
        if record.purpose == "look":
            looked_at = sum(other.unseen for other in records)
            return Outlook(place, _times(place + looked_at, measured.looks.seconds))
        until_place = _until_place(record, line[: place - 1], records, speed)
        if until_place is None or record.purpose == "reports":
            return Outlook(place, until_place)
        return Outlook(place, until_place + len(_at_work(records)) * _cost(record, speed))
    if record.unseen:
        place = [other for other in records if other.unseen].index(record) + 1
        return Outlook(place, _times(place, measured.looks.seconds))
    if record.purpose == "weights" and state == "running":
        return Outlook(None, _until_through(_cost(record, speed), records, speed) if speed else None)
    return None


def _times(count: int, seconds: float | None) -> float | None:
    return None if seconds is None else count * seconds


def _at_work(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if record.snapshot.state == "running"]


def _cost(record: Record, speed: float | None) -> float:
    """Seconds to its end if it had the worker for itself."""
    return (record.last - record.snapshot.step) * record.work / speed if speed else 0.0


def _until_through(cost: float, records: Sequence[Record], speed: float) -> float:
    """Seconds until a run of this cost has ended: all at work share the worker, and the shorter ones end before."""
    return sum(min(cost, _cost(other, speed)) for other in _at_work(records))


def _until_place(
    record: Record, before: Sequence[Record], records: Sequence[Record], speed: float | None
) -> float | None:
    """Seconds until a place is free: those before it in line take as many as they are."""
    holders = [other for other in _at_work(records) if other.purpose == record.purpose]
    like = [other for other in holders if small(other.snapshot.config) == small(record.snapshot.config)]
    costs = sorted(_cost(other, speed) for other in like or holders)  # whose memory it needs, if it is that
    if not speed or not costs:
        return None
    further = [_cost(other, speed) for other in before[: max(0, len(before) + 1 - len(costs))]]
    return _until_through(costs[min(len(before), len(costs) - 1)], records, speed) + sum(further)
