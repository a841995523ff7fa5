"""Matrices as a picture for a notebook: one self-contained piece of HTML with SVG inside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple
from unicodedata import east_asian_width

import numpy as np

HUE = "#767abf"  # seen on white as on black; a weight of 0 is the page itself
MASKED = "#85868a"
SIDE, GAP = 22, 3  # of a cell; between matrix and labels
FONT = 12
LETTER = 7  # width of one at that size; a Chinese one has two
LONGEST = 14  # letters of a label
SHADES = 5  # steps of the scale in the key
MOST = 40_000  # cells in one picture


class HeatmapMatrix(NamedTuple):
    """Numbers 0…1, and which of them are blocked by a mask: both (rows, columns)."""

    values: np.ndarray
    blocked: np.ndarray


@dataclass(frozen=True, repr=False)
class Heatmap:
    """Matrices with the same labels of rows and columns, one picture for each under its name."""

    title: str
    matrices: Mapping[str, HeatmapMatrix]
    rows: Sequence[str]
    columns: Sequence[str]

    def __post_init__(self) -> None:
        cells = len(self.matrices) * len(self.rows) * len(self.columns)
        if cells > MOST:
            raise ValueError(f"{cells} cells are too many for one picture: choose one head, or shorter sequences")

    def __repr__(self) -> str:
        return f"Heatmap({self.title}: {', '.join(self.matrices)})"

    def _repr_html_(self) -> str:
        """Titles show each cell's numbers under the pointer; text has the colour of the page's."""
        pictures = "".join(
            f'<figure style="display:inline-block;margin:0 12px 12px 0"><figcaption>{escape(name)}</figcaption>'
            f"{self._svg(name, matrix)}</figure>"
            for name, matrix in self.matrices.items()
        )
        key = "".join(
            f'<span style="display:inline-block;width:1em;height:.8em;background:{HUE};opacity:{step / SHADES}"></span>'
            for step in range(SHADES + 1)
        )
        scale = f'<span style="white-space:nowrap">0 <span style="outline:1px solid {HUE}">{key}</span> 1</span>'
        head = f"<code>{escape(self.title)}</code> · a row per query, a column per key · {scale}"
        return f'<div><div style="margin-bottom:8px">{head}</div>{pictures}</div>'

    def _svg(self, name: str, matrix: HeatmapMatrix) -> str:
        left, top = (2 * GAP + LETTER * max(map(_letters, labels), default=0) for labels in (self.rows, self.columns))
        width, height = SIDE * len(self.columns), SIDE * len(self.rows)
        middle = SIDE / 2 + FONT / 3
        rows = "".join(
            f'<text x="-{GAP}" y="{SIDE * at + middle:g}" text-anchor="end">{_label(label)}</text>'
            for at, label in enumerate(self.rows)
        )
        columns = "".join(
            f'<text transform="translate({SIDE * at + middle:g} -{GAP}) rotate(-90)">{_label(label)}</text>'
            for at, label in enumerate(self.columns)
        )
        cells = "".join(self._cell(row, column, value) for (row, column), value in np.ndenumerate(matrix.values))
        hatch = "".join(f"M{SIDE * x} {SIDE * y + SIDE}l{SIDE}-{SIDE}" for y, x in np.argwhere(matrix.blocked))
        return (
            f'<svg role="img" aria-label="{escape(f"{self.title}, {name}")}" font-family="sans-serif"'
            f' font-size="{FONT}" fill="currentColor" width="{left + width + GAP}" height="{top + height + GAP}"'
            f' viewBox="{-left} {-top} {left + width + GAP} {top + height + GAP}">{rows}{columns}'
            f'<path d="{hatch}" stroke="{MASKED}"/><g fill="{HUE}">{cells}</g>'
            f'<rect width="{width}" height="{height}" fill="none" stroke="{HUE}"/></svg>'
        )

    def _cell(self, row: int, column: int, value: float) -> str:
        title = f"{self.rows[row]} → {self.columns[column]}: {value:.3g}"
        place = f'x="{SIDE * column}" y="{SIDE * row}" width="{SIDE}" height="{SIDE}"'
        return f'<rect {place} fill-opacity="{value:.3f}"><title>{escape(title)}</title></rect>'


def _label(label: str) -> str:
    """Shortened, for the picture; the whole one stands in the titles."""
    return escape(label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…")


def _letters(label: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in label[:LONGEST])
