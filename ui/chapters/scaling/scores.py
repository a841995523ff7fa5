"""Scores typed by the reader: text -> numbers, or a sentence about what is wrong."""

import math
import re

import streamlit as st

from ui import controls
from ui.mistyped import Mistyped
from ui.shell import Chapter

FEWEST, MOST = 2, 12
LARGEST = 1000


class NotScores(Mistyped):
    """Its key is the last part of that of a text in the chapter's words."""


def parse(text: str) -> tuple[float, ...]:
    """Numbers separated by spaces or commas. NotScores: "few", "many", "letters", "no_number" (NaN, ∞) or "huge"."""
    words = [word for word in re.split(r"[\s,，、;；]+", text.replace("−", "-").strip().strip("[]()")) if word]
    numbers = tuple(_number(word) for word in words)
    if len(numbers) < FEWEST:
        raise NotScores("few", fewest=FEWEST, most=MOST)
    if len(numbers) > MOST:
        raise NotScores("many", count=len(numbers), most=MOST)
    return numbers


def _number(word: str) -> float:
    try:
        value = float(word) if word.isascii() and "_" not in word else None
    except ValueError:
        value = None
    if value is None:
        raise NotScores("letters", word=word[:20], largest=LARGEST)
    if not math.isfinite(value):
        raise NotScores("no_number", word=word[:20], largest=LARGEST)
    if abs(value) > LARGEST:
        raise NotScores("huge", word=word[:20], largest=LARGEST)
    return value


def typed(chapter: Chapter) -> tuple[float, ...] | None:
    """The field for the scores; None once it is said what is wrong with them."""
    text = controls.text(chapter, "scores")
    try:
        return parse(text)
    except NotScores as problem:
        st.warning(chapter.say(f"scores_problem.{problem.key}", **problem.values))
        return None
