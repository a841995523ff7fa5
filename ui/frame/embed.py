"""A section within somebody else's page, a course's: the HTML that puts it there, and the way out of it.

There the page has no menu, no way on and no keys of a lecture: the browser's Tab leads through it and on.
"""

from html import escape
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from ui import state
from ui.frame.menu import anchor
from ui.settings.chapters import MAP
from ui.settings.frame import Frame
from ui.text import Words

HEIGHT = 800  # px: a heading, a question, a figure with its sum, most of its controls; what is longer scrolls
ALONE: dict[str, Any] = {"present": False, "lesson": "", "at_stop": 1}  # of the frame: out of a lecture


def embedded() -> bool:
    """Whether this page stands within another one: its address says `embed=true`, which is Streamlit's own word."""
    return bool(st.context.is_embedded)


def offer(link: str, title: str, lang: str) -> None:
    st.caption(Words("shell", lang)("embed.name"))
    st.code(frame_of(link, title), language="html", wrap_lines=True)


def frame_of(link: str, title: str) -> str:
    """The element that shows this link in a page; `title` is what a screen reader calls it."""
    there = escape(f"{link}{'&' if '?' in link else '?'}embed=true")
    looks = f'width="100%" height="{HEIGHT}" style="border: 1px solid #ccc" loading="lazy" allow="clipboard-write"'
    return f'<iframe src="{there}"\n  title="{escape(title)}"\n  {looks}></iframe>'


def way_out(chapter: str, lang: str) -> None:
    """A link to the whole chapter, in a tab of its own, said from here: this page may not know its own address."""
    only = state.current(state.FRAME, Frame).only
    to = "./" if chapter == MAP else chapter
    query, section = urlencode(state.shared(chapter, only="")), f"#{anchor(only)}" if only else ""
    said = escape(Words("shell", lang)("embed.out"))
    href = escape(f"{to}?{query}{section}")
    st.html(f'<p class="way-out"><a href="{href}" target="_blank" rel="noopener">{said} ↗</a></p>')
