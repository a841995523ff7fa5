"""A sentence of which the translator is unsure: draws of it differ, and greedy decoding takes a worse way than a beam.

To its grammar a park is where something is done, and never what is watched.
"""

import streamlit as st

from ui import state
from ui.model import ModelAtHand
from ui.sections import AnyChapter
from ui.settings.chapters import BEGINNINGS, IN_CHINESE
from ui.text import is_han

UNSURE, CHINESE_UNSURE = (begins["ways"]["src"] for begins in (BEGINNINGS, IN_CHINESE))


def unsure(at_hand: ModelAtHand, src: str) -> str:
    """That of the language of what is read, if the model at hand translates it; "" if it knows no such words."""
    words = at_hand.words
    if words is None or not words.name.startswith("translate"):
        return ""
    chinese = words.name == "translate zh-en" or (words.name == "translate both" and is_han(src))
    return CHINESE_UNSURE if chinese else UNSURE


def unsure_sentence(chapter: AnyChapter) -> None:
    """A button that puts it into the source, if the model at hand knows its words."""
    sentence = unsure(chapter.at_hand, chapter.frame.src)
    if not sentence or chapter.hides("src"):
        return
    icon, key = ":material/contact_support:", f"ways.unsure.{chapter.here}"
    st.button(
        chapter.say("unsure"), icon=icon, type="tertiary", key=key, on_click=chapter.then(_take), args=(sentence,)
    )


def _take(sentence: str) -> None:
    for name, value in {"src": sentence, "tgt": ""}.items():
        state.put(state.FRAME, name, value)
