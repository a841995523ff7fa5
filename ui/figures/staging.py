"""Where actors stand: places in a row, bars on a line, and the scales that they share."""

import numpy as np

from ui.figures.actors import Box


def centres(count: int, left: float, right: float) -> list[float]:
    """The middles of so many equal places side by side."""
    step = (right - left) / max(1, count)
    return [left + (at + 0.5) * step for at in range(count)]


def bar(name: str, x: float, base: float, height: float, width: float, color: str, opacity: float = 1.0) -> Box:
    """A bar on a line, around x: up where its height is positive, down where it is negative."""
    top = base - max(height, 0.0)
    return Box(name, x - width / 2, top, width, max(abs(height), 1.0), color=color, opacity=opacity)


def pace(count: int, seconds: float) -> tuple[float, float]:
    """The glide and the rest of each of so many beats that together take about `seconds`, none longer than 0.4."""
    each = min(0.4, seconds / max(1, count))
    return 0.75 * each, 0.25 * each


def end_of(*tables: np.ndarray) -> float:
    """The end of a scale that matrices share which are compared."""
    return max((float(np.abs(table).max()) for table in tables), default=1.0) or 1.0
