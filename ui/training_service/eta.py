"""What a reader who waits for a run is told: the place in line, and how long it takes by what was measured so far."""

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from ui.training_service.engine import Load, Worker
from ui.training_service.queue import small
from ui.training_service.registry import Record

LATE = 8  # of the first reports: by the last so many the next ones are judged
LEAST = 2.0  # seconds of work before anything is said: the first steps of all take long
RECENT = 200  # messages of workers by which their work is


@dataclass(frozen=True)
class Eta:
    """`place` 1 comes next, and None means that it is at work; `seconds` is None while nothing like it was measured."""

    place: int | None = None
    seconds: float | None = None


class FirstReports:
    """How long the workers take from one first report to the next, while somebody waits for them."""

    def __init__(self) -> None:
        self._taken = deque[float](maxlen=LATE)
        self._since: float | None = None  # when the last one came, or was begun

    def begin(self, now: float, waiting: int) -> None:
        """A run waits for its first report, besides so many others."""
        if not waiting:
            self._since = now

    def come(self, now: float) -> None:
        """A first report has come; the next one is begun."""
        if self._since is not None:
            self._taken.append(now - self._since)
        self._since = now

    @property
    def seconds(self) -> float | None:
        return fmean(self._taken) if self._taken else None


class Speed:
    """What a worker gets done in a second of work, by the last of it, whoever's run it was."""

    def __init__(self) -> None:
        self._done = deque[tuple[int, float]](maxlen=RECENT)
        self._looks = deque[float](maxlen=LATE)

    def note(self, work: int, seconds: float) -> None:
        """So much training took so long, measurements included."""
        self._done.append((work, seconds))

    def note_look(self, seconds: float) -> None:
        """A model was built and looked at before its training."""
        self._looks.append(seconds)

    def cost(self, record: Record) -> float | None:
        """Seconds of work until the run is through; None before enough was trained to tell."""
        work, seconds = (sum(each) for each in zip(*self._done)) if self._done else (0, 0.0)
        if not work or seconds < LEAST:
            return None
        looked = len(record.snapshot.history.step) or record.purpose == "weights" or not self._looks
        return (record.last - record.snapshot.step) * record.work * seconds / work + (
            0 if looked else fmean(self._looks)
        )


@dataclass
class Pace:
    """What is known of the workers' pace."""

    first_reports: FirstReports = field(default_factory=FirstReports)
    speed: Speed = field(default_factory=Speed)

    def looked(self, now: float, seconds: float) -> None:
        """A first report has come, after so many seconds of work."""
        self.first_reports.come(now)
        self.speed.note_look(seconds)


def load(records: Sequence[Record], busy: Sequence[Worker], speed: Speed) -> Load:
    """What workers have to do, in seconds; a run counts 1 while they are not known, and so does a task.

    `busy` are those that have background tasks, once for each.
    """
    found = defaultdict[Worker, float](float)
    for record in _at_work(records):
        if record.worker is not None:
            cost = speed.cost(record)
            found[record.worker] += 1.0 if cost is None else cost
    for worker in busy:
        found[worker] += 1.0
    return found


def eta(record: Record, records: Sequence[Record], pace: Pace, workers: int) -> Eta | None:
    """What is to be said of a run among all, in the order of their coming; None where nothing is waited for.

    A run waits for a place as long as others hold all; then for its turn to show the untrained model, which a worker
    does for one run after the other; a link waits until the wanted step is there.
    """
    state = record.snapshot.state
    if state == "waiting":
        line = [other for other in records if other.snapshot.state == "waiting" and other.purpose == record.purpose]
        place = line.index(record) + 1
        if record.purpose == "look":
            looked_at = sum(other.unseen for other in records)
            return Eta(place, _times(place + looked_at, pace.first_reports.seconds))
        until_place = _until_place(record, line[: place - 1], records, pace.speed, workers)
        if until_place is None or record.purpose == "reports":
            return Eta(place, until_place)
        shared_by = max(1.0, len(_at_work(records)) / workers)
        return Eta(place, until_place + shared_by * (pace.speed.cost(record) or 0.0))
    if record.unseen:
        place = [other for other in records if other.unseen].index(record) + 1
        return Eta(place, _times(place, pace.first_reports.seconds))
    if record.purpose == "weights" and state == "running":
        return Eta(None, _until_through(record, records, pace.speed))
    return None


def _times(count: int, seconds: float | None) -> float | None:
    return None if seconds is None else count * seconds


def _at_work(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if record.snapshot.state == "running"]


def _costs(records: Sequence[Record], speed: Speed) -> list[float]:
    return sorted(cost for record in records if (cost := speed.cost(record)) is not None)


def _until_through(record: Record, records: Sequence[Record], speed: Speed) -> float | None:
    """Seconds until a run has ended: it shares its worker with others, and the shorter ones end before."""
    cost, mates = speed.cost(record), [other for other in _at_work(records) if other.worker is record.worker]
    return None if cost is None else sum(min(cost, other) for other in _costs(mates, speed))


def _until_place(
    record: Record, before: Sequence[Record], records: Sequence[Record], speed: Speed, workers: int
) -> float | None:
    """Seconds until a place is free: those before it in line take as many as they are."""
    holders = [other for other in _at_work(records) if other.purpose == record.purpose]
    like = [other for other in holders if small(other.snapshot.config) == small(record.snapshot.config)]
    ends = sorted(  # of those whose memory it needs, if it is that
        end for other in like or holders if (end := _until_through(other, records, speed)) is not None
    )
    if not ends:
        return None
    further = _costs(before[: max(0, len(before) + 1 - len(ends))], speed)
    return ends[min(len(before), len(ends) - 1)] + sum(further) / min(workers, len(ends))
