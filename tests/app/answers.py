"""The chapters' questions, and the replies to them that a link can carry."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.app.boards import payload
from tests.app.conftest import opened
from transformer_core.exercises.drawing.packed import FULL, packed
from ui.chapters import contents
from ui.chapters.practice.drawing.asked import DRAWN
from ui.sections.question import Choice, Quantity
from ui.settings.chapters import CHAPTERS
from ui.settings.lessons import LessonStop

Question = Choice | Quantity

OF_WORDS = {"looks_words"}  # what is asked about models of words, in place of what is asked about those of numbers


def questions(chapter: str) -> list[Question]:
    """All that a chapter asks."""
    asked = [each for one in contents(chapter).every for each in one.asks]
    return [question for question in asked if question.name not in OF_WORDS]


def on_page(chapter: str) -> list[Question]:
    """What a chapter asks where its story is closed."""
    told = [each for one in contents(chapter).every if one.look == "story" for each in one.asks]
    return [question for question in questions(chapter) if question not in told]


def at_stops(chapter: str) -> list[Question]:
    """What is asked only where a lesson stops."""
    return [each for one in contents(chapter).every for each in one.lesson if each not in one.asks]


ASKING = [chapter for chapter in CHAPTERS if questions(chapter)]


def right(chapter: str, *names: str) -> dict[str, str]:
    """The right replies to the questions of these names, or to all: they open what a question hides."""
    asked = {question.name: question for question in questions(chapter)} if chapter in ASKING else {}
    return {name: reply(asked[name].right) for name in names or asked}


def wrong(question: Question) -> dict[str, str]:
    """Each wrong reply with the key of the text that explains it."""
    if isinstance(question, Choice):
        return {each: question.reason(each) for each in question.options if each != question.right}
    other = sum(map(abs, [question.right, *question.slips.values()])) + 1
    return {reply(value): slip for slip, value in question.slips.items()} | {reply(other): f"{question.name}.wrong"}


def replied(stop: LessonStop, given: str) -> dict[str, str]:
    """What a link to a stop says of this reply to its question: of a drawing the true one, if it is to be right; else
    what a blank sheet begins with."""
    if stop.question != DRAWN.name:
        return {stop.question: given}
    link, sheet = {"open": "", **stop.settings}, f"{stop.chapter}.drawing"
    found = drawn(payload(opened(stop.chapter, **link), sheet)["blank"])
    return drawn(true_levels(payload(opened(stop.chapter, **link, **found), sheet))) if given == DRAWN.right else found


def drawn(levels: Sequence[int]) -> dict[str, str]:
    """What a link says of a drawing that was run."""
    return dict.fromkeys(("drawn", "drawn_run"), packed(levels))


def true_levels(sheet: Mapping[str, Any]) -> list[int]:
    """The drawing that comes nearest to the truth on a sheet."""
    truth, low, high = np.array(sheet["truth"]), sheet["low"], sheet["high"]
    found = np.rint(FULL * (truth - low) / (high - low)).astype(int)
    if sheet["shared"]:
        found[found.argmax()] += FULL - found.sum()
    return [int(level) for level in found]


def reply(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
