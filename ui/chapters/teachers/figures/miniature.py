"""A figure in small: each matrix by the stops of its scale, each curve by its height, drawn without a word or a number.

Both are written with a character per cell, or per place along a curve, so that a file of them can be read by eye.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from ui.figures.markup import Markup, element, joined
from ui.theme import SEQUENTIAL, css

STOPS = len(SEQUENTIAL["light"])  # of a scale
CLOSED, EMPTY = "x", "."  # of a cell: may not be attended to; holds no number
HEIGHTS = "0123456789abcdefghijklmnopqrstuvwxyz"  # of a curve, from the lowest to the highest
GAP = 1.0  # cells between two matrices
CURVE = 1.6  # times as wide as high: a picture of curves
STROKE = 0.7
TALLEST = 2.5  # times as tall as wide: a cell of a picture that would be too flat


@dataclass(frozen=True)
class MiniatureGrid:
    """A matrix, `rows` of one character per cell: 0…8 for the stop of its scale, CLOSED, EMPTY. `line` is its row on
    the board."""

    scale: Literal["signed", "probability"]
    rows: Sequence[str]
    line: int = 0


@dataclass(frozen=True)
class MiniatureCurve:
    """Its height at even places along the axis, a character of HEIGHTS each, or EMPTY; `meaning` names its colour."""

    meaning: str
    heights: str


def miniature(parts: Sequence[MiniatureGrid | MiniatureCurve], alt: str) -> Markup:
    """The SVG of a figure's matrices, side by side line by line, or of its curves, in one frame."""
    grids = [part for part in parts if isinstance(part, MiniatureGrid)]
    curves = [part for part in parts if isinstance(part, MiniatureCurve)]
    width, height, drawn = _grids(grids) if grids else _curves(curves)
    return element("svg", drawn, class_="miniature", role="img", aria_label=alt, viewBox=f"0 0 {width:g} {height:g}")


def _grids(grids: Sequence[MiniatureGrid]) -> tuple[float, float, Markup]:
    width = top = 0.0
    drawn = []
    for _, line in groupby(grids, key=lambda grid: grid.line):
        left, rows = 0.0, 0
        for grid in line:
            drawn.append(element("g", _grid(grid), transform=f"translate({left:g} {top:g})"))
            left += len(grid.rows[0]) + GAP
            rows = max(rows, len(grid.rows))
        width, top = max(width, left - GAP), top + rows + GAP
    tall = min(TALLEST, max(1.0, width / (top - GAP) / CURVE))
    return width, tall * (top - GAP), element("g", *drawn, transform=f"scale(1 {tall:.3g})")


def _grid(grid: MiniatureGrid) -> Markup:
    """A path for each colour: equal neighbours of a row are one rectangle."""
    paths: dict[str, list[str]] = {}
    for row, cells in enumerate(grid.rows):
        col = 0
        for cell, same in groupby(cells):
            count = len(list(same))
            paths.setdefault(cell, []).append(f"M{col} {row}h{count}v1h-{count}z")
            col += count
    colors = {CLOSED: css("grid"), EMPTY: css("panel")}
    return joined(
        element("path", fill=colors.get(cell) or css(f"{grid.scale}-{cell}"), d="".join(path))
        for cell, path in paths.items()
    )


def _curves(curves: Sequence[MiniatureCurve]) -> tuple[float, float, Markup]:
    width = max(len(curve.heights) for curve in curves) - 1
    height = width / CURVE
    top = len(HEIGHTS) - 1
    drawn = [element("path", fill="none", stroke=css("grid"), stroke_width=STROKE / 2, d=f"M0 0V{height:g}H{width}")]
    for curve in curves:
        points = " ".join(
            f"{x},{height * (1 - HEIGHTS.index(at) / top):.3g}" for x, at in enumerate(curve.heights) if at != EMPTY
        )
        ink = css(curve.meaning)
        drawn.append(element("polyline", fill="none", stroke=ink, stroke_width=STROKE, points=points))
    return width, height, joined(drawn)
