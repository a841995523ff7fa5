"""A page ends: what became of its part, what to do next, the way back to the map, and on paper where it is from."""

from html import escape
from typing import Any

import streamlit as st

from ui import state
from ui.frame.chapter import Chapter
from ui.frame.embed import embedded, way_out
from ui.frame.menu import title
from ui.frame.navigation import page_of
from ui.settings.chapters import BECAME, MAP, after


def close_chapter(chapter: Chapter[Any]) -> None:
    """The last call of every page, which writes its link."""
    shell = chapter.shell
    following = after(chapter.name)
    if embedded():
        way_out(chapter.name, chapter.lang)
        state.close_link()
        return
    with st.container(horizontal=True, key="way-on"):
        if chapter.name in BECAME:
            later, settings = BECAME[chapter.name]
            st.page_link(
                page_of(later), label=shell(f"became.{chapter.name}"), icon=":material/update:",
                query_params=state.query(later, **settings),
            )  # fmt: skip
        if following != MAP:
            st.page_link(
                page_of(following),
                label=shell("next", title=title(following, chapter.lang)),
                icon=":material/arrow_forward:",
                query_params=state.query(following),
            )
        if chapter.name != MAP:
            st.page_link(page_of(MAP), label=shell("back"), icon=":material/map:", query_params=state.query(MAP))
    st.html(  # seen in print alone; assets/print.js fills it in
        f'<div class="printed"><p>{escape(shell("print.folded"))} <b class="printed-folded"></b></p>'
        f'<p>{escape(shell("print.address"))} <span class="printed-address"></span></p></div>'
    )
    state.close_link()
