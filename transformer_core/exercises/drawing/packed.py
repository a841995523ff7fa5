"""A drawing as whole levels of its height, and as the short text that a link carries."""

from collections.abc import Sequence
from typing import Literal

FULL = 1000  # levels from the bottom of a sheet to its top; the bars of a row of attention share so many
MOST = 128  # points of a drawing
PLACES = 2  # letters of a level, to base 36
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

Reason = Literal["letters", "points", "sum"]


class NotADrawing(ValueError):
    """What is no drawing on this sheet; `found` and `wanted` are points, or what the bars sum to in levels."""

    def __init__(self, reason: Reason, found: int = 0, wanted: int = 0) -> None:
        super().__init__(f"no drawing: {reason}, {found} where {wanted} are wanted")
        self.reason = reason
        self.found = found
        self.wanted = wanted


def packed(levels: Sequence[int]) -> str:
    """Two letters for each level: `0rs` and the like."""
    return "".join(_DIGITS[level // 36] + _DIGITS[level % 36] for level in levels)


def unpacked(text: str, points: int, *, shared: bool = False) -> tuple[int, ...]:
    """The levels of `points` points; those of bars that are `shared` sum to FULL. NotADrawing for any other text."""
    if len(text) % PLACES or not set(text) <= set(_DIGITS):
        raise NotADrawing("letters")
    levels = tuple(int(text[at : at + PLACES], 36) for at in range(0, len(text), PLACES))
    return checked(levels, points, shared=shared)


def checked(levels: object, points: int, *, shared: bool = False) -> tuple[int, ...]:
    """The same levels, whoever says them. NotADrawing if they are none on a sheet of so many points."""
    if not isinstance(levels, list | tuple) or not all(type(one) is int and 0 <= one <= FULL for one in levels):
        raise NotADrawing("letters")
    if len(levels) != points or points > MOST:
        raise NotADrawing("points", len(levels), points)
    if shared and sum(levels) != FULL:
        raise NotADrawing("sum", sum(levels), FULL)
    return tuple(levels)


def even(points: int) -> tuple[int, ...]:
    """Bars that share FULL alike, as far as whole levels can: what a row begins with."""
    return tuple(FULL * (at + 1) // points - FULL * at // points for at in range(points))
