"""A table of numbers as curves: its first column lies along the axis, each other one is a line."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ui.figures.curves import curves
from ui.figures.figure import Figure


def plotted(
    name: str,
    table: np.ndarray,
    columns: Sequence[str],
    origin: str,
    *,
    code: Sequence[Callable[..., Any]],
    program: str,
    alt: str = "",
    **drawn: Any,
) -> Figure:
    """The figure of a `table` (n, 1 + lines) with a title for each of its columns; `drawn` is how `curves` draws it."""
    x, *lines = np.asarray(table).T
    picture = curves(x, dict(zip(columns[1:], lines, strict=True)), x_title=columns[0], **drawn)
    return Figure(name, picture, origin, table, columns, code=code, program=program, alt=alt)
