"""What a class leaves to each of its students: the reply, the figure that waits for it, and what was typed before."""

from tests.app.boards import boards
from tests.app.conftest import come_back
from tests.app.test_in_class import STOP, School, link, opened, school
from ui.settings.chapters import MAP, TEACHERS

__all__ = ["school"]


def test_who_has_gone_along_with_a_class_finds_what_was_typed_before(school: School) -> None:
    own = "two white cats sleep"
    teacher = school.press(school.tab("teacher", TEACHERS), "teachers.open_room")
    room = link(teacher)["room"]
    student = school.tab("student", "tokens", room=room, model="translate", src=own)
    teacher = school.tab("teacher", "attention", **{**STOP, "scene": "0", "room": room})
    student = school.look(student)
    assert link(student)["lesson"] == "attention"
    student = school.press(student, "room.leave")
    come_back(student.app, TEACHERS)
    assert link(student)["src"] == own
    assert {"lesson", "only", "present"}.isdisjoint(link(student))


def test_a_reply_of_a_link_is_no_vote(school: School) -> None:
    _, room = opened(school)
    student = school.tab("student", MAP, room=room)
    said = link(student) | {"ask_scale": "size"}
    student = school.look(school.tab("student", "attention", **said))
    seen = school.rooms.at(room, "teacher")
    assert seen
    assert seen.answered == 0
    school.vote(student, "size")
    seen = school.rooms.at(room, "teacher")
    assert seen
    assert seen.answered == 1


def test_no_figure_is_there_that_tells_a_class_the_answer_before_it_has_replied(school: School) -> None:
    teacher, room = opened(school)
    student = school.look(school.tab("student", MAP, room=room))
    assert boards(teacher.app) == [] == boards(student.app)
    student = school.vote(student, "size")
    for phase in ("counts", "told"):
        assert boards(school.look(teacher).app) == [] == boards(school.look(student).app)
        teacher = school.press(teacher, f"room.to.{phase}")
    assert "attention.stages" in boards(teacher.app)
    assert "attention.stages" in boards(school.look(student).app)


def test_the_figure_of_any_question_waits_for_the_class(school: School) -> None:
    teacher = school.press(school.tab("teacher", TEACHERS), "teachers.open_room")
    room = link(teacher)["room"]
    teacher = school.tab("teacher", "masks", open="fill", room=room, model="trained")
    teacher = school.press(teacher, "masks.blank.ask")
    student = school.tab("student", MAP, room=room)
    assert link(student)["only"] == "fill"
    assert boards(student.app) == []
    student = school.vote(student, "uniform")
    for phase in ("counts", "told"):
        teacher = school.press(teacher, f"room.to.{phase}")
    assert "masks.fill" in boards(school.look(student).app)
