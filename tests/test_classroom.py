"""A class before a real server: every browser replies once, and only the one that has opened a room leads it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from benchmarks.classroom import OPTIONS, Student, clock_of, cookie, counted, opened, vote_key
from tests.browser.driver import Server
from tests.wire import MOST_RUNS, Answer, Reader
from ui.text import Words

shell = Words("shell", "en")
CLASS = 12


@pytest.fixture
def tabs() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def join(server: Server, tabs: ExitStack, number: int, room: str) -> Student:
    student = Student.join(server, number, room)
    tabs.callback(student.reader.close)
    return student


def said(answer: Answer) -> str:
    return "\n".join(text.body for kind in ("markdown", "alert") for text in answer.shown(kind))


def until(look: Callable[[], Answer], words: str) -> Answer:
    """Look until the page says this; a run of the page may follow a look."""
    for _ in range(MOST_RUNS):
        if words in said(answer := look()):
            return answer
    raise TimeoutError(f"{MOST_RUNS} looks, and the page says not “{words}” but:\n{said(answer)}")


def test_a_class_votes_and_every_browser_counts_once(server: Server, tabs: ExitStack) -> None:
    teacher, room = opened(server, tabs)
    students = [join(server, tabs, number, room) for number in range(CLASS)]
    for number, student in enumerate(students):
        for option in (OPTIONS[0], OPTIONS[number % 3]):
            assert shell("room.counted") in said(student.vote(option))
    again = join(server, tabs, 0, room)  # a second tab of a browser that has voted
    assert shell("room.counted") in said(again.vote(OPTIONS[1]))
    assert counted(teacher.look()) == CLASS
    teacher.reader.press("room.to.counts")
    shown = said(until(teacher.reader.rerun, "votes"))
    found = [int(part.split("<")[0]) for part in shown.split("<b>")[1:]]
    assert found == [CLASS // 3 - 1, CLASS // 3 + 1, CLASS // 3]
    late = students[1].vote(OPTIONS[2])  # whose page has not looked since
    assert shell("room.counts") in said(late)
    teacher.reader.press("room.to.open")
    until(students[1].look, shell("room.open"))
    assert vote_key(students[1].reader).endswith(".2")


def test_a_students_page_goes_along_and_is_told(server: Server, tabs: ExitStack) -> None:
    teacher, room = opened(server, tabs, 10**6 + 1)
    student = join(server, tabs, 1, room)
    student.vote(OPTIONS[0])
    teacher.reader.press("room.to.counts")
    until(student.look, shell("room.counts"))
    teacher.reader.rerun_until(lambda: "room.to.told" in teacher.reader.widgets)
    teacher.reader.press("room.to.told")
    reason = Words("attention", "en")("ask_scale.wrong.order")
    until(student.reader.rerun, reason)
    teacher.reader.press("lecture.on")
    teacher.reader.rerun_until(lambda: "stop=3" in teacher.reader.query)
    student.reader.rerun_until(lambda: "stop=3" in student.reader.query)
    assert "present=0" in student.reader.query


def test_a_teachers_link_leads_nothing_from_another_browser(server: Server, tabs: ExitStack) -> None:
    teacher, room = opened(server, tabs, 10**6 + 2)
    link = {"room": room, "lesson": "attention", "stop": "2"}
    stolen = tabs.enter_context(Reader(server.url, "attention", link, cookie=cookie(7)))
    stolen.rerun_until(lambda: vote_key(stolen))
    assert not [key for key in stolen.widgets if key.startswith(("room.to", "room.end", "lecture."))]
    assert "room.to.counts" in teacher.reader.widgets
    assert clock_of(stolen.rerun())


def test_any_question_is_asked_and_the_end_of_the_room_is_said(server: Server, tabs: ExitStack) -> None:
    _, room = opened(server, tabs, 10**6 + 3)
    student = join(server, tabs, 1, room)
    link = {"lang": "en", "model": "trained", "open": "zero", "room": room}
    teacher = tabs.enter_context(Reader(server.url, "tokens", link, cookie=cookie(10**6 + 3)))
    teacher.press("tokens.learned.ask")
    student.reader.rerun_until(lambda: "only=zero" in student.reader.query)
    student.reader.rerun_until(lambda: ".learned." in vote_key(student.reader))
    assert shell("room.counted") in said(student.vote(Words("tokens", "en")("learned.option.zero")))
    lecture = tabs.enter_context(Reader(server.url, "teachers", {"lang": "en", "room": room}, cookie=cookie(10**6 + 3)))
    lecture.press("room.end")
    until(student.reader.rerun, shell("room.gone", room=room))
    student.reader.rerun_until(lambda: "room=" not in student.reader.query)
    assert "only=zero" in student.reader.query
