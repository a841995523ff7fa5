"""Lecture mode: one section fills a projector's screen, and the arrow keys lead through the chapter."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape

import streamlit as st

from ui import address
from ui.settings.chapters import MAP, after, page
from ui.settings.fields import Choice
from ui.shell import Chapter
from ui.style import apply_lecture_style
from ui.text import Words

Step = Callable[[Chapter, int], bool]  # on or back by a stage of a figure; False where there is no further one

BEYOND = "next"  # in the setting `only`, for a moment: what comes after the last section


def through(name: str) -> Step:
    """From option to option of a setting, in their order."""

    def step(chapter: Chapter, by: int) -> bool:
        kind = chapter.kind.kinds()[name]
        assert isinstance(kind, Choice)
        to = kind.options.index(getattr(chapter.settings, name)) + by
        there = 0 <= to < len(kind.options)
        if there:
            chapter.put(name, kind.options[to])
        return there

    return step


def lecture_bar(chapter: Chapter, names: Sequence[str], here: str, step: Step | None, *, lead: bool) -> None:
    """Where the lecture is, and the ways on, back and out. Only its `lead` stands under the chapter's title. The last
    section leads to the next chapter."""
    shell = Words("shell", chapter.lang)
    at = names.index(here)
    end = at == len(names) - 1 and after(chapter.name) == MAP
    apply_lecture_style()
    with st.container(key="lecture", horizontal=True, vertical_alignment="center"):
        st.button(
            shell("lecture.back"), icon=":material/arrow_back:", shortcut="Left", key="lecture.back",
            disabled=at == 0 and step is None, on_click=partial(_go, chapter, names, at, step, -1),
        )  # fmt: skip
        st.button(
            shell("lecture.on"), icon=":material/arrow_forward:", shortcut="Right", key="lecture.on",
            disabled=end and step is None, on_click=partial(_go, chapter, names, at, step, 1),
        )  # fmt: skip
        st.html(
            f'<p class="lecture" {"data-lead" if lead else ""}>{at + 1} / {len(names)} '
            f'<a href="#" class="lecture-controls">{escape(shell("lecture.controls"))}</a></p>'
        )
        st.button(shell("lecture.leave"), type="tertiary", key="lecture.leave", on_click=leave)


def _go(chapter: Chapter, names: Sequence[str], at: int, step: Step | None, by: int) -> None:
    if step is not None and step(chapter, by):
        return
    if 0 <= at + by < len(names):
        address.put(address.FRAME, "only", names[at + by])
    elif by > 0:
        address.put(address.FRAME, "only", BEYOND)


def go_on(chapter: Chapter) -> None:
    """To the next chapter, if the lecture has come to the end of this one."""
    following = after(chapter.name)
    if chapter.frame.only == BEYOND and following != MAP:
        address.put(address.FRAME, "only", "")
        st.switch_page(page(following), query_params=address.query(following))


def leave() -> None:
    address.put(address.FRAME, "present", False)
    address.put(address.FRAME, "only", "")
