"""The eight lessons: what each is for, and its stops with their pictures, links, questions and expected answers."""

import tomllib
from functools import cache, partial
from html import escape
from typing import Any

import streamlit as st

from ui.chapters import contents
from ui.chapters.teachers.figures.miniature import MiniatureCurve, MiniatureGrid, miniature
from ui.chapters.teachers.links import for_a_student, on_a_slide, on_the_projector
from ui.chapters.teachers.plan import MINUTES
from ui.figures.markup import Markup, element
from ui.frame.style import apply_slides_style
from ui.script import ASSETS
from ui.sections import AnyChapter, Choice, Frame, Quantity, Section, answers
from ui.settings.lessons import LESSONS, LessonStop
from ui.text import Words

# The questions that lessons stop at, as their chapters ask them.


def question_of(stop: LessonStop) -> Choice | Quantity:
    """KeyError where its chapter does not ask it."""
    of = contents(stop.chapter)
    question = {question.name: question for question in of.questions}[stop.question]
    return question.of(of.settings.from_query(stop.settings), Frame.from_query(stop.settings))


def answers_at(stop: LessonStop, lang: str) -> str:
    return answers(question_of(stop), Words(stop.chapter, lang))


# What the stops of the lessons show, small: pictures that `python -m tests.stops` has taken from the pages.

FILE = ASSETS / "stops.toml"

Part = MiniatureGrid | MiniatureCurve


@cache
def pictures() -> dict[str, list[list[Part]]]:
    """Of each lesson the figures of its stops, in their order."""
    lessons = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {lesson: [_parts(stop) for stop in stops.values()] for lesson, stops in lessons.items()}


def _parts(stop: dict[str, list[dict[str, str]]]) -> list[Part]:
    kinds = {"grids": MiniatureGrid, "curves": MiniatureCurve}
    return [kinds[name](**fields) for name, some in stop.items() for fields in some]


COVER = {
    "attention": 3,
    "masks": 3,
    "scale": 5,
    "order": 4,
    "training": 3,
    "hand": 1,
    "doing": 5,
    "later": 2,
}  # the stop whose picture stands for a lesson


def overview(chapter: AnyChapter) -> None:
    """The lessons side by side: picture, title, goal, minutes, and the link that begins it."""
    apply_slides_style()
    cards = "".join(_card(chapter, lesson) for lesson in LESSONS)
    st.markdown(f'<div class="lessons">{cards}</div>', unsafe_allow_html=True)  # st.html takes no SVG


def _card(chapter: AnyChapter, lesson: str) -> str:
    say = chapter.say
    begin = escape(on_the_projector(chapter, lesson, 1))
    return (
        f"<article>{_picture(chapter, lesson, COVER[lesson])}<strong>{escape(say(f'{lesson}.title'))}</strong>"
        f"<p>{escape(say(f'{lesson}.goal'))}</p>"
        f'<p class="begin"><a href="{begin}">{escape(say("begin"))}</a> '
        f"<span>{escape(say('minutes', count=sum(MINUTES[lesson])))}</span></p></article>"
    )


def lesson_stops(chapter: AnyChapter, lesson: str) -> None:
    chapter.write(f"{lesson}.text", f"{lesson}.goal")
    _slides(chapter, lesson)
    for number, stop in enumerate(LESSONS[lesson], 1):
        left, right = st.columns([1, 4], gap="medium")
        left.markdown(f'<div class="stop">{_picture(chapter, lesson, number)}</div>', unsafe_allow_html=True)
        with right:
            _stop(chapter, lesson, number, stop)


def _slides(chapter: AnyChapter, lesson: str) -> None:
    """Save the lesson as slides, a stop on each, without the answers or with them; and the way to stop that."""
    say, numbers = chapter.say, range(1, len(LESSONS[lesson]) + 1)
    words = {"title": say(f"{lesson}.title"), "failed": say("slides.failed"), "ready": say("slides.ready")}

    def way(part: str) -> Markup:
        told = {"stops": " ".join(on_a_slide(chapter, lesson, number, part) for number in numbers), **words}
        data = {f"data_{name}": text for name, text in told.items()}
        return element("a", say(f"slides.{part}"), href="#", role="button", class_="slides-save", **data)

    end = element("a", say("slides.end"), href="#", role="button", class_="slides-end")
    said = element("span", "", class_="slides-said", role="status")
    st.html(element("p", way("question"), way("answer"), end, said, class_="slides-ways"))


def _stop(chapter: AnyChapter, lesson: str, number: int, stop: LessonStop) -> None:
    say = chapter.say
    minutes = say("minutes", count=MINUTES[lesson][number - 1])
    projected = f"[{say('project')}]({on_the_projector(chapter, lesson, number)})"
    st.markdown(f"**{number}** · {say(f'{lesson}.stop_{number}')}\n\n{minutes} · {projected} · {say('student')}")
    st.code(for_a_student(chapter, lesson, number), language=None)
    if stop.question:
        with st.expander(say("answers")):
            st.markdown(answers_at(stop, chapter.lang), unsafe_allow_html=True)


def _picture(chapter: AnyChapter, lesson: str, number: int) -> str:
    alt = chapter.say("picture", stop=chapter.say(f"{lesson}.stop_{number}"))
    return miniature(pictures()[lesson][number - 1], alt)


OF_EACH: tuple[Section[Any], ...] = tuple(Section(lesson, partial(lesson_stops, lesson=lesson)) for lesson in LESSONS)
OVERVIEW: Section[Any] = Section("lessons", overview, look="lead", parts=OF_EACH)
