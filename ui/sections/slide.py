"""What a page of slides has instead of a question that waits for a reply."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from ui.frame.chapter import Chapter


def printed(chapter: Chapter[Any], name: str, asked: str, options: Sequence[str], answer: str) -> None:
    """What is asked, its options as a list and, where the slides have it, the answer."""
    with st.container(key=f"predict-{chapter.name}-{name}", border=True, gap="xsmall"):
        st.markdown(f"**{asked}**")
        if options:
            st.markdown("\n".join(f"- {option}" for option in options))
        if chapter.frame.slide == "answer":
            st.info(answer)
