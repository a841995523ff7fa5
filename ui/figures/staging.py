"""Where actors stand: places in a row, letters that fit them, bars on a line."""

from collections.abc import Sequence

from ui.figures.actors import Box

_WIDE = 0x2E80  # from here on a letter is as wide as it is high
_NARROW = 0.56  # the width of other letters, to their height


def centres(count: int, left: float, right: float) -> list[float]:
    """The middles of so many equal places side by side."""
    step = (right - left) / max(1, count)
    return [left + (at + 0.5) * step for at in range(count)]


def breadth(text: str) -> float:
    """About how wide a text is, to the height of its letters."""
    return sum(1.0 if ord(letter) >= _WIDE else _NARROW for letter in text)


def fitting(texts: Sequence[str], room: float, most: float = 18, least: float = 7) -> float:
    """The size of letters at which each text has room, at most `most`."""
    widest = max(map(breadth, texts), default=1.0)
    return max(least, min(most, room / max(widest, 1e-6)))


def bar(name: str, x: float, base: float, height: float, width: float, color: str, opacity: float = 1.0) -> Box:
    """A bar on a line, around x: up where its height is positive, down where it is negative."""
    top = base - max(height, 0.0)
    return Box(
        name=name,
        x=x - width / 2,
        y=top,
        width=width,
        height=max(abs(height), 1.0),
        color=color,
        opacity=opacity,
    )


def pace(count: int, seconds: float) -> tuple[float, float]:
    """The glide and the rest of each of so many beats that together take about `seconds`, none longer than 0.4."""
    each = min(0.4, seconds / max(1, count))
    return 0.75 * each, 0.25 * each


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
