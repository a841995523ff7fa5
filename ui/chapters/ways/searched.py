"""What there is to search for, or why there is nothing."""

import streamlit as st

from ui.chapters.shared.begun import Tokens, begun_of
from ui.chapters.ways.values import all_begun
from ui.frame.chapter import Chapter


def to_search(chapter: Chapter, src: Tokens) -> Tokens | None:
    """What the outputs begin with; None after saying that there is nothing to search for."""
    begun = begun_of(chapter, src)
    if len(src) < 2:
        st.info(chapter.say("unread"))
        return None
    if all_begun(chapter.at_hand, src, begun):
        st.info(chapter.say("all_begun"))
        return None
    return begun
