"""Numbers that a reader types in a row: what stands in it, or why it cannot be used."""

import math
import re

from ui.text import Typed

# A Chinese keyboard may write digits and signs as wide as its characters: １， for 1,
FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def apart(text: str) -> list[str]:
    """What is separated by spaces or commas, in brackets or not; digits and signs may be full-width ones."""
    return [word for word in re.split(r"[\s,、;]+", text.translate(FULL_WIDTH).strip().strip("[]()")) if word]


class Mistyped(ValueError):
    """The key of the sentence that says why, and the values of its blanks."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = {name: Typed(value) if isinstance(value, str) else value for name, value in values.items()}


def numbers(text: str, refused: type[Mistyped], largest: float) -> tuple[float, ...]:
    """Numbers separated by spaces or commas, none further from 0 than `largest`.

    `refused` is raised with the key "letters", "no_number" (NaN, ∞) or "huge", and with the word that is.
    """
    return tuple(_number(word, refused, largest) for word in apart(text.replace("−", "-")))


def _number(word: str, refused: type[Mistyped], largest: float) -> float:
    try:
        value = float(word) if word.isascii() and "_" not in word else None
    except ValueError:
        value = None
    problem = "letters" if value is None else "no_number" if not math.isfinite(value) else "huge"
    if value is None or not abs(value) <= largest:
        raise refused(problem, word=word[:20], largest=largest)
    return value


class NotNumbers(Mistyped):
    """Its key is the last part of that of a text in the chapter's words."""


def whole_numbers(text: str, low: int, high: int, most: int) -> tuple[int, ...]:
    """Numbers low…high separated by spaces or commas, at least one and at most `most`.

    NotNumbers with the key "empty", "letters" (blank: word), "range" (word) or "many" (count). Its blanks low, high and
    most say what is accepted.
    """
    limits = {"low": low, "high": high, "most": most}
    words = apart(text)
    if not words:
        raise NotNumbers("empty", **limits)
    for word in words:
        if not re.fullmatch(r"-?[0-9]{1,9}", word):
            raise NotNumbers("letters", word=word[:20], **limits)
        if not low <= int(word) <= high:
            raise NotNumbers("range", word=word, **limits)
    if len(words) > most:
        raise NotNumbers("many", count=len(words), **limits)
    return tuple(int(word) for word in words)
