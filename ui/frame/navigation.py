"""Which page runs: each is a file of `pages`, and the map is the app's own file."""

from functools import cache

import streamlit as st

from ui import state
from ui.settings.chapters import BESIDE, CHAPTERS, MAP, page


def told_beforehand() -> None:
    """To be called by a server before its first reader comes. A folder `pages` beside an app means to Streamlit that
    it is to go through the folder in every run, until it has been told of pages once."""
    st.navigation([st.Page(page(MAP), default=True)], position="hidden")


def navigate() -> bool:
    """Run the page that the address names: the first call in each run of the app's own file. False where that page is
    the one that calls again."""
    first = object()
    if state.once("navigation", lambda: first) is not first:
        return False
    pages: list[st.Page] | None = state.recall("pages")
    if pages is None:
        pages = [_made(chapter) for chapter in (MAP, *CHAPTERS, *BESIDE)]
        state.remember("pages", pages)
    st.navigation(pages, position="hidden").run()
    return True


@cache
def page_of(chapter: str) -> st.Page:
    """To link to it. Made once: told a path, Streamlit would look for the page's file again for every link, in every
    run."""
    return _made(chapter)


def _made(chapter: str) -> st.Page:
    """One session does not share those that it runs with another: Streamlit notes in them that they may run now."""
    return st.Page(page(chapter), default=chapter == MAP)
