"""The question of a story in front of a class: in a room, in a lecture, and not at a lesson's stop."""

import pytest

from tests.app.conftest import Open
from tests.app.telling import scenes_of
from tests.app.test_in_class import School, keys, link, told
from ui.chapters import contents
from ui.sections.inquiry import Inquiry
from ui.settings.chapters import TEACHERS
from ui.settings.lessons import LESSONS
from ui.text import Words

SCENE = {"scene": "2", "model": "translate"}  # of the chapter of the loss, which asks


def asks(app_keys: set[str]) -> list[bool]:
    """Whether the page asks the first question, why, and the second version."""
    return [f"loss:story_push{each}" in app_keys for each in ("", "_why", "_again")]


def test_a_class_is_asked_and_why_stays_with_the_reader(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    school = School(open_link, monkeypatch)
    room = link(school.press(school.tab("teacher", TEACHERS), "teachers.open_room"))["room"]
    teacher = school.press(school.tab("teacher", "loss", **SCENE, room=room), "loss.story_push.ask")
    assert asks(keys(teacher)) == [False, False, False]
    results = school.rooms.results(room, "teacher")
    assert results
    asked = results[-1].asked
    assert asked.question == "story_push"
    student = school.tab("student", "loss", **dict(asked.link), room=room)
    student = school.vote(student, "right")
    assert asks(keys(student)) == [False, False, False], "nothing is told before the class is"
    teacher = school.press(school.press(school.look(teacher), "room.to.counts"), "room.to.told")
    assert Words("loss", "en")("story_push.wrong.right") in told(teacher)
    assert asks(keys(teacher)) == [False, False, False], "the projector has the question alone"
    student = school.look(student)
    assert asks(keys(student)) == [True, True, False]
    student.app.button_group(key="loss:story_push_why").set_value("whole")
    assert asks(keys(school.look(student))) == [True, True, True]


def test_why_can_be_asked_of_a_class_too(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    school = School(open_link, monkeypatch)
    room = link(school.press(school.tab("teacher", TEACHERS), "teachers.open_room"))["room"]
    teacher = school.tab("teacher", "loss", **SCENE, story_push="all", room=room)
    buttons = {f"loss.story_push{each}.ask" for each in ("", "_why", "_again")} & keys(teacher)
    assert buttons == {"loss.story_push.ask", "loss.story_push_why.ask"}
    teacher = school.press(teacher, "loss.story_push_why.ask")
    assert Words("loss", "en")("story_push_why.question") in told(teacher)


def test_a_lecture_asks_all_three(open_link: Open) -> None:
    link = {"present": "1", "only": "story", **SCENE, "story_push": "all", "story_push_why": "whole"}
    app = open_link("loss", lang="en", **link)
    assert asks({str(one.key) for one in app.button_group}) == [True, True, True]


@pytest.mark.parametrize("lesson", [name for name, stops in LESSONS.items() if any(stop.tells for stop in stops)])
def test_a_stop_of_a_lesson_asks_its_own_question_alone(open_link: Open, lesson: str) -> None:
    (number, stop), *_ = ((at, one) for at, one in enumerate(LESSONS[lesson], 1) if one.tells)
    (story,) = (one for one in contents(stop.chapter).every if one.look == "story")
    scene = next(at for at, one in enumerate(scenes_of(stop.chapter), 1) if isinstance(one.asks, Inquiry))
    app = open_link(stop.chapter, lesson=lesson, stop=str(number), scene=str(scene))
    assert not app.exception
    asked = {str(one.key) for one in app.button_group} & {f"{stop.chapter}:{one.name}" for one in story.asks}
    assert not asked
