"""Lecture mode: one section fills a projector's screen, and the arrow keys lead through the chapter."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape

import streamlit as st

from ui import address
from ui.shell import Chapter
from ui.text import Words

Step = Callable[[int], bool]  # on or back by a stage of a figure; False where there is no further one


def lecture_bar(chapter: Chapter, names: Sequence[str], here: str, step: Step | None, *, lead: bool) -> None:
    """Where the lecture is, and the ways on, back and out. Only its `lead` stands under the chapter's title."""
    shell = Words("shell", chapter.lang)
    at = names.index(here)
    with st.container(key="lecture", horizontal=True, vertical_alignment="center"):
        st.button(
            shell("lecture.back"), icon=":material/arrow_back:", shortcut="Left", key="lecture.back",
            disabled=at == 0 and step is None, on_click=partial(_go, names, at, step, -1),
        )  # fmt: skip
        st.button(
            shell("lecture.on"), icon=":material/arrow_forward:", shortcut="Right", key="lecture.on",
            disabled=at == len(names) - 1 and step is None, on_click=partial(_go, names, at, step, 1),
        )  # fmt: skip
        st.html(
            f'<p class="lecture" {"data-lead" if lead else ""}>{at + 1} / {len(names)} '
            f'<a href="#" class="lecture-controls">{escape(shell("lecture.controls"))}</a></p>'
        )
        st.button(shell("lecture.leave"), type="tertiary", key="lecture.leave", on_click=leave)


def _go(names: Sequence[str], at: int, step: Step | None, by: int) -> None:
    if (step is None or not step(by)) and 0 <= at + by < len(names):
        address.put(address.FRAME, "only", names[at + by])


def leave() -> None:
    address.put(address.FRAME, "present", False)
    address.put(address.FRAME, "only", "")
