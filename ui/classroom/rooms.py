"""The rooms of classes: a teacher asks, browsers reply, and counts are kept; in memory alone, for two hours.

Everything that goes in and comes out is a plain value, so that one object may serve the pages of several processes:
`server_rooms.rooms()` is the only way to it. Whoever asks names himself by a secret of his browser, of which a room
keeps a hash.
"""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ui.classroom.ballot import Ballot, ClassQuestion, Phase, Result
from ui.rate_limit import RateLimit, RateLimits

LETTERS = "BCDFGHJKMNPQRSTVWXZ"  # no vowels, which make words, and no L, which may be an I
LENGTH = 4
LIFE = 2 * 3600.0  # seconds
ROOMS, BROWSERS, QUESTIONS = 200, 1000, 100  # at once; of each room those that can reply, and those that are kept
OPEN_QUESTIONS = 3  # of a room: who has replied what is known of those asked last
DESERTED = 600.0  # seconds without a look from its teacher after which a room gives its place to another
# Names that there are not: of one browser, and of all that are in no room.
GUESSES, ALL_GUESSES = (10, 0.1), (100, 1.0)
CHANGES = (10, 1.0)  # of one browser's reply

Receipt = Literal["counted", "late", "fast", "full", "gone", "away"]


class RoomView(NamedTuple):
    """A room as one browser may see it at this moment."""

    room: str
    teaches: bool  # whether this browser has opened it
    asked: ClassQuestion | None
    phase: Phase
    round: int  # from 1
    answered: int  # in this round
    joined: int  # browsers that have ever looked, but for the teacher's
    counts: tuple[tuple[int, ...], ...]  # of each round that is over, or shown
    mine: str | None  # the reply of this browser in this round
    left: float  # seconds of the room's life


@dataclass
class _Room:
    name: str
    opened: float
    salt: bytes
    teacher: bytes
    seen: float  # when its teacher has looked last
    ballots: dict[tuple[str, ...], Ballot] = field(default_factory=dict)  # the last one is asked now
    browsers: dict[bytes, RateLimit] = field(default_factory=dict)

    def who(self, browser: str) -> bytes:
        return hashlib.blake2b(browser.encode(), key=self.salt, digest_size=16).digest()

    @property
    def ballot(self) -> Ballot | None:
        return next(reversed(self.ballots.values()), None)


