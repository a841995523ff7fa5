"""A sentence in which a word is missing: the translator has to guess, and greedy decoding guesses badly."""

from typing import Any

import streamlit as st

from ui import address
from ui.frame.chapter import Chapter

GAP = "three happy rest every day"  # of the held-out "three happy doctors rest every day"


def missing_word(chapter: Chapter[Any]) -> None:
    """A button that puts it into the source, if the model at hand knows its words."""
    words = chapter.at_hand.words
    if words is None or words.name not in ("translate both", "translate en-zh") or chapter.hides("src"):
        return
    icon, key = ":material/contact_support:", f"ways.missing.{chapter.here}"
    st.button(chapter.say("missing"), icon=icon, type="tertiary", key=key, on_click=chapter.then(_take))


def _take() -> None:
    for name, value in {"src": GAP, "tgt": ""}.items():
        address.put(address.FRAME, name, value)
