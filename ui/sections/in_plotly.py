"""A figure in its place on the page, drawn by Plotly with its zoom, hover and camera, where the reader wishes that."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import streamlit as st

from ui.figures.board import Cell, Panel
from ui.figures.curves import Curves
from ui.figures.figure import Board
from ui.figures.large import in_place, large_curves
from ui.figures.plot import Plot
from ui.frame.chapter import Chapter

FEWEST = 8  # columns that a matrix has room for, however narrow it is


def board_in_plotly(chapter: Chapter[Any], name: str, board: Board, chosen: Cell | None, alt: str) -> Cell | None:
    """Its matrices line by line, as wide as they have columns; returns the chosen cell."""
    for line in _lines(board.panels):
        widths = [max(FEWEST, panel.shape[1]) for panel in line]
        for place, panel in zip(st.columns(widths), line):
            cell = chosen[1:] if chosen and chosen[0] == panel.key else None
            with place:
                _plot(chapter, f"{name}.{panel.key}", in_place(panel, chapter.mode, cell), alt)
    return chosen


def curves_in_plotly(chapter: Chapter[Any], name: str, picture: Curves, alt: str) -> None:
    for at, plot in enumerate(large_curves(picture, chapter.mode)):
        _plot(chapter, f"{name}.{at}", plot._replace(layout=plot.layout | {"height": int(picture.height)}), alt)


def _lines(panels: Sequence[Panel]) -> list[list[Panel]]:
    wall = panels[0].wall
    if wall:
        return [list(panels[at : at + wall]) for at in range(0, len(panels), wall)]
    placed = [(panel.place or (0, at), panel) for at, panel in enumerate(panels)]
    ordered = sorted(placed, key=lambda one: one[0])
    return [[panel for _, panel in line] for _, line in groupby(ordered, key=lambda one: one[0][0])]


def _plot(chapter: Chapter[Any], name: str, plot: Plot, alt: str) -> None:
    config = {"displaylogo": False, "toImageButtonOptions": {"filename": f"{chapter.name}-{name}", "scale": 2}}
    st.plotly_chart(plot.figure(), theme=None, config=config, key=f"{chapter.name}.{name}.plotly", alt=alt or None)
