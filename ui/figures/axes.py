"""The axes of curves: what a page says of each, where it ends and which numbers stand along it."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ui.figures.number import alike

MOST = 6  # steps from the first number to the last
LETTERS = 36  # for which there is room along a narrow x, spaces among them
FEW = 12  # steps of one that all get a number


class XAxis(NamedTuple):
    """The shared x of some lines. A logarithmic one has a tick at each power of two, on a long axis of four. With
    `stops` x counts along these names; with `bins` it has the middles of a histogram's bins."""

    title: str = ""
    log: bool = False
    stops: Sequence[str] = ()
    bins: bool = False


class YAxis(NamedTuple):
    """The heights of some lines. `range` fixes the ends, so that a change stays visible; without it they are round
    numbers around all that is drawn."""

    title: str = ""
    log: bool = False
    range: tuple[float, float] | None = None


class Ticks(NamedTuple):
    """The ends of an axis, and the numbers on it."""

    low: float
    high: float
    at: list[float]

    def widest(self) -> int:
        """Letters of the longest."""
        return max(map(len, alike(self.at)), default=0)


def along(low: float, high: float, *, log: bool = False, counts: bool = False) -> Ticks:
    """An x from low to high: round numbers, each of a few where it counts things, powers of two where it is
    logarithmic, or of four, eight… where those have no room; two of them at least, where there can be."""
    if log:
        first, last = math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9)
        ways = [[2.0**power for power in range(first, last + 1, every)] for every in range(1, last - first + 2)]
    else:
        steps = [1.0] * (counts and high - low <= FEW) + [_step(low, high, most) for most in range(MOST, 0, -1)]
        ways = [_multiples(step, math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)) for step in steps]
    room = [at for at in ways if sum(len(text) + 1.5 for text in alike(at)) <= LETTERS]
    return Ticks(low, high, next((at for at in room if len(at) > 1), room[0] if room else []))


def upright(values: np.ndarray, ends: tuple[float, float] | None, *, log: bool = False) -> Ticks:
    """A y with these ends, or from round number to round number around the values; a logarithmic one has powers of
    ten."""
    there = values[np.isfinite(values) & ((values > 0) | (not log))]
    low, high = ends or ((float(there.min()), float(there.max())) if there.size else (1.0, 1.0))
    if ends is None and low == high:
        low, high = (low / 2, low * 2) if log else (low - (abs(low) or 1), low + (abs(low) or 1))
    down, up = (math.ceil, math.floor) if ends else (math.floor, math.ceil)
    step = 1.0 if log else _step(low, high)
    first, last = (math.log10(low), math.log10(high)) if log else (low / step, high / step)
    nudge = 1e-9 if ends else -1e-9  # what is a round number but for rounding is one
    steps = down(first - nudge), up(last + nudge)
    at = [10.0**power for power in range(steps[0], steps[1] + 1)] if log else _multiples(step, *steps)
    return Ticks(*(ends or (at[0], at[-1])), at)


def _step(low: float, high: float, most: int = MOST) -> float:
    """The smallest of 1, 2 and 5 times a power of ten with which there are at most so many from low to high."""
    size = 10.0 ** math.floor(math.log10((high - low) / most)) if high > low else 1.0
    return next(size * by for by in (1, 2, 5, 10) if (high - low) / (size * by) <= most + 1e-9)


def _multiples(step: float, first: int, last: int) -> list[float]:
    return [float(f"{step * times:.12g}") for times in range(first, last + 1)]


def marked(axis: str, ticks: Ticks, words: dict[str, Any]) -> list[dict[str, Any]]:
    """The numbers of an axis of ECharts as rules over its grid, each with what is written at its start."""
    return [
        {axis: value, "label": words | {"formatter": text, "position": "start"}}
        for value, text in zip(ticks.at, alike(ticks.at))
    ]
