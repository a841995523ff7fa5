"""What a reader writes in answer to a question: as a number, and judged."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

Reason = Literal["no_number", "too_large", "by_zero"]

LONGEST = 20  # letters of a reply
APART = "~"  # stands between two replies in a link

_DECIMAL = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBER = re.compile(rf"({_DECIMAL})(?:\s*/\s*({_DECIMAL}))?\s*(%?)", re.ASCII)
_SIGNS = str.maketrans({"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{FRACTION SLASH}": "/", ",": "."})


class Unread(ValueError):
    """A reply that says no number; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def read(text: str) -> float:
    """The number that a reply says: `0.25`, `.25`, `0,25`, `1/4`, `25%`, `−3`, `2.5e-1`, in any width of letters.

    Unread for what is none: "no_number", "too_large" for a computer's numbers, or "by_zero", a fraction of nothing.
    """
    said = _NUMBER.fullmatch(unicodedata.normalize("NFKC", text).translate(_SIGNS).strip())
    if said is None:
        raise Unread("no_number")
    above, below = float(said[1]), float(said[2] or 1)
    if below == 0:
        raise Unread("by_zero")
    value = above / below / (100 if said[3] else 1)
    if not (math.isfinite(value) and math.isfinite(below)):
        raise Unread("too_large")
    return value


class ReplyVerdict(NamedTuple):
    """What a reply is worth. `cause` is the name of the slip, or why the reply is not read."""

    kind: Literal["empty", "unread", "right", "slip", "wrong"]
    cause: str = ""


def judged(reply: str, right: float, slips: Mapping[str, float], tolerance: float) -> ReplyVerdict:
    """A reply held to the right number and to those that mistakes lead to; it may differ from either by `tolerance`."""
    if not reply.strip():
        return ReplyVerdict("empty")
    try:
        value = read(reply)
    except Unread as unread:
        return ReplyVerdict("unread", unread.reason)
    if abs(value - right) <= tolerance:
        return ReplyVerdict("right")
    near = (slip for slip, number in slips.items() if abs(value - number) <= tolerance)
    return next((ReplyVerdict("slip", slip) for slip in near), ReplyVerdict("wrong"))


def packed(given: Iterable[str]) -> str:
    """Replies as one text, in which a link has them."""
    return APART.join(one.replace(APART, "∼")[:LONGEST] for one in given).rstrip(APART)


def unpacked(text: str, count: int) -> list[str]:
    """So many replies; those that the text does not have are empty."""
    given = [one[:LONGEST] for one in text.split(APART)]
    return [*given, *[""] * count][:count]
