"""A vote of three hundred: whether every reply is counted, how far behind the projector is, and what a look costs.

python -m benchmarks.classroom [--json | --both]

Each student's page is open, looks for news as often as a browser's would, and replies once within ten seconds. A reply
is behind from its answer to the first look of the projector that has counted as many as had been answered by then.
"""

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.readers import processor_time
from benchmarks.table import Row, percentile, report
from tests.browser.driver import Server, serving
from tests.wire import Answer, Reader
from ui.classroom.page import EVERY, LOOK
from ui.text import Words

STUDENTS, WITHIN = 300, 10.0  # seconds
LOOKS = 60  # whose cost is measured
HANDS = 8  # that open the pages
STOP = {"lang": "en", "lesson": "attention", "stop": "2"}
OPTIONS = [Words("attention", "en")(f"ask_scale.option.{option}") for option in ("order", "size", "pattern")]


def cookie(number: int) -> str:
    """Of a browser: what Streamlit gives each against forged requests."""
    return f"_streamlit_xsrf=2|00000000|{number:032x}|1"


@dataclass
class Student:
    reader: Reader
    clock: str  # the fragment that looks for news

    @classmethod
    def join(cls, server: Server, number: int, room: str) -> "Student":
        reader = Reader(server.url, "", {"room": room}, cookie=cookie(number))
        last = reader.rerun_until(lambda: vote_key(reader)) or reader.opened
        return cls(reader, clock_of(last))

    def look(self) -> Answer:
        return self.reader.rerun(self.clock)

    def vote(self, option: str) -> Answer:
        return self.reader.change({vote_key(self.reader): option})


def vote_key(reader: Reader) -> str:
    return next((key for key in reversed(reader.widgets) if key.startswith("room.vote")), "")


def clock_of(answer: Answer) -> str:
    """The fragment that the page runs by a clock, as it says last."""

    def told(message: ForwardMsg) -> str:
        return message.auto_rerun.fragment_id if message.HasField("auto_rerun") else ""

    return next(filter(None, map(told, reversed(answer.messages))), "")


def opened(server: Server, stack: ExitStack, number: int = 10**6) -> tuple[Student, str]:
    """A teacher at a stop, with a room."""
    reader = stack.enter_context(Reader(server.url, "attention", STOP, cookie=cookie(number)))
    pressed = reader.press("lecture.open_room")
    last = reader.rerun_until(lambda: "lecture.room" in reader.widgets) or pressed
    return Student(reader, clock_of(last) or clock_of(reader.rerun())), reader.widgets["lecture.room"].proto.label


def counted(answer: Answer) -> int | None:
    """How many have voted, as the projector says."""
    said = [text.body for text in answer.shown("markdown") if "have voted" in text.body]
    return int(said[-1].split("**")[1]) if said else None


@dataclass
class Watched:
    """What happens while the class votes: when so many replies were answered, and seen."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    answered: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    seen: list[tuple[float, int]] = field(default_factory=list)

    def behind(self) -> list[float]:
        """Seconds from each answer until so many were seen."""
        return [
            next((at - when for at, number in self.seen if number >= place and at >= when), float("inf"))
            for place, when in enumerate(sorted(self.answered), 1)
        ]


def vote(students: list[Student], teacher: Student) -> Watched:
    watched, start = Watched(), time.perf_counter() + 1.0
    over = threading.Event()

    def attend(number: int) -> None:
        draw = random.Random(number)
        due, every = start + draw.uniform(0, WITHIN), draw.uniform(*LOOK)
        next_look = start + draw.uniform(0, every)
        voted = False
        while not over.is_set():
            to = next_look if voted else min(due, next_look)
            over.wait(max(0.0, to - time.perf_counter()))
            if not voted and time.perf_counter() >= due:
                answer, voted = students[number].vote(OPTIONS[number % 3]), True
                with watched.lock:
                    watched.answered.append(time.perf_counter())
                    watched.waits.append(answer.seconds)
            elif time.perf_counter() >= next_look:
                students[number].look()
                next_look = max(next_look + every, time.perf_counter())

    def project() -> None:
        for tick in count():
            over.wait(max(0.0, start + tick * EVERY - time.perf_counter()))
            number = counted(teacher.look())
            if number is not None:
                watched.seen.append((time.perf_counter(), number))
            if number == len(students) or time.perf_counter() > start + 10 * WITHIN:
                over.set()
                return

    threads = [threading.Thread(target=attend, args=(number,)) for number in range(len(students))]
    threads.append(threading.Thread(target=project))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return watched


def cost(server: Server, act: Callable[[], object], times: int) -> float:
    """Milliseconds of the server's processor."""
    started = processor_time(server.pid)
    for _ in range(times):
        act()
    return 1000 * (processor_time(server.pid) - started) / times


def measure(count: int = STUDENTS) -> list[Row]:
    with serving("app.py") as server, ExitStack() as stack:
        teacher, room = opened(server, stack)
        with ThreadPoolExecutor(HANDS) as hands:
            students = list(hands.map(lambda number: Student.join(server, number, room), range(count)))
        for student in students:
            stack.callback(student.reader.close)
        look = cost(server, students[0].look, LOOKS)
        projected = cost(server, teacher.look, LOOKS)
        started = processor_time(server.pid)
        watched = vote(students, teacher)
        worked = processor_time(server.pid) - started
        shown = teacher.reader.press("room.to.counts")
        while not any("votes" in text.body for text in shown.shown("markdown")):
            shown = teacher.reader.rerun()
        (table,) = [text.body for text in shown.shown("markdown") if "votes" in text.body]
        exact = [int(part.split("<")[0]) for part in table.split("<b>")[1:]]
    expected = [len(range(place, count, 3)) for place in range(3)]
    behind = watched.behind()
    return [
        Row(f"{count} replies in {WITHIN:g} s: counted", sum(exact), "replies", "given", sum(exact) / count, "ratio 1"),
        Row("options counted exactly", sum(map(int.__eq__, exact, expected)), "of 3", "given", exact == expected, "3"),
        Row("projector behind, p95", percentile(behind, 0.95), "s", "its clock", percentile(behind, 0.95) / EVERY, ""),
        Row("projector behind, at most", max(behind), "s", "its clock", max(behind) / EVERY, "≤ 1 s"),
        Row("a reply, p95", 1000 * percentile(watched.waits, 0.95), "ms", "median",
            percentile(watched.waits, 0.95) / percentile(watched.waits, 0.5)),
        Row("a look of a student's page", look, "ms of processor", "the projector's", look / projected),
        Row("processor during the vote", worked, "s", "time", worked / (watched.seen[-1][0] - watched.seen[0][0])),
    ]  # fmt: skip


if __name__ == "__main__":
    report(__doc__, measure)
