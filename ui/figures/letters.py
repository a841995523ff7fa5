"""How wide a text is, the size at which it has room, and where texts stand that fill lines."""

from collections.abc import Sequence
from functools import lru_cache

_WIDE = 0x2E80  # from here on a letter is as wide as it is high
_NARROW = 0.56  # the width of other letters, to their height


@lru_cache(maxsize=4096)  # a story asks again at each of its beats
def breadth(text: str) -> float:
    """About how wide a text is, to the height of its letters."""
    return sum(1.0 if ord(letter) >= _WIDE else _NARROW for letter in text)


def fitting(texts: Sequence[str], room: float, most: float = 18, least: float = 7) -> float:
    """The size of letters at which each text has room, at most `most`."""
    widest = max(map(breadth, texts), default=1.0)
    return max(least, min(most, room / max(widest, 1e-6)))


def flowing(texts: Sequence[str], left: float, right: float, size: float, apart: float) -> list[tuple[float, int]]:
    """Where the middle of each text stands, and in which line from 0 on: in their order, `apart` from each other,
    a new line where there is no room left."""
    places: list[tuple[float, int]] = []
    x, line = left, 0
    for text in texts:
        wide = size * breadth(text)
        if x + wide > right and x > left:
            x, line = left, line + 1
        places.append((x + wide / 2, line))
        x += wide + apart
    return places
