"""Put a figure on a chapter's page: its picture, the chosen cell kept inside it, and its caption."""

from collections.abc import Callable, Sequence

import streamlit as st

from ui.canvas.matrix import LabelClick, Pointed, matrix
from ui.figures.board import Panel, inside, nearest
from ui.figures.curves import Curves
from ui.figures.figure import Board, Figure
from ui.frame.chapter import Chapter
from ui.showing.caption import caption
from ui.showing.enlarged import enlarge_button
from ui.text import Words

CANVAS_WORDS = ("row", "column", "masked", "allowed", "hint", "given", "keys", "labels")


OnLabel = Callable[[LabelClick], object]


def show(chapter: Chapter, figure: Figure, on_label: OnLabel | None = None) -> Pointed:
    """Draw a figure, in its corner the way to its large view; returns what the reader points at, which is nothing where
    there are no matrices. `on_label` is called with a label that is pressed."""
    pointed = Pointed(None, None)
    with st.container(key=f"figure-{chapter.name}-{figure.name}"):
        match figure.picture:
            case Board() as board:
                pointed = _board(chapter, figure, board, on_label)
            case Curves() as picture:
                _curves(chapter, figure.name, picture, str(figure.alt))
            case pictures:
                places = st.columns(3 if len(pictures) == 3 else 2)
                for at, (picture, alt) in enumerate(zip(pictures, figure.alt, strict=True)):
                    with places[at % len(places)]:
                        _curves(chapter, f"{figure.name}_{at}", picture, alt)
        enlarge_button(chapter, figure)
    close(chapter, figure)
    return pointed


def close(chapter: Chapter, figure: Figure) -> None:
    """The caption under a figure that is already drawn."""
    caption(
        chapter,
        figure.name,
        figure.origin,
        numbers=figure.data,
        columns=figure.columns,
        code=figure.code,
        snippet=figure.program,
    )


def _board(chapter: Chapter, figure: Figure, board: Board, on_label: OnLabel | None) -> Pointed:
    shell = Words("shell", chapter.lang)
    words = {word: shell(f"matrix.{word}") for word in CANVAS_WORDS}
    if not any(panel.made for panel in board.panels):
        words["hint"] = shell("matrix.hint_given")
    if board.vacant:
        words["vacant"] = board.vacant
    _keep_inside(chapter, board.panels, board.cell, shell)
    pointed = matrix(
        board.panels,
        key=f"{chapter.name}.{figure.name}",
        chosen=getattr(chapter.settings, board.cell),
        alt=str(figure.alt),
        words=words,
        operands=board.operands,
        quiet=board.quiet,
        on_label=on_label,
    )
    if pointed.chosen or inside(board.panels, getattr(chapter.settings, board.cell)):
        chapter.put(board.cell, pointed.chosen)  # a cell that has no place now may have one again later
    return pointed


def _keep_inside(chapter: Chapter, panels: Sequence[Panel], cell: str, shell: Words) -> None:
    """The chosen cell moves to the edge of its matrix if that has shrunk, which a sentence says."""
    kept = getattr(chapter.settings, cell)
    moved = nearest(panels, kept)
    if moved and moved != kept:
        st.caption(shell("matrix.moved", row=kept[1], column=kept[2]))
        chapter.put(cell, moved)


def _curves(chapter: Chapter, name: str, picture: Curves, alt: str) -> None:
    st.echarts_chart(
        picture.option, height=picture.height, theme=None, key=f"{chapter.name}.{name}", alt=alt, renderer="svg"
    )
