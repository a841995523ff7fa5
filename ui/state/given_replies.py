"""Which replies the reader has given by a press. A link, a scene or a stop shows a reply, and gives none."""

from typing import Any

import streamlit as st

from ui.state.store import store

OF_LINKS = "replies.of_links"  # in a session without a reader, whose link's replies are taken for given


def give(chapter: str, name: str) -> None:
    """From what a press calls: the reply as it is now is the reader's own."""
    counts = _given().setdefault((chapter, name), {})
    value = getattr(store()[chapter], name)
    counts[value] = counts.get(value, 0) + 1


def is_given(chapter: str, name: str) -> bool:
    """Whether the reply as it is now is one that the reader has given in this session."""
    value = getattr(store().get(chapter), name, None)
    return value in _given().get((chapter, name), ()) or bool(st.session_state.get(OF_LINKS))


def presses(chapter: str, *names: str) -> int:
    """How many replies the reader has given in this session."""
    count = sum(sum(_given().get((chapter, name), {}).values()) for name in names)
    return count or int(bool(st.session_state.get(OF_LINKS)))


def take_back(chapter: str, name: str) -> None:
    """What was asked is another thing now."""
    _given().pop((chapter, name), None)


def _given() -> dict[tuple[str, str], dict[Any, int]]:
    given: dict[tuple[str, str], dict[Any, int]] = st.session_state.setdefault("given", {})
    return given
