"""Scores typed by the reader: text -> numbers, or a sentence about what is wrong."""

import streamlit as st

from ui import controls
from ui.mistyped import Mistyped
from ui.shell import Chapter
from ui.typed_numbers import numbers

FEWEST, MOST = 2, 12
LARGEST = 1000


class NotScores(Mistyped):
    """Its key is the last part of that of a text in the chapter's words."""


def parse(text: str) -> tuple[float, ...]:
    """Numbers separated by spaces or commas. NotScores: "few", "many", "letters", "no_number" (NaN, ∞) or "huge"."""
    scores = numbers(text, NotScores, LARGEST)
    if len(scores) < FEWEST:
        raise NotScores("few", fewest=FEWEST, most=MOST)
    if len(scores) > MOST:
        raise NotScores("many", count=len(scores), most=MOST)
    return scores


def typed(chapter: Chapter) -> tuple[float, ...] | None:
    """The field for the scores; None once it is said what is wrong with them."""
    text = controls.text(chapter, "scores")
    try:
        return parse(text)
    except NotScores as problem:
        st.warning(chapter.say(f"scores_problem.{problem.key}", **problem.values))
        return None
