"""Stops of lessons as pages of slides: the figure and the question of each, which nobody has to answer first."""

from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import elements, payload
from tests.app.conftest import Open, look_again
from ui.chapters.teachers.stops import question_of
from ui.sections.question import Choice, Quantity
from ui.settings.chapters import STORIES, TEACHERS
from ui.settings.lessons import LESSONS, LessonStop
from ui.text import LANGUAGES, Words

# Every other one: in one lesson the odd ones, in the next the even ones
STOPS = [(one, number) for at, one in enumerate(LESSONS) for number in range(1 + at % 2, len(LESSONS[one]) + 1, 2)]
DRAWN = ("bidi_component", "echarts_chart", "plotly_chart")


def slide(open_link: Open, lesson: str, number: int, part: str, lang: str) -> AppTest:
    stop = LESSONS[lesson][number - 1]
    story = {"scene": "0"} if stop.chapter in STORIES else {}
    link: dict[str, Any] = {"lesson": lesson, "stop": str(number), "slide": part, "lang": lang, **story, **stop.run}
    app = open_link(stop.chapter, open="", model="", **link)
    if stop.run:
        look_again(app)
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return "\n".join(block.value for kind in ("markdown", "info", "success") for block in app.get(kind))


def reason(stop: LessonStop, question: Choice | Quantity, lang: str) -> str:
    return question.text(Words(stop.chapter, lang), "right")


@pytest.mark.parametrize(("lesson", "number"), STOPS)
def test_a_slide_has_the_title_the_figure_and_the_question_of_its_stop_and_no_answer(
    open_link: Open, lesson: str, number: int
) -> None:
    lang = [*LANGUAGES][number // 2 % 2]
    app, stop = slide(open_link, lesson, number, "question", lang), LESSONS[lesson][number - 1]
    question, say = question_of(stop), Words(stop.chapter, lang)
    assert app.title[0].value == Words(TEACHERS, lang)(f"{lesson}.stop_{number}")
    assert any(element.type in DRAWN for element in elements(app.main))
    assert not [button for button in app.button if str(button.key).startswith("lecture.")]
    if not question.in_section:
        assert f"**{question.text(say, 'question')}**" in said(app)
        assert reason(stop, question, lang) not in said(app)
        assert f"{stop.chapter}:{question.name}" not in [str(group.key) for group in app.button_group]


@pytest.mark.parametrize(("lesson", "lang"), [("masks", "zh"), ("scale", "en")])
def test_a_slide_with_its_answer_tells_it_with_the_reason(open_link: Open, lesson: str, lang: str) -> None:
    stop = LESSONS[lesson][0]
    question = question_of(stop)
    answer = question.label(Words(stop.chapter, lang), question.right_reply)
    told = Words("shell", lang)("predict.answer", answer=answer, reason=reason(stop, question, lang))
    assert told in said(slide(open_link, lesson, 1, "answer", lang))


@pytest.mark.parametrize("part", ["question", "answer"])
def test_what_a_class_is_to_draw_is_drawn_on_the_slide_with_the_answer_alone(open_link: Open, part: str) -> None:
    app = slide(open_link, "doing", 2, part, "en")
    truth = payload(app, "practice.drawing")["truth"]
    assert bool(truth) == (part == "answer")


def test_the_page_for_teachers_names_the_slides_of_every_lesson_in_their_order(open_link: Open) -> None:
    app = open_link(TEACHERS, open=",".join(LESSONS), lang="zh")
    ways = [block.proto.body for block in app.main.get("html") if 'class="slides-ways"' in block.proto.body]
    assert len(ways) == len(LESSONS)
    for way, (lesson, stops) in zip(ways, LESSONS.items()):
        for part, listed in zip(("question", "answer"), way.split('data-stops="')[1:], strict=True):
            links = [urlsplit(unescape(link)) for link in listed.partition('"')[0].split()]
            assert [link.path.rpartition("/")[2] for link in links] == [stop.chapter for stop in stops]
            for number, link in enumerate(links, 1):
                own = {"lang": "zh", "lesson": lesson, "stop": str(number), "slide": part}
                assert own.items() <= dict(parse_qsl(link.query)).items()
