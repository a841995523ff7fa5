"""A figure in small: each matrix by the stops of its scale, each curve by its height, drawn without a word or a number.

Both are written with a character per cell, or per place along a curve, so that a file of them can be read by eye.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Literal

from ui.theme import SEQUENTIAL, css

STOPS = len(SEQUENTIAL["light"])  # of a scale
CLOSED, EMPTY = "x", "."  # of a cell: may not be attended to; holds no number
HEIGHTS = "0123456789abcdefghijklmnopqrstuvwxyz"  # of a curve, from the lowest to the highest
GAP = 1.0  # cells between two matrices
CURVE = 1.6  # times as wide as high: a picture of curves
STROKE = 0.7
TALLEST = 2.5  # times as tall as wide: a cell of a picture that would be too flat


@dataclass(frozen=True)
class Grid:
    """A matrix, `rows` of one character per cell: 0…8 for the stop of its scale, CLOSED, EMPTY. `line` is its row on
    the board."""

    scale: Literal["signed", "probability"]
    rows: Sequence[str]
    line: int = 0


@dataclass(frozen=True)
class Curve:
    """Its height at even places along the axis, a character of HEIGHTS each, or EMPTY; `meaning` names its colour."""

    meaning: str
    heights: str


def miniature(parts: Sequence[Grid | Curve], alt: str) -> str:
    """The SVG of a figure's matrices, side by side line by line, or of its curves, in one frame."""
    grids = [part for part in parts if isinstance(part, Grid)]
    curves = [part for part in parts if isinstance(part, Curve)]
    width, height, drawn = _grids(grids) if grids else _curves(curves)
    return (
        f'<svg class="miniature" role="img" aria-label="{escape(alt)}" viewBox="0 0 {width:g} {height:g}">{drawn}</svg>'
    )


def _grids(grids: Sequence[Grid]) -> tuple[float, float, str]:
    width = top = 0.0
    drawn = []
    for _, line in groupby(grids, key=lambda grid: grid.line):
        left, rows = 0.0, 0
        for grid in line:
            drawn.append(f'<g transform="translate({left:g} {top:g})">{_grid(grid)}</g>')
            left += len(grid.rows[0]) + GAP
            rows = max(rows, len(grid.rows))
        width, top = max(width, left - GAP), top + rows + GAP
    tall = min(TALLEST, max(1.0, width / (top - GAP) / CURVE))
    return width, tall * (top - GAP), f'<g transform="scale(1 {tall:.3g})">{"".join(drawn)}</g>'


def _grid(grid: Grid) -> str:
    """A path for each colour: equal neighbours of a row are one rectangle."""
    paths: dict[str, list[str]] = {}
    for row, cells in enumerate(grid.rows):
        col = 0
        for cell, same in groupby(cells):
            count = len(list(same))
            paths.setdefault(cell, []).append(f"M{col} {row}h{count}v1h-{count}z")
            col += count
    colors = {CLOSED: css("grid"), EMPTY: css("panel")}
    return "".join(
        f'<path fill="{colors.get(cell) or css(f"{grid.scale}-{cell}")}" d="{"".join(path)}"/>'
        for cell, path in paths.items()
    )


def _curves(curves: Sequence[Curve]) -> tuple[float, float, str]:
    width = max(len(curve.heights) for curve in curves) - 1
    height = width / CURVE
    top = len(HEIGHTS) - 1
    drawn = [f'<path fill="none" stroke="{css("grid")}" stroke-width="{STROKE / 2}" d="M0 0V{height:g}H{width}"/>']
    for curve in curves:
        points = " ".join(
            f"{x},{height * (1 - HEIGHTS.index(at) / top):.3g}" for x, at in enumerate(curve.heights) if at != EMPTY
        )
        drawn.append(f'<polyline fill="none" stroke="{css(curve.meaning)}" stroke-width="{STROKE}" points="{points}"/>')
    return width, height, "".join(drawn)
