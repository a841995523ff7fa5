"""Lecture mode: one section fills a projector's screen, and the arrow keys lead through the chapter."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import streamlit as st

from ui import state
from ui.classroom import dialog, membership, qr
from ui.frame.chapter import Chapter
from ui.frame.style import apply_lecture_style
from ui.settings.chapters import MAP, STORIES, TEACHERS, after
from ui.settings.fields import OneOf
from ui.settings.lessons import LESSONS
from ui.text import Words

STORY, LAST_SCENE = "story", 999
Step = Callable[[Chapter[Any], int], bool]  # on or back by a stage of a figure; False where there is no further one


def through(name: str) -> Step:
    """From option to option of a setting, in their order."""

    def step(chapter: Chapter[Any], by: int) -> bool:
        kind = chapter.kind.kinds()[name]
        assert isinstance(kind, OneOf)
        to = kind.options.index(getattr(chapter.settings, name)) + by
        there = 0 <= to < len(kind.options)
        if there:
            chapter.put(name, kind.options[to])
        return there

    return step


def lecture_bar(chapter: Chapter[Any], names: Sequence[str], here: str, step: Step | None, *, lead: bool) -> None:
    """Where the lecture is, and the ways on, back and out. Only its `lead` stands under the page's title. The last
    section leads to the next chapter; at a stop of a lesson the ways lead to its other stops, in whatever chapter."""
    shell, frame = chapter.shell, chapter.frame
    scene = getattr(chapter.settings, "scene", 0)
    if frame.at:
        at, count, end = frame.at_stop - 1, len(LESSONS[frame.lesson]), True
        begins = at == 0 and (scene == 1 or not _tells(chapter))
        step = step if (frame.at.steps and not chapter.waits) or here == STORY else None
        place = f"{Words(TEACHERS, chapter.lang)(f'{frame.lesson}.title')} {at + 1}/{count}"
    else:
        at, count, end = names.index(here), len(names), after(chapter.name) == MAP
        begins = at == 0
        place = f"{at + 1} / {count}"
    wide = frame.at and frame.at.wide and not membership.taught(frame)  # beside votes no figure is
    if frame.slide:
        apply_lecture_style(slide=True)
        with st.container(key="slide"):
            st.html(f'<p class="lecture" data-lead {"data-wide" if wide else ""}>{escape(place)}</p>')
        return
    apply_lecture_style()
    with st.container(key="lecture", horizontal=True, vertical_alignment="center"):
        ends = end and at == count - 1 and step is None
        for way, by, last in (("back", -1, begins and (step is None or scene == 1)), ("on", 1, ends)):
            st.button(
                shell(f"lecture.{way}"), icon=f":material/arrow_{'back' if by < 0 else 'forward'}:",
                key=f"lecture.{way}", disabled=last, on_click=_go, args=(chapter, names, at, step, by),
            )  # fmt: skip
        st.html(
            f'<p class="lecture" {"data-lead" if lead or frame.at else ""} {"data-wide" if wide else ""} '
            f'title="{escape(shell("lecture.keys"))}">{escape(place)} '
            f'<a href="#" class="lecture-controls">{escape(shell("lecture.controls"))}</a> '
            f'<a href="#" class="presenter-open">{escape(shell("lecture.notes"))}</a> '
            f'<a href="#" class="keys-open">{escape(shell("lecture.all_keys"))}</a></p>'
        )
        _way_in(chapter, here)
        st.button(shell("lecture.leave"), type="tertiary", key="lecture.leave", on_click=leave)


def _way_in(chapter: Chapter[Any], here: str) -> None:
    """The code of this screen, and a room for the class; where there is one, its dialog."""
    shell, seen = chapter.shell, membership.taught(chapter.frame)
    if seen:
        opened = dialog.just_opened(chapter.lang)
        if st.button(seen.room, icon=":material/groups:", shortcut="Q", key="lecture.room") or opened:
            dialog.dialog(seen, chapter.lang)
        return
    if st.button(shell("scan"), icon=":material/qr_code_2:", shortcut="Q", key="lecture.scan"):
        own = state.url(chapter.name, present=False, lesson="", at_stop=1, only=here)
        qr.enlarge(own, chapter.lang)
    dialog.just_opened(chapter.lang)
    dialog.open_button(chapter.lang, "lecture.open_room")


def _tells(chapter: Chapter[Any]) -> bool:
    """Whether the stop on the screen begins with its chapter's story."""
    return bool(chapter.frame.at and chapter.frame.at.tells and chapter.name in STORIES)


def _go(chapter: Chapter[Any], names: Sequence[str], at: int, step: Step | None, by: int) -> None:
    if step is not None and step(chapter, by):
        return
    frame, following = chapter.frame, after(chapter.name)
    if frame.at:
        told = getattr(chapter.settings, "scene", 0) > 0
        if _tells(chapter) and told == (by > 0):  # from its story to its figure, and back
            state.put(chapter.name, "scene", 0 if told else LAST_SCENE)
        elif 0 <= at + by < len(LESSONS[frame.lesson]):
            state.go_to_stop(at + by + 1)
    elif 0 <= at + by < len(names):
        state.put(state.FRAME, "only", names[at + by])
    elif by > 0 and following != MAP:
        state.put(state.FRAME, "only", "")
        state.go_to(following, state.query(following))


def leave() -> None:
    for name, value in {
        "present": False,
        "presenter": False,
        "only": "",
        "lesson": "",
        "at_stop": 1,
        "hide": "",
    }.items():
        state.put(state.FRAME, name, value)
