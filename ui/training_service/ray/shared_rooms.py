"""The rooms of classes where several servers serve one class: one named actor of the cluster keeps them.

Where a room is was decided when it was opened. A server that has never had the cluster keeps rooms of its own. From
the first time that it has it, it opens no room that readers at other servers could not find: while the cluster does
not answer there is no place for a new one, nothing is counted, and pages stay in the room as they saw it last.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from ui.classroom.ballot import ClassQuestion, Phase, Result
from ui.classroom.rooms import BROWSERS, Receipt, Rooms, RoomView

LAST_SEEN = 120.0  # seconds for which a page stays in a room that does not answer
VIEWS = 4 * BROWSERS  # that are kept for that

T = TypeVar("T")


class Asking(Protocol):
    """As much of a cluster as is asked here."""

    def was_joined(self) -> bool:
        """Whether this server has ever had it; waits until that is known."""

    def ask_rooms(self, method: str, *given: Any) -> Any:
        """What the rooms of all servers answer. ConnectionError if they do not."""


class SharedRooms(Rooms):
    """Those of the cluster; in its own memory those that this server alone has."""

    def __init__(self, cluster: Asking, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._cluster = cluster
        self._seeing = threading.Lock()
        self._seen: OrderedDict[tuple[str, str], tuple[RoomView, float]] = (
            OrderedDict()
        )  # by room and browser, and when

    def open(self, teacher: str) -> str | None:
        if not self._cluster.was_joined():
            return super().open(teacher)
        with suppress(ConnectionError):
            room: str | None = self._cluster.ask_rooms("open", teacher)
            return room
        return None

    def close(self, room: str, teacher: str) -> bool:
        return self._asked(False, super().close, room, teacher)

    def at(self, room: str, browser: str) -> RoomView | None:
        if self._is_here(room):
            return super().at(room, browser)
        try:
            seen: RoomView | None = self._cluster.ask_rooms("at", room, browser)
        except ConnectionError:
            return self._last_seen(room, browser)
        with self._seeing:
            self._seen.pop((room, browser), None)
            if seen is not None:
                self._seen[room, browser] = seen, self._clock()
            if len(self._seen) > VIEWS:
                self._seen.popitem(last=False)
        return seen

    def reply(self, room: str, browser: str, question: tuple[str, ...], round: int, reply: str) -> Receipt:
        return self._asked("away", super().reply, room, browser, question, round, reply)

    def ask(self, room: str, teacher: str, asked: ClassQuestion) -> bool:
        return self._asked(False, super().ask, room, teacher, asked)

    def turn(self, room: str, teacher: str, phase: Phase) -> bool:
        return self._asked(False, super().turn, room, teacher, phase)

    def results(self, room: str, teacher: str) -> tuple[Result, ...] | None:
        return self._asked(None, super().results, room, teacher)

    def _is_here(self, room: str) -> bool:
        return self.has(room) or not self._cluster.was_joined()

    def _asked(self, otherwise: T, here: Callable[..., T], room: str, *given: Any) -> T:
        """What a room answers, by a method of this server's or by that of the same name of the cluster's rooms;
        `otherwise` where they do not."""
        if self._is_here(room):
            return here(room, *given)
        try:
            answer: T = self._cluster.ask_rooms(here.__name__, room, *given)
        except ConnectionError:
            return otherwise
        return answer

    def _last_seen(self, room: str, browser: str) -> RoomView | None:
        """The room as this browser saw it a moment ago, with the time that has passed."""
        with self._seeing:
            seen, when = self._seen.get((room, browser), (None, 0.0))
        passed = self._clock() - when
        return None if seen is None or passed > LAST_SEEN else seen._replace(left=seen.left - passed)
