"""The language of a page: the one that the link says or the browser prefers, and the way into another."""

import streamlit as st

from ui import state
from ui.text import languages


def language(chosen: str) -> str:
    """That of the link, or else the one of ours that the reader's browser asks for."""
    if chosen in languages():
        return chosen
    return "zh" if (st.context.locale or "").startswith("zh") else "en"


def others(here: str) -> None:
    """This page, as it is, in another language: no link, for that would know only what was set when it was drawn."""
    for lang, name in languages().items():
        if lang != here:
            st.button(name, icon=":material/translate:", type="tertiary", on_click=state.speak, args=(lang,))
