"""A class in a room: a teacher and students, each in a tab of their own, from the open door to the counts."""

import csv
import io
from typing import NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import does, payload, written
from tests.app.conftest import Open, in_turn
from ui.chapters.teachers.stops import question_of
from ui.classroom import dialog, membership
from ui.classroom.ballot import ClassQuestion
from ui.classroom.rooms import LETTERS, LIFE, Rooms
from ui.sections.question import OTHER, Choice, Quantity
from ui.settings.chapters import MAP, TEACHERS, page
from ui.settings.frame import Frame
from ui.settings.lessons import LESSONS, LessonStop
from ui.text import LANGUAGES, Words
from ui.training_service.ray.shared_rooms import SharedRooms

shell = Words("shell", "en")
STOP = {"lesson": "attention", "stop": "2", "model": "", "open": "", "lang": "en"}  # a Choice: ask_scale
SCALE = Words("attention", "en")


class Tab(NamedTuple):
    """A browser of its own, with one page."""

    app: AppTest
    secret: str


class School:
    """Tabs of several browsers before one server. Each looks again when it is told to: no clock runs here."""

    def __init__(self, open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.secret, self.open_link = 0.0, "", open_link
        self.rooms = Rooms(lambda: self.now)
        monkeypatch.setattr(membership, "me", lambda: self.secret)
        monkeypatch.setattr(membership, "rooms", lambda: self.rooms)

    def tab(self, secret: str, chapter: str, **link: str) -> Tab:
        self.secret = secret
        return self.arrived(Tab(self.open_link(chapter, **{"open": "", "model": "", "lang": "en"} | link), secret))

    def look(self, tab: Tab) -> Tab:
        """Let the page run again, as its clock does where there is news."""
        self.secret = tab.secret
        tab.app.run()
        return self.arrived(tab)

    def press(self, tab: Tab, key: str) -> Tab:
        self.secret = tab.secret
        tab.app.button(key=key).click().run()
        return self.arrived(tab)

    def vote(self, tab: Tab, reply: str) -> Tab:
        self.secret = tab.secret
        (box,) = [one for one in (*tab.app.button_group, *tab.app.text_input) if "room.vote" in str(one.key)]
        box.set_value(reply).run()
        return self.arrived(tab)

    def draw(self, tab: Tab, figure: str, levels: list[int]) -> None:
        """Draw, and hand it in."""
        self.secret = tab.secret
        message = payload(tab.app, figure)
        event = {"sheet": message["sheet"], "number": message["heard"] + 1, "levels": levels}
        does(tab.app, figure, "drawn", event)
        self.press(tab, "practice.draw.hand_in")

    def asked(self, room: str) -> ClassQuestion:
        """What the class is asked now."""
        return (self.rooms.results(room, "teacher") or ())[-1].asked

    def counts(self, room: str) -> dict[str, int]:
        """Of the last round of what is asked."""
        results = self.rooms.results(room, "teacher")
        assert results
        return dict(zip(results[-1].asked.replies, results[-1].rounds[-1]))

    def arrived(self, tab: Tab) -> Tab:
        """Where the app has led, as a browser goes by itself."""
        assert not tab.app.exception
        said = {name: value if isinstance(value, str) else value[0] for name, value in tab.app.query_params.items()}
        stop = Frame.from_query(said).at
        if said.get("room") and stop:
            self.secret = tab.secret
            tab.app.switch_page(page(stop.chapter))
            for name, value in said.items():
                tab.app.query_params[name] = value
            tab.app.run()
            assert not tab.app.exception
        return tab


@pytest.fixture
def school(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> School:
    return School(open_link, monkeypatch)


def link(tab: Tab) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[0] for name, value in tab.app.query_params.items()}


def keys(tab: Tab) -> set[str]:
    return {str(one.key) for one in (*tab.app.button, *tab.app.button_group, *tab.app.text_input)}


def told(tab: Tab) -> str:
    """All that the page says."""
    boxes = (*tab.app.markdown, *tab.app.info, *tab.app.error, *tab.app.success, *tab.app.warning, *tab.app.caption)
    return "\n".join(str(box.value) for box in boxes)


def opened(school: School) -> tuple[Tab, str]:
    """A teacher at a stop, with an open room."""
    teacher = school.press(school.tab("teacher", "attention", **STOP), "lecture.open_room")
    return teacher, link(teacher)["room"]


def judged(tab: Tab) -> bool:
    return bool(tab.app.error or tab.app.success)


def test_one_click_on_the_page_for_teachers_opens_a_room_whose_lessons_carry_it(school: School) -> None:
    teacher = school.press(school.tab("teacher", TEACHERS), "teachers.open_room")
    room = link(teacher)["room"]
    assert set(room) <= set(LETTERS)
    assert any(f'room-letters">{room}' in str(item.proto.body) for item in teacher.app.get("html"))
    assert f"lesson=masks&stop=1&room={room}" in told(teacher)
    assert school.press(teacher, "room.end")
    assert "room" not in link(teacher)
    assert "room=" not in told(teacher)
    assert "teachers.open_room" in keys(teacher)


def test_a_student_waits_and_goes_to_the_stop_that_the_class_is_at(school: School) -> None:
    teacher = school.press(school.tab("teacher", TEACHERS), "teachers.open_room")
    room = link(teacher)["room"]
    student = school.tab("student", MAP, room=room)
    assert shell("room.waits", room=room) in told(student)
    school.tab("teacher", "attention", **STOP, room=room)
    student = school.look(student)
    assert student.app.title[0].value == Words(TEACHERS, "en")("attention.stop_2")
    assert {"lesson": "attention", "stop": "2", "present": "0", "room": room}.items() <= link(student).items()
    assert f"**{shell('room.vote')}** {SCALE('ask_scale.question')}" in told(student)
    assert not [key for key in keys(student) if key.startswith(("lecture.", "room.to.")) or key.endswith(".ask")]


def test_who_has_no_link_types_the_letters(school: School) -> None:
    room = link(school.press(school.tab("teacher", TEACHERS), "teachers.open_room"))["room"]
    student = school.tab("student", MAP)
    student.app.text_input(key=membership.TYPED).set_value(f" {room.lower()}").run()
    assert link(student)["room"] == room
    assert shell("room.waits", room=room) in told(student)
    assert membership.TYPED not in keys(student)


@pytest.mark.parametrize("typed", ["12", "ABC", "ABCDE", "A🙂BC", "<b>x", "../.."])
def test_what_cannot_be_a_rooms_name_is_said_so(school: School, typed: str) -> None:
    student = school.tab("student", MAP)
    student.app.text_input(key=membership.TYPED).set_value(typed).run()
    assert shell("room.no_letters") in told(student)
    assert "room" not in link(student)


def test_letters_that_name_no_room_are_told_and_left(school: School) -> None:
    student = school.tab("student", MAP)
    student.app.text_input(key=membership.TYPED).set_value("BCDF").run()
    assert shell("room.gone", room="BCDF") in told(student)
    assert "room" not in link(student)


def test_votes_are_counted_discussed_and_told(school: School) -> None:
    teacher, room = opened(school)
    alice, bob = (school.tab(name, MAP, room=room) for name in ("alice", "bob"))
    alice, bob = school.look(alice), school.look(bob)
    for reply in ("pattern", "order"):
        alice = school.vote(alice, reply)
        assert shell("room.counted") in told(alice)
        assert not judged(alice)
    assert not [reason for reason in ("right", "wrong.order") if SCALE(f"ask_scale.{reason}") in told(alice)]
    teacher = school.look(teacher)
    assert shell("room.replied", replies=1, joined=2, room=room) in told(teacher)
    assert "%" not in told(teacher), "no counts before they are asked for"

    teacher = school.press(teacher, "room.to.counts")
    assert "<b>1</b> 100%" in told(teacher)
    assert SCALE("ask_scale.wrong.order") not in told(teacher)
    alice = school.look(alice)
    assert shell("room.counts") in told(alice)
    assert not judged(alice)

    teacher = school.press(teacher, "room.to.open")
    for one, reply in ((alice, "size"), (bob, "order")):
        one = school.look(one)
        assert shell("room.open") in told(one), "it is asked anew"
        school.vote(one, reply)
    teacher = school.press(school.press(school.look(teacher), "room.to.counts"), "room.to.told")
    table = next(box.value for box in teacher.app.markdown if shell("room.round", number=2) in box.value)
    rows = {row.split("|")[1].split("<")[0].strip(" *✓"): row for row in table.splitlines()}
    for option, first, second in (("order", 1, 1), ("size", 0, 1), ("pattern", 0, 0)):
        row = rows[SCALE(f"ask_scale.option.{option}")]
        assert [f"<b>{first}</b>" in row.split("|")[2], f"<b>{second}</b>" in row.split("|")[3]] == [True, True]
        assert SCALE("ask_scale.right" if option == "size" else f"ask_scale.wrong.{option}") in row
        assert ("✓" in row) == (option == "size")

    alice, bob = school.look(alice), school.look(bob)
    assert any(SCALE("ask_scale.right") in box.value for box in alice.app.success)
    assert [box.value for box in bob.app.error] == [SCALE("ask_scale.wrong.order")]


def test_what_explains_a_figure_waits_for_the_answer_of_the_class(school: School) -> None:
    explains = Words("masks", "en")("look_ahead.text").strip()
    at = {"lesson": "masks", "stop": "1", "scene": "0"}
    teacher = school.press(school.tab("teacher", "masks", **at), "lecture.open_room")
    student = school.look(school.tab("student", MAP, room=link(teacher)["room"]))
    student = school.vote(student, "36")
    assert explains not in written(teacher.app) + written(student.app)
    teacher = school.press(school.press(teacher, "room.to.counts"), "room.to.told")
    assert explains in written(teacher.app)
    assert explains in written(school.look(student).app)


def test_a_number_is_counted_as_the_right_one_a_known_mistake_or_another(school: School) -> None:
    at = {"lesson": "masks", "stop": "1", "scene": "0"}
    teacher = school.press(school.tab("teacher", "masks", **at), "lecture.open_room")
    room = link(teacher)["room"]
    for number, reply in enumerate(("36", "36,0", "28", "-5", "no number")):
        school.vote(school.look(school.tab(f"student {number}", MAP, room=room)), reply)
    assert school.counts(room) == {"36": 2, "28": 1, "64": 0, "32": 0, OTHER: 1}
    assert "36" not in told(school.look(teacher)), "what it could be is not said before"
    teacher = school.press(teacher, "room.to.counts")
    (table,) = [box.value for box in teacher.app.markdown if "votes" in box.value]
    assert [line.split("|")[1].strip() for line in table.splitlines()[2:]] == ["28", "36", shell("room.other")]
    teacher = school.press(teacher, "room.to.told")
    assert shell("room.other") in told(teacher)
    assert Words("masks", "en")("pairs.wrong") in told(teacher)


def test_a_teachers_link_shows_a_student_no_controls(school: School) -> None:
    _, room = opened(school)
    student = school.tab("student", "attention", **STOP, room=room)
    assert not [key for key in keys(student) if key.startswith(("lecture.", "room.to.", "room.end"))]
    assert link(student)["present"] == "0"
    school.vote(student, "size")
    assert school.counts(room) == {"order": 0, "size": 1, "pattern": 0}


@in_turn("room", ["BCDF", "aeio"])
def test_a_room_that_is_not_there_is_said_and_everything_goes_on(school: School, room: str, lang: str) -> None:
    tab = school.tab("student", "masks", room=room, lang=lang, size="7")
    assert Words("shell", lang)("room.gone", room=room.upper()) in told(tab)
    assert "room" not in link(tab)
    assert tab.app.slider(key="masks:size").value == 7


@pytest.mark.parametrize("room", ["BCD", "BCDFG", "<b>x", "１２３４", "0000", ""])
def test_what_is_no_name_of_a_room_is_none(school: School, room: str) -> None:
    tab = school.tab("student", "masks", room=room)
    assert "room" not in link(tab)
    assert not tab.app.info


def test_a_room_ends_after_two_hours_for_everybody(school: School) -> None:
    teacher, room = opened(school)
    student = school.look(school.tab("student", MAP, room=room))
    school.now += LIFE
    for tab in (student, teacher):
        tab = school.look(tab)
        assert shell("room.gone", room=room) in told(tab)
        assert "room" not in link(tab)
        assert "attention:ask_scale" in keys(tab), "it is asked as without a room"


def test_a_student_may_leave_and_come_back(school: School) -> None:
    teacher, room = opened(school)
    student = school.press(school.look(school.tab("student", MAP, room=room)), "room.leave")
    assert {"lesson", "only", "present"}.isdisjoint(link(student))
    assert link(student)["follow"] == "0"
    school.press(teacher, "lecture.on")
    student = school.look(student)
    assert shell("room.left", room=room) in told(student)
    student = school.press(student, "room.come_back")
    assert link(student)["stop"] == "3"
    assert shell("room.follows", room=room) in told(student)


def test_who_goes_elsewhere_is_let_go(school: School) -> None:
    _, room = opened(school)
    student = school.look(school.tab("student", MAP, room=room))
    student.app.switch_page(page("masks"))
    student.app.query_params.clear()
    student.app.query_params["room"] = room
    student = school.look(student)
    assert link(student)["follow"] == "0"
    assert student.app.title[0].value == Words("masks", "en")("title")


def test_where_a_page_was_loaded_anew_it_stays_as_it_was_left(school: School) -> None:
    teacher, room = opened(school)
    student = school.vote(school.look(school.tab("student", MAP, room=room)), "size")
    again = school.tab("student", "attention", **link(student))
    (box,) = [one for one in again.app.button_group if "room.vote" in str(one.key)]
    assert box.value == "size"
    for phase in ("counts", "told"):
        teacher = school.press(teacher, f"room.to.{phase}")
    again = school.look(again)
    again.app.button_group(key="attention:kind").set_value("decoder").run()
    again = school.tab("student", "attention", **link(again))
    assert again.app.button_group(key="attention:kind").value == "decoder"


def test_any_question_may_be_asked(school: School) -> None:
    teacher = school.press(school.tab("teacher", TEACHERS), "teachers.open_room")
    room = link(teacher)["room"]
    teacher = school.tab("teacher", "tokens", open="all", room=room, model="trained")
    teacher = school.press(teacher, "tokens.learned.ask")
    (asked,) = [result.asked for result in school.rooms.results(room, "teacher") or ()]
    assert (asked.chapter, asked.question, dict(asked.link)["only"]) == ("tokens", "learned", "zero")
    assert not {"room", "learned", "present", "lang"} & dict(asked.link).keys()
    student = school.tab("student", "tokens", **dict(asked.link), room=room)
    school.vote(student, "zero")
    assert shell("room.replied", replies=1, joined=1, room=room) in told(school.look(teacher))


def test_the_counts_are_a_table_in_the_words_of_the_chapters(school: School) -> None:
    _, room = opened(school)
    student = school.look(school.tab("student", MAP, room=room))
    school.vote(student, "size")
    for lang in LANGUAGES:
        say, table = Words("attention", lang), dialog.table(school.rooms.results(room, "teacher") or (), lang)
        rows = list(csv.reader(io.StringIO(table.decode("utf-8-sig"))))
        assert rows[0] == [Words("shell", lang)(f"room.column.{head}") for head in dialog.HEADS]
        question = [Words("attention", lang)("title"), say("ask_scale.question"), "1"]
        counts = {"order": ("0", "0"), "size": ("1", "1"), "pattern": ("0", "0")}
        assert rows[1:] == [[*question, say(f"ask_scale.option.{one}"), *counts[one]] for one in counts]


EVERY_STOP = {f"{lesson} {at}": stop for lesson, stops in LESSONS.items() for at, stop in enumerate(stops, 1)}


@pytest.mark.parametrize("stop", EVERY_STOP.values(), ids=EVERY_STOP)
def test_the_question_of_every_stop_can_be_voted_on(stop: LessonStop) -> None:
    question = question_of(stop)
    assert isinstance(question, Choice | Quantity)
    assert len(set(question.replies)) == len(question.replies)
    assert question.right_reply in question.replies
    for lang in LANGUAGES:
        say = Words(stop.chapter, lang)
        assert all(say(question.reason(reply)) for reply in question.replies)
    right = question.right if isinstance(question, Choice) else f"{question.right:.6g}"
    assert question.counted_as(right) == question.right_reply
    assert question.counted_as("") is None


class Far:
    """A cluster with the school's rooms, which does not always answer."""

    def __init__(self, rooms: Rooms) -> None:
        self.rooms, self.answers = rooms, True

    def was_joined(self) -> bool:
        return True

    def ask_rooms(self, method: str, *given: object) -> object:
        if not self.answers:
            raise ConnectionError
        return getattr(self.rooms, method)(*given)


def test_while_the_rooms_do_not_answer_a_class_stays_and_is_told_that_nothing_is_counted(school: School) -> None:
    far = Far(school.rooms)
    school.rooms = SharedRooms(far, lambda: school.now)
    _, room = opened(school)
    student = school.look(school.tab("student", MAP, room=room))
    far.answers = False
    student = school.vote(student, "size")
    assert shell("room.away") in told(student)
    assert link(student)["room"] == room
    far.answers = True
    student = school.vote(student, "order")
    assert shell("room.away") not in told(student)
    assert far.rooms.at(room, "teacher") is not None
    assert school.rooms.results(room, "teacher") == far.rooms.results(room, "teacher")
    (result,) = far.rooms.results(room, "teacher") or ()
    assert sum(result.rounds[-1]) == 1
