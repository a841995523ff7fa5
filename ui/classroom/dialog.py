"""The dialog of a class's room: its letters and the code that students scan, how many have come, and its end."""

import csv
import io
from html import escape

import streamlit as st

from ui.classroom import membership, qr
from ui.classroom.ballot import Result
from ui.classroom.rooms import RoomView
from ui.frame.menu import title
from ui.text import Words

HEADS = ("chapter", "question", "round", "reply", "right", "count")


def dialog(seen: RoomView, lang: str) -> None:
    st.dialog(Words("shell", lang)("room.title", room=seen.room), width="large", on_dismiss="rerun")(inside)(seen, lang)


def inside(seen: RoomView, lang: str) -> None:
    shell, link = Words("shell", lang), membership.join_link(seen.room)
    left, right = st.columns(2, gap="medium")
    with left:
        qr.code(link, lang)
    with right:
        st.html(f'<p class="room-letters">{escape(seen.room)}</p>')
        st.markdown(shell("room.address"))
        st.html(f'<p class="scan-address">{escape(qr.readable(link))}</p>')
        st.markdown(shell("room.joined", joined=seen.joined, minutes=max(1, round(seen.left / 60))))
        with st.container(horizontal=True, key="room-door"):
            results = membership.results(seen)
            st.download_button(
                shell("room.table"), table(results, lang), f"room-{seen.room}.csv", "text/csv", key="room.table",
                icon=":material/download:", on_click="ignore", disabled=not results,
            )  # fmt: skip
            st.button(
                shell("room.end"), icon=":material/logout:", key="room.end", on_click=membership.end, args=(seen.room,)
            )
        qr.reach(link, lang)


def table(results: tuple[Result, ...], lang: str) -> bytes:
    """The counts as CSV, in the words of the chapters; spreadsheets know it by its first bytes as Unicode."""
    shell, written = Words("shell", lang), io.StringIO()
    writer = csv.writer(written)
    writer.writerow([shell(f"room.column.{head}") for head in HEADS])
    for asked, rounds in results:
        say = Words(asked.chapter, lang)
        question = say(f"{asked.question}.question", **dict(asked.said))
        for number, counts in enumerate(rounds, 1):
            for reply, count in zip(asked.replies, counts):
                option = f"{asked.question}.option.{reply}"
                said = say(option) if option in say else shell("room.other") if reply == "other" else reply
                right = int(reply == asked.right)
                writer.writerow([title(asked.chapter, lang), question, number, said, right, count])
    return written.getvalue().encode("utf-8-sig")


def open_button(lang: str, key: str) -> None:
    """One click opens a room."""
    st.button(Words("shell", lang)("room.enter"), icon=":material/groups:", key=key, on_click=membership.open_room)


def join_field(lang: str) -> None:
    """For who sees the letters and has no link."""
    shell = Words("shell", lang)
    with st.popover(shell("room.join"), icon=":material/group_add:", type="tertiary"):
        typed = st.text_input(shell("room.letters"), max_chars=20, key=membership.TYPED, on_change=membership.join)
        if typed.strip() and not membership.letters():
            st.warning(shell("room.no_letters"))


def just_opened(lang: str) -> bool:
    """Whether the last click has opened a room; where there was no place for it, a sentence says so."""
    name = membership.just_opened()
    if name == "":
        st.warning(Words("shell", lang)("room.none_left"))
    return bool(name)
