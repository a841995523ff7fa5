"""The lab sheet: what was answered in this tab, with notes of the reader's own, to be taken along as a file."""

from functools import partial

import streamlit as st

from transformer_core.labsheet.file import LARGEST
from transformer_core.labsheet.sheet import ENTRIES, NAME, NOTE, Entry, LabSheet
from ui import state
from ui.chapters.practice.drawing.asked import DrawSettings
from ui.chapters.practice.fault import OfFault
from ui.chapters.practice.lab_page import COMMAND, lab_page
from ui.chapters.practice.mend import Mend
from ui.chapters.practice.told import title, worth
from ui.chapters.practice.worksheet import Worksheet
from ui.frame import labsheet_entries
from ui.sections import AnyChapter, Section
from ui.text import LITERAL

FILE = "labsheet.html"
PAPER = {"paper": False, "paper_key": True}  # those for print, and whether with the key


@Section("labsheet", text="text", reads=(Worksheet, DrawSettings, Mend, OfFault))
def labsheet(chapter: AnyChapter) -> None:
    say, kept = chapter.say, labsheet_entries.entries()
    if not kept:
        st.info(say("labsheet.nothing"))
        return
    if labsheet_entries.is_full():
        st.warning(say("labsheet.full", most=ENTRIES))
    key = state.prepare("practice.labsheet.name", labsheet_entries.name())
    st.text_input(say("labsheet.name"), labsheet_entries.name(), NAME, key, on_change=chapter.then(_call), args=(key,))
    for at, entry in enumerate(kept.values(), 1):
        _entry(chapter, at, entry)
    _file(chapter, LabSheet(chapter.lang, labsheet_entries.name(), tuple(kept.values())))


def _call(key: str) -> None:
    labsheet_entries.call(str(state.picked(key) or "").strip())


def _entry(chapter: AnyChapter, at: int, entry: Entry) -> None:
    say, key = chapter.say, f"practice.labsheet.{entry.kind}.{entry.what}"
    right = sum(claim.kind == "right" for claim in entry.claims)
    told = worth(entry.claims[0], say)
    if len(entry.claims) > 1:
        told = say("labsheet.of", right=right, answers=len(entry.claims))
    with st.container(border=True, gap="xsmall", key=f"labsheet-{at}"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{at}. [{title(entry, chapter.lang).translate(LITERAL)}]({entry.link})** · {told}")
            st.button(
                say("labsheet.drop", at=at), icon=":material/close:", type="tertiary", key=f"{key}.drop",
                on_click=chapter.then(labsheet_entries.drop), args=(entry.key,),
            )  # fmt: skip
        noted = state.prepare(f"{key}.note", entry.note)
        st.text_area(
            say("labsheet.note", at=at), entry.note, 68, NOTE, noted,
            on_change=chapter.then(_note), args=(entry.key, noted),
        )  # fmt: skip


def _note(entry: labsheet_entries.Key, key: str) -> None:
    labsheet_entries.note(entry, str(state.picked(key) or "").strip())


def _file(chapter: AnyChapter, sheet: LabSheet) -> None:
    say = chapter.say
    page = lab_page(sheet).encode()
    if len(page) > LARGEST:
        st.warning(say("labsheet.large", size=LARGEST // 1_000_000))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            say("labsheet.save"), page, FILE, "text/html", key="practice.labsheet.save", on_click="ignore",
            icon=":material/download:", type="primary",
        )  # fmt: skip
        for name, with_key in PAPER.items():  # made when they are asked for
            st.download_button(
                say(f"labsheet.{name}"), partial(_on_paper, sheet, with_key=with_key), f"{name}-{FILE}", "text/html",
                key=f"practice.labsheet.{name}", on_click="ignore", icon=":material/print:",
            )  # fmt: skip
        st.button(
            say("labsheet.drop_all"), icon=":material/delete:", key="practice.labsheet.drop_all",
            on_click=chapter.then(labsheet_entries.drop_all),
        )  # fmt: skip
    chapter.write("labsheet.after", command=COMMAND)


def _on_paper(sheet: LabSheet, *, with_key: bool) -> bytes:
    return lab_page(sheet, paper=True, with_key=with_key).encode()


# What is answered on this page stands on the sheet at once.
