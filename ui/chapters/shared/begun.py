"""What the reader puts in the model's mouth: the words that the output begins with."""

from collections.abc import Sequence

import streamlit as st

from ui.frame.chapter import Chapter, draw_again
from ui.page import controls
from ui.reading.mistyped import Mistyped
from ui.reading.sequence import NotASequence, tokens
from ui.text import Words

OWN = "✎"  # marks what the reader has put there
Tokens = tuple[int, ...]


class TooLong(Mistyped):
    """Its key is that of a text in `shell.toml`."""


def begun_of(chapter: Chapter, src: Tokens) -> Tokens:
    """The tokens that the output begins with, after its start symbol; () if there are none, or what stands there is
    wrong."""
    try:
        return _read(chapter, src)
    except (NotASequence, TooLong):
        return ()


def begun_field(chapter: Chapter, src: Tokens) -> None:
    """The field for them, what is wrong with them, and the way back to the model's own words."""
    shell = Words("shell", chapter.lang)
    controls.text(chapter, "begun")
    try:
        _read(chapter, src)
    except (NotASequence, TooLong) as problem:
        st.warning(shell(problem.key, **problem.values))
    if chapter.settings.begun.strip() and not chapter.hides("begun"):
        st.button(
            shell("begun_reset"),
            key=f"{chapter.name}.reset",
            icon=":material/undo:",
            type="tertiary",
            on_click=chapter.put,
            args=("begun", ""),
        )


def put_in_its_mouth(chapter: Chapter, before: Sequence[int], token: int, own: Sequence[int]) -> None:
    """Let the output go on with a token after those written before it; `own` is what the model says by itself."""
    now = [*before, token]
    named = chapter.at_hand.target.every
    chapter.put("begun", "" if now == list(own[: len(now)]) else " ".join(named[each] for each in now))
    draw_again()


def _read(chapter: Chapter, src: Tokens) -> Tokens:
    typed, at_hand = chapter.settings.begun, chapter.at_hand
    if not typed.strip():
        return ()
    read, room = tokens(typed, at_hand.target, 10_000), at_hand.most(src) - 1
    if len(read) > room:
        raise TooLong("begun_long", length=len(read), room=room)
    return read
