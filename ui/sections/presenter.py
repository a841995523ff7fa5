"""The lecturer's own window: the notes to what is on the wall, what comes next, a clock and the votes as they come.

`assets/presenter.js` lets it follow the wall, and lead it.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from ui.classroom.page import votes_as_they_come
from ui.figures.markup import element
from ui.frame.chapter import Chapter
from ui.frame.style import apply_lecture_style
from ui.sections.question import answers
from ui.sections.section import Section
from ui.sections.section_list import UNNAMED, standing
from ui.settings.chapters import TEACHERS
from ui.settings.lessons import LESSONS
from ui.text import Words


def presents(chapter: Chapter[Any]) -> bool:
    """Whether this page is the lecturer's window."""
    return chapter.frame.present and chapter.frame.presenter


def presenter(chapter: Chapter[Any], sections: Sequence[Section[Any]]) -> None:
    """What the lecturer sees while the class sees the section that `present` shows."""
    every, only = standing(chapter, sections)
    if only is None:
        return
    stop, shell = chapter.frame.at, chapter.shell
    place, title, following = _at_stop(chapter) if stop else _at_section(chapter, every, only)
    apply_lecture_style()
    st.html(_head(chapter, place))
    with st.container(key="presenter"):
        if title:
            st.markdown(f"### {title}")
        asked = [one for part in every for one in (*part.asks, *part.lesson) if stop and one.name == stop.question]
        for question in asked if stop else (*only.asks, *only.lesson):
            st.markdown(answers(question.of(chapter.settings, chapter.frame), chapter.say), unsafe_allow_html=True)
        votes_as_they_come(chapter, every)
        st.markdown(shell("presenter.next", following=following) if following else shell("presenter.last"))


def _head(chapter: Chapter[Any], place: str) -> str:
    shell = chapter.shell
    ways = [element("a", shell(f"lecture.{way}"), href="#", data_lead=way) for way in ("back", "on")]
    clock = element("output", class_="presenter-clock", aria_label=shell("presenter.clock"))
    alone = element("span", shell("presenter.alone"), class_="presenter-alone", role="status")
    return element("p", *ways, element("span", place), clock, alone, class_="presenter")


def _at_stop(chapter: Chapter[Any]) -> tuple[str, str, str]:
    """Where the lesson is, no title, for the page has that of a stop, and what the next one is about."""
    frame, here = chapter.frame, Words(TEACHERS, chapter.lang)
    count, lesson = len(LESSONS[frame.lesson]), frame.lesson
    at = min(frame.at_stop, count)
    following = here(f"{lesson}.stop_{at + 1}") if at < count else ""
    return f"{here(f'{lesson}.title')} {at}/{count}", "", following


def _at_section(chapter: Chapter[Any], every: Sequence[Section[Any]], only: Section[Any]) -> tuple[str, str, str]:
    at = every.index(only)
    named = [chapter.say("title" if one.look in UNNAMED else f"{one.name}.title") for one in every[at : at + 2]]
    return f"{at + 1} / {len(every)}", named[0], "".join(named[1:])
