"""Put a picture on a chapter's page: a board of matrices, curves, or a Plotly figure."""

from collections.abc import Sequence

import streamlit as st

from ui.figures.board import Cell, Operand, Panel, inside, nearest
from ui.figures.curves import Curves
from ui.figures.plot import Plot
from ui.matrix import Pointed, matrix
from ui.shell import Chapter
from ui.text import Words

CANVAS_WORDS = ("row", "column", "masked", "allowed", "hint", "given", "keys", "labels")


def board(
    chapter: Chapter,
    figure: str,
    panels: Sequence[Panel],
    *,
    cell: str = "cell",
    alt: str,
    vacant: str = "",
    given: bool = False,
    operands: Sequence[Operand] = (),
) -> Pointed:
    """Draw matrices as one board. The chosen cell is kept in the setting `cell`, and so in the link.

    `vacant` says what the empty cells are, where there are any. `given` is a board on which no cell is made of others.
    """
    shell = Words("shell", chapter.lang)
    words = {word: shell(f"matrix.{word}") for word in CANVAS_WORDS}
    if given:
        words["hint"] = shell("matrix.hint_given")
    kept = getattr(chapter.settings, cell)
    pointed = matrix(
        panels,
        key=f"{chapter.name}.{figure}",
        chosen=kept,
        alt=alt,
        words=words | ({"vacant": vacant} if vacant else {}),
        operands=operands,
    )
    if pointed.chosen or inside(panels, kept):  # a cell that has no place now may have one again later
        chapter.put(cell, pointed.chosen)
    elif kept and kept[0] in {panel.key for panel in panels}:
        st.caption(shell("matrix.gone", row=kept[1], column=kept[2]))
    return pointed


def keep_inside(chapter: Chapter, panels: Sequence[Panel], cell: str = "cell") -> Cell | None:
    """The chosen cell, at the edge of its matrix if that has shrunk, which a sentence says. None if its matrix is gone.

    To be called before the board is drawn, where a cell is to stay chosen whatever happens.
    """
    kept = getattr(chapter.settings, cell)
    moved = nearest(panels, kept)
    if moved and moved != kept:
        st.caption(Words("shell", chapter.lang)("matrix.moved", row=kept[1], column=kept[2]))
    chapter.put(cell, moved)
    return moved


def write_sums(chapter: Chapter, sums: str) -> None:
    """The arithmetic of the chosen cell, as HTML. Sums of "" are those of a cell that no others make, which is said."""
    if sums:
        st.html(sums)
    else:
        st.caption(Words("shell", chapter.lang)("matrix.given"))


def chart(chapter: Chapter, figure: str, picture: Plot | Curves, *, alt: str) -> None:
    """Draw curves, which stay in their place when their numbers change, or a Plotly figure, which is mounted anew."""
    key = f"{chapter.name}.{figure}"
    if isinstance(picture, Curves):
        st.echarts_chart(picture.option, height=picture.height, theme=None, key=key, alt=alt)
        return
    st.plotly_chart(picture.figure(), theme=None, config={"displayModeBar": False}, key=key, alt=alt)
