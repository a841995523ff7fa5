"""Exercises asked of a class: a blank of a worksheet, a hidden fault, a drawing; counted, and told at the reveal."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.answers import drawn, true_levels
from tests.app.boards import does, payload
from tests.app.conftest import opened
from tests.app.test_in_class import School, judged, keys, link, school, shell, told
from transformer_core.exercises.drawing.packed import packed
from transformer_core.exercises.worksheet import TASKS
from ui.classroom import dialog
from ui.figures.number import number as figure
from ui.sections.question import OTHER
from ui.settings.chapters import MAP, TEACHERS
from ui.text import LANGUAGES, Words

__all__ = ["school"]  # the fixture


def opened_at(lesson: str, number: str) -> AppTest:
    """What a reader by himself sees at the stop of a drawing who has run what the sheet begins with."""
    at = {"lesson": lesson, "stop": number, "lang": "en", "model": "", "open": ""}
    blank = payload(opened("practice", **at), "practice.drawing")["blank"]
    return opened("practice", **at, **drawn(blank))


def test_one_blank_of_a_worksheet_is_asked_and_its_slips_are_counted_by_their_cause(school: School) -> None:
    teacher = school.press(school.tab("teacher", TEACHERS), "teachers.open_room")
    room = link(teacher)["room"]
    teacher = school.tab("teacher", "practice", room=room, sheet_seed="3", sheet_blank="4")
    blank = TASKS["attention"].exercise(3).blanks[4]
    teacher = school.press(teacher, "practice.ask_blank.ask")
    assert "practice.sheet.attention.3.check" not in keys(teacher), "the form would tell"
    students = [school.look(school.tab(f"student {number}", MAP, room=room)) for number in range(4)]
    assert link(students[0])["sheet_blank"] == "4"
    for student, value in zip(students, (blank.right, blank.slips["no_scale"], blank.slips["no_scale"], 77.0)):
        assert not [key for key in keys(student) if key.endswith(".check")]
        school.vote(student, f"{value:.3f}")
    given = {figure(blank.right): 1, figure(blank.slips["no_scale"]): 2, OTHER: 1}
    assert {reply: count for reply, count in school.counts(room).items() if count} == given
    school.press(school.press(teacher, "room.to.counts"), "room.to.told")
    say = Words("practice", "en")
    assert say("sheet.attention.slip.no_scale") in told(school.look(teacher))
    assert say("sheet.attention.slip.no_scale") in told(school.look(students[1]))
    teacher.app.selectbox(key="practice:sheet_blank").set_value(0)
    school.press(school.look(teacher), "practice.ask_blank.ask")
    assert sum(school.counts(room).values()) == 0
    assert len(school.rooms.results(room, "teacher") or ()) == 2, "what was asked before is kept"
    student = school.look(students[1])
    (field,) = [one for one in student.app.text_input if "room.vote" in str(one.key)]
    assert field.value == ""
    for lang in LANGUAGES:
        table = dialog.table(school.rooms.results(room, "teacher") or (), lang).decode("utf-8-sig")
        asked = [Words("practice", lang)("ask_blank.question", seed=3, place=place) for place in (blank.place, "s₁")]
        assert all(question in table for question in asked)


def test_a_seed_of_a_students_own_changes_nothing_of_what_the_class_is_asked(school: School) -> None:
    teacher = school.press(school.tab("teacher", TEACHERS), "teachers.open_room")
    room = link(teacher)["room"]
    school.press(school.tab("teacher", "practice", room=room), "practice.ask_blank.ask")
    student = school.look(school.tab("student", MAP, room=room))
    student.app.number_input(key="practice:sheet_seed").set_value(2).run()
    right = TASKS["attention"].exercise(1).blanks[0].right
    school.vote(student, f"{right:.3f}")
    assert school.counts(room)[figure(right)] == 1


def test_the_fault_that_each_names_is_counted_and_the_true_one_is_told_at_the_reveal(school: School) -> None:
    say = Words("practice", "en")
    at = {"lesson": "doing", "stop": "4"}
    teacher = school.press(school.tab("teacher", "practice", **at), "lecture.open_room")
    room = link(teacher)["room"]
    students = [school.look(school.tab(f"student {number}", MAP, room=room)) for number in range(3)]
    for student, name in zip(students, ("mask", "axis", "mask")):
        school.vote(student, name)
        assert not judged(student)
    school.vote(students[2], "gain")  # thought better of it
    assert {name: count for name, count in school.counts(room).items() if count} == {"mask": 1, "axis": 1, "gain": 1}
    teacher = school.press(school.look(teacher), "room.to.counts")
    assert [say(f"fault.why.{name}") in told(teacher) for name in ("axis", "mask")] == [False, False]
    assert "✓" not in told(teacher)
    teacher = school.press(teacher, "room.to.told")
    assert f"**✓ {say('fault_named.option.axis')}**" in told(teacher)
    assert say("fault.why.mask") in told(teacher), "with what each would have done"
    wrong, right = (school.look(student) for student in students[:2])
    assert (len(wrong.app.error), len(right.app.success)) == (1, 1)
    assert say("fault.why.axis") in told(wrong)
    table = dialog.table(school.rooms.results(room, "teacher") or (), "zh").decode("utf-8-sig")
    assert Words("practice", "zh")("fault_named.option.axis") in table


def test_another_fault_is_another_question_to_the_class(school: School) -> None:
    teacher = school.press(school.tab("teacher", TEACHERS), "teachers.open_room")
    room = link(teacher)["room"]
    for seed, names in ((2, {"mask": 1}), (3, {})):
        teacher = school.tab("teacher", "practice", room=room, only="fault", fault=str(seed), model="translate")
        teacher = school.press(teacher, "practice.fault_named.ask")
        assert "practice.fault.hint" not in keys(teacher)
        if names:
            student = school.look(school.tab("student", MAP, room=room))
            student = school.tab("student", "practice", **dict(school.asked(room).link), room=room)
            school.vote(student, "mask")
        assert {name: count for name, count in school.counts(room).items() if count} == names


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_how_near_each_draws_is_counted_and_the_truth_laid_over_it_at_the_reveal(school: School, number: str) -> None:
    teacher = school.press(school.tab("teacher", "practice", lesson="doing", stop=number), "lecture.open_room")
    room, sheet = link(teacher)["room"], "practice.drawing"
    truth = true_levels(payload(opened_at("doing", number), sheet))
    students = [school.look(school.tab(f"student {at}", MAP, room=room)) for at in range(2)]
    blank = payload(students[0].app, sheet)["blank"]
    for student, levels in zip(students, (truth, blank)):
        school.draw(student, sheet, levels)
        assert payload(student.app, sheet)["truth"] is None
        assert not judged(student)
        assert shell("room.counted") in told(school.look(student))
    counts = school.counts(room)
    assert (counts["near"], sum(counts.values())) == (1, 2)
    school.draw(students[1], sheet, truth)
    assert school.counts(room)["near"] == 2, "changed before the counts are shown"
    teacher = school.press(school.look(teacher), "room.to.counts")
    school.draw(students[1], sheet, blank)
    assert school.counts(room)["near"] == 2, "and not after"
    assert payload(teacher.app, sheet)["truth"] is None
    teacher = school.press(teacher, "room.to.told")
    assert payload(teacher.app, sheet)["truth"] is not None
    first = school.look(students[0])
    assert payload(first.app, sheet)["truth"] is not None
    assert len(first.app.success) == 1
    assert packed(truth) not in str(school.rooms.results(room, "teacher")), "no drawing is kept"


@pytest.mark.parametrize("levels", [[], [1, 2], "x", None, [10**9] * 6])
def test_what_is_no_drawing_is_not_counted(school: School, levels: object) -> None:
    teacher = school.press(school.tab("teacher", "practice", lesson="doing", stop="1"), "lecture.open_room")
    room = link(teacher)["room"]
    student = school.look(school.tab("student", MAP, room=room))
    message = payload(student.app, "practice.drawing")
    event = {"sheet": message["sheet"], "number": message["heard"] + 1, "levels": levels}
    does(student.app, "practice.drawing", "drawn", event)
    assert not student.app.exception
    assert payload(student.app, "practice.drawing")["heard"] == message["heard"] + 1
    assert student.app.button(key="practice.draw.hand_in").disabled
    assert sum(school.counts(room).values()) == 0
