"""The links of the lessons: a stop on the projector, the same on a student's own screen, and lists of the latter."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from ui import state
from ui.classroom import membership
from ui.sections import AnyChapter, Chapter, Section, controls
from ui.settings.chapters import STORIES
from ui.settings.fields import Settings, choice
from ui.settings.lessons import LESSONS, stop_at

EVERY = "every"


class Listed(Settings):
    """Which links are listed, and how they are written."""

    list_lesson: str = choice(EVERY, EVERY, *LESSONS)
    list_format: str = choice("markdown", "markdown", "html")


def on_the_projector(chapter: AnyChapter, lesson: str, number: int) -> str:
    stop = stop_at(lesson, number)
    assert stop
    room = {"room": seen.room} if (seen := membership.taught(chapter.frame)) else {}
    return state.link_to(stop.chapter, {"lang": chapter.lang, "lesson": lesson, "stop": str(number), **room})


def on_a_slide(chapter: AnyChapter, lesson: str, number: int, part: str) -> str:
    """The stop as a page of slides, its figure and, for the `part` "question" or "answer", what is asked or told."""
    stop = stop_at(lesson, number)
    assert stop
    said = {"lang": chapter.lang, "lesson": lesson, "stop": str(number), "slide": part}
    told = {"scene": "0"} if stop.chapter in STORIES else {}  # its figure, not its story
    return state.link_to(stop.chapter, {**said, **told, **stop.run})


def for_a_student(chapter: AnyChapter, lesson: str, number: int) -> str:
    """The stop's section alone, with its controls and without the answers."""
    stop = stop_at(lesson, number)
    assert stop
    return state.link_to(stop.chapter, {"lang": chapter.lang, **stop.settings})


def course(chapter: Chapter[Listed]) -> None:
    """The students' links, to be copied into a course page."""
    lesson = controls.choose(chapter, "list_lesson")
    form = controls.choose(chapter, "list_format")
    lessons = list(LESSONS) if lesson == EVERY else [lesson]
    listed = [_listed(chapter, each, form) for each in lessons]
    st.code(("\n\n" if form == "markdown" else "\n").join(listed), language=form, wrap_lines=True)


def _listed(chapter: AnyChapter, lesson: str, form: str) -> str:
    title = chapter.say(f"{lesson}.title")
    entries = [
        (chapter.say(f"{lesson}.stop_{number}"), for_a_student(chapter, lesson, number))
        for number in range(1, len(LESSONS[lesson]) + 1)
    ]
    return _markdown(title, entries) if form == "markdown" else _html(title, entries)


def _markdown(title: str, entries: Sequence[tuple[str, str]]) -> str:
    return "\n".join([f"### {title}", "", *(f"{at}. [{text}]({link})" for at, (text, link) in enumerate(entries, 1))])


def _html(title: str, entries: Sequence[tuple[str, str]]) -> str:
    items = (f'  <li><a href="{escape(link)}">{escape(text)}</a></li>' for text, link in entries)
    return "\n".join([f"<h3>{escape(title)}</h3>", "<ol>", *items, "</ol>"])


COURSE = Section("course", course, settings=Listed, text="text")
