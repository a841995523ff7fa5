"""Numbers that a reader types in a row: text -> floats, or what is wrong with one of them."""

import math

from ui.inputs.mistyped import Mistyped, apart


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
