"""The lecturer's own window, beside a wall and students, each in a tab of their own."""

from tests.app.test_in_class import SCALE, STOP, School, keys, opened, school, shell, told
from ui.chapters.teachers.stops import question_of
from ui.settings.chapters import TEACHERS
from ui.settings.lessons import LESSONS
from ui.text import Words

__all__ = ["school"]


def test_the_lecturer_s_window_has_the_notes_the_next_stop_and_the_votes_as_they_come(school: School) -> None:
    wall, room = opened(school)
    notes = school.tab("teacher", "attention", **STOP, room=room, presenter="1")
    student = school.tab("student", "attention", room=room)
    student = school.vote(school.look(student), "pattern")
    notes = school.look(notes)
    question, teachers = question_of(LESSONS["attention"][1]), Words(TEACHERS, "en")
    for reply in question.replies:
        assert SCALE(question.reason(reply)) in told(notes)
    assert teachers("attention.stop_3") in told(notes)
    (table,) = [box.value for box in notes.app.markdown if 'class="votes"' in box.value]
    assert "<b>1</b> 100%" in table  # of a round that is open
    assert not [box for box in wall.app.markdown if 'class="votes"' in box.value]
    school.press(notes, "room.to.counts")
    assert shell("room.to.told") in {button.label for button in school.look(wall).app.button}
    assert "lecture.on" not in keys(notes)
