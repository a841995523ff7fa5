"""One number on a dial: where its needle stands, where it began, and how far the scale reaches."""

import math
from collections.abc import Sequence

import numpy as np

from ui.figures.markup import Markup, element, style

STEPS = (1.0, 2.0, 5.0)  # and their tenths, hundredths, …: where a scale may end


def reach(values: Sequence[float] | np.ndarray) -> float:
    """Where the scale ends on either side: a round number, so that it changes seldom, with room for all values."""
    largest = 1.5 * float(np.abs(np.asarray(values, dtype=float)).max()) or 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next(step * power for step in (*STEPS, 10.0) if step * power >= largest)


def tip(value: float, end: float, radius: float) -> tuple[float, float]:
    """Where the needle ends, from its centre: −end is on the left, 0 on top, end on the right."""
    angle = math.pi / 2 * (1 - max(-1.0, min(1.0, value / end)))
    return radius * math.cos(angle), -radius * math.sin(angle)


def dial(value: float, began: float, end: float) -> Markup:
    """A half circle with the needle of `value`, and a faint one where it began: each turned by its angle."""
    needles = [
        element("i", class_=which, style=style(transform=f"rotate({90 * max(-1.0, min(1.0, one / end)):.1f}deg)"))
        for which, one in (("zero", 0.0), ("began", began), ("now", value))
    ]
    return element("span", *needles, class_="dial", aria_hidden="true")
