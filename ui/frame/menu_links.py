"""What stands below the menu: what "the lecture notes" are, another language, a lecture, a class, paper."""

import streamlit as st

from ui import state
from ui.classroom import dialog
from ui.frame import language
from ui.frame.lecture_notes import documents
from ui.settings.chapters import BESIDE, MAP, TEACHERS
from ui.settings.fields import ALL, Folding, Settings
from ui.settings.frame import Frame
from ui.text import Words


def below_menu(here: str, kind: type[Settings], lang: str, frame: Frame) -> None:
    shell = Words("shell", lang)
    documents(lang)
    language.others(lang)
    if here not in (MAP, *BESIDE) and not frame.present:
        st.button(
            shell("lecture.enter"), icon=":material/co_present:", type="tertiary", shortcut="P", on_click=_present
        )
    if not (frame.room or frame.present):
        dialog.join_field(lang)
    if here != TEACHERS and not frame.present:
        st.button(
            shell("print.chapter"), icon=":material/print:", type="tertiary", key="print", on_click=_open_all,
            args=(here, kind),
        )  # fmt: skip


def _present() -> None:
    state.put(state.FRAME, "present", True)


def _open_all(here: str, kind: type[Settings]) -> None:
    """Every section, for paper; assets/print.js prints them once they are there."""
    if issubclass(kind, Folding):
        state.put(here, "open", ALL)
