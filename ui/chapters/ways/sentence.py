"""A sentence in which a word is missing: the translator has to guess, and greedy decoding guesses badly."""

import streamlit as st

from ui import address
from ui.model import ModelAtHand
from ui.section import AnyChapter
from ui.text import is_han

GAP = "three happy rest every day"  # of the held-out "three happy doctors rest every day"
CHINESE_GAP = "两个快乐的每天看书"  # who reads?


def gap(at_hand: ModelAtHand, src: str) -> str:
    """That of the language of what is read, if the model at hand translates it; "" if it knows no such words."""
    words = at_hand.words
    if words is None or not words.name.startswith("translate"):
        return ""
    chinese = words.name == "translate zh-en" or (words.name == "translate both" and is_han(src))
    return CHINESE_GAP if chinese else GAP


def missing_word(chapter: AnyChapter) -> None:
    """A button that puts it into the source, if the model at hand knows its words."""
    sentence = gap(chapter.at_hand, chapter.frame.src)
    if not sentence or chapter.hides("src"):
        return
    icon, key = ":material/contact_support:", f"ways.missing.{chapter.here}"
    st.button(
        chapter.say("missing"), icon=icon, type="tertiary", key=key, on_click=chapter.then(_take), args=(sentence,)
    )


def _take(sentence: str) -> None:
    for name, value in {"src": sentence, "tgt": ""}.items():
        address.put(address.FRAME, name, value)
