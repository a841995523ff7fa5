"""The chapters' questions, and the replies to them that a link can carry."""

from ui.chapters import contents
from ui.page.predict import Choice, Quantity
from ui.settings.chapters import CHAPTERS

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
        return {each: f"{question.name}.wrong.{each}" for each in question.options if each != question.right}
    other = sum(map(abs, [question.right, *question.slips.values()])) + 1
    return {reply(value): slip for slip, value in question.slips.items()} | {reply(other): f"{question.name}.wrong"}


def reply(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