class Rooms:
    """May be called from any thread. What is said of a room that is gone, and of one that never was, is the same."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rooms: dict[str, _Room] = {}  # in the order of their opening
        self._guesses = RateLimits(*GUESSES, names=10_000)
        self._all_guesses = RateLimit(*ALL_GUESSES)

    def has(self, room: str) -> bool:
        """To be asked by servers alone: no browser may guess names without being counted."""
        with self._lock:
            self._end_old()
            return room in self._rooms

    def open(self, teacher: str) -> str | None:
        """The name of this teacher's room, a new one where there is none; None where there is no place for it."""
        with self._lock:
            now = self._end_old()
            mine = [room for room in self._rooms.values() if room.teacher == room.who(teacher)]
            if mine:
                return mine[0].name
            if len(self._rooms) == ROOMS:
                deserted = min(self._rooms.values(), key=lambda room: room.seen)
                if now - deserted.seen < DESERTED:
                    return None
                del self._rooms[deserted.name]
            name = self._new_name()
            room = _Room(name, now, secrets.token_bytes(16), b"", now)
            room.teacher = room.who(teacher)
            self._rooms[name] = room
            return name

    def close(self, room: str, teacher: str) -> bool:
        with self._lock:
            found = self._taught(room, teacher)
            if found:
                del self._rooms[found.name]
            return found is not None

    def at(self, room: str, browser: str) -> RoomView | None:
        """The room as this browser may see it, which is in it from then on; None where there is none, and for who has
        guessed too many names."""
        with self._lock:
            now = self._end_old()
            found = self._rooms.get(room)
            who = found.who(browser) if found else b""
            if found is None or not (who == found.teacher or who in found.browsers):
                guesses = self._guesses.of(browser)
                if not (guesses.has(now) and self._all_guesses.has(now)):
                    return None
                if found is None:
                    guesses.take(now)
                    self._all_guesses.take(now)
                    return None
                if len(found.browsers) < BROWSERS:
                    found.browsers[who] = RateLimit(*CHANGES)
            if who == found.teacher:
                found.seen = now
            return _view(found, who, now)

    def reply(self, room: str, browser: str, question: tuple[str, ...], round: int, reply: str) -> Receipt:
        """Count a browser's reply in a round, in place of the one it has given before.

        It is "late" where something else is asked by now or nothing is counted any more, too "fast" after too many
        changes, "full" where the room has no place for this browser, and "away" where nobody could be asked.
        """
        with self._lock:
            now = self._end_old()
            found = self._rooms.get(room)
            who = found.who(browser) if found else b""
            if found is None or not (who in found.browsers or len(found.browsers) == BROWSERS):
                return "gone"  # also for who has never looked, and would learn by a reply that it is there
            if who not in found.browsers:
                return "full"
            if not found.browsers[who].take(now):
                return "fast"
            ballot = found.ballot
            if ballot is None or (ballot.asked.name, len(ballot.rounds)) != (tuple(question), round):
                return "late"
            return "counted" if ballot.reply(who, reply) else "late"

    def ask(self, room: str, teacher: str, asked: ClassQuestion) -> bool:
        """Ask this from now on. A question that was asked before goes on as it was left."""
        with self._lock:
            found = self._taught(room, teacher)
            if found is None or not asked.fits:
                return False
            ballot = found.ballots.pop(asked.name, None)
            if ballot is None or ballot.asked.replies != asked.replies:
                if len(found.ballots) == QUESTIONS:
                    return False
                ballot = Ballot(asked)
            ballot.asked = asked  # its link may be another one
            found.ballots[asked.name] = ballot
            for old in list(found.ballots.values())[:-OPEN_QUESTIONS]:
                old.end()
            return True

    def turn(self, room: str, teacher: str, phase: Phase) -> bool:
        """Show the counts, or the answer, of what is asked; "open" after them is another round."""
        with self._lock:
            found = self._taught(room, teacher)
            ballot = found and found.ballot
            return bool(ballot and ballot.turn(phase))

    def results(self, room: str, teacher: str) -> tuple[Result, ...] | None:
        """All counts of the room, in the order in which the questions were asked last."""
        with self._lock:
            found = self._taught(room, teacher)
            return None if found is None else tuple(ballot.result for ballot in found.ballots.values())

    def _taught(self, room: str, teacher: str) -> _Room | None:
        self._end_old()
        found = self._rooms.get(room)
        return found if found and found.who(teacher) == found.teacher else None

    def _end_old(self) -> float:
        """Let go of the rooms whose time is over; what time it is."""
        now = self._clock()
        while self._rooms and now - next(iter(self._rooms.values())).opened >= LIFE:
            del self._rooms[next(iter(self._rooms))]
        return now

    def _new_name(self) -> str:
        while True:
            name = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
            if name not in self._rooms:
                return name


def _view(room: _Room, who: bytes, now: float) -> RoomView:
    ballot, teaches, left = room.ballot, who == room.teacher, room.opened + LIFE - now
    if ballot is None:
        return RoomView(
            room=room.name,
            teaches=teaches,
            asked=None,
            phase="open",
            round=1,
            answered=0,
            joined=len(room.browsers),
            counts=(),
            mine=None,
            left=left,
        )
    return RoomView(
        room=room.name,
        teaches=teaches,
        asked=ballot.asked,
        phase=ballot.phase,
        round=len(ballot.rounds),
        answered=ballot.answered,
        joined=len(room.browsers),
        counts=ballot.shown,
        mine=ballot.of(who),
        left=left,
    )
