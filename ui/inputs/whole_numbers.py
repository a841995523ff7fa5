"""A short list of whole numbers typed by the reader: text -> numbers, or a sentence about what is wrong."""

import re

from ui.inputs.mistyped import Mistyped, apart


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
