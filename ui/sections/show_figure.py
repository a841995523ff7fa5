"""Put a figure on a chapter's page: its picture, the chosen cell kept inside it, and its caption."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from ui.components.drawings import figure_one_map, lines, sheet, tree
from ui.components.matrix import LabelClick, matrix
from ui.figures.board import Cell, Panel, inside, nearest
from ui.figures.curves import Curves
from ui.figures.evaluated import errors
from ui.figures.figure import Board, Drawing, Figure
from ui.frame.chapter import Chapter
from ui.frame.labsheet_entries import take_figure
from ui.sections.caption import caption
from ui.sections.in_plotly import board_in_plotly, curves_in_plotly
from ui.sections.large_view import enlarge_button
from ui.text import Words

CANVAS_WORDS = ("row", "column", "masked", "allowed", "hint", "tap", "given", "keys", "labels", "tap_labels")
PLAYER_WORDS = ("play", "pause", "speed", "progress", "whole", "play_keys")

ROUNDING = 1e-4  # what float32 leaves between a formula and a number, beside the largest one
MOST_NAMED = 4  # panels in a sentence

OnCell = Callable[[Cell | None], object]
OnLabel = Callable[[LabelClick], object]
OnPick = Callable[..., object]


def show(
    chapter: Chapter[Any],
    figure: Figure,
    on_cell: OnCell | None = None,
    on_label: OnLabel | None = None,
    on_pick: OnPick | None = None,
    beside: Sequence[Callable[[], object]] = (),
) -> Cell | None:
    """Draw a figure, in its corner the way to its large view; returns the chosen cell of its matrices. `on_cell` is
    called with a cell that is chosen, `on_label` with a label that is pressed, `on_pick` with the token, node or block
    of a drawing that is chosen, or with what is drawn on a sheet, and before it, of several drawings, which of them.
    What stands `beside` a drawing, or below each of several, is drawn with it. It stands in the chapter's `place`, if
    there is one."""
    with chapter.there:
        return _shown(chapter, _described(chapter, figure), on_cell, on_label, on_pick, beside)


def _shown(
    chapter: Chapter[Any],
    figure: Figure,
    on_cell: OnCell | None,
    on_label: OnLabel | None,
    on_pick: OnPick | None,
    beside: Sequence[Callable[[], object]],
) -> Cell | None:
    chosen = None
    apart = beside if isinstance(figure.picture, Drawing) else ()
    left, right = st.columns([3, 2], gap="medium") if apart else (nullcontext(), nullcontext())
    with left, st.container(key=f"figure-{chapter.name}-{figure.name}"):
        match figure.picture:
            case Board() as board:
                chosen = _board(chapter, figure, board, on_cell, on_label)
            case Curves() as picture:
                _curves(chapter, figure.name, picture, str(figure.alt))
            case Drawing() as drawing:
                _drawing(f"{chapter.name}.{figure.name}", drawing, on_pick)
            case several:
                pictures: list[Curves | Drawing] = [*several]
                places = st.columns(3 if len(pictures) == 3 else 2)
                for at, one in enumerate(pictures):
                    name = f"{figure.name}_{at}"
                    with places[at % len(places)]:
                        if isinstance(one, Curves):
                            _curves(chapter, name, one, figure.alt[at])
                        else:
                            _drawing(f"{chapter.name}.{name}", one, on_pick and partial(on_pick, at))
                            if beside:
                                beside[at]()
        if figure.board or any(isinstance(picture, Curves) for picture in figure.pictures):
            enlarge_button(chapter, figure)
    with right:
        for draw in apart:
            draw()
    if chapter.at_hand.fault and figure.board:
        _misfits(chapter, figure.board)
    caption(chapter, figure)
    take_figure(chapter, figure)
    return chosen


def _described(chapter: Chapter[Any], figure: Figure) -> Figure:
    """With the text that describes it, unless it has one or is a drawing."""
    if figure.alt or any(isinstance(picture, Drawing) for picture in figure.pictures):
        return figure
    return replace(figure, alt=chapter.say(f"{figure.name}.alt"))


def _misfits(chapter: Chapter[Any], board: Board) -> None:
    """The formulas are those of a healthy model: where they do not give what this one has computed, a sentence says
    so."""
    found = errors(board)
    titles = [panel.title or panel.key for panel in board.panels if found.get(panel.key, 0.0) > ROUNDING]
    if titles:
        shell = chapter.shell
        named = [*titles[:MOST_NAMED], *["…"] * (len(titles) > MOST_NAMED)]
        st.warning(shell("fault.formula", panels=shell("comma").join(named)), icon=":material/function:")


def _board(
    chapter: Chapter[Any], figure: Figure, board: Board, on_cell: OnCell | None, on_label: OnLabel | None
) -> Cell | None:
    shell = chapter.shell
    words = {word: shell(f"matrix.{word}") for word in (*CANVAS_WORDS, *PLAYER_WORDS)}
    if not any(panel.made for panel in board.panels):
        words["hint"] = shell("matrix.hint_given")
    if board.vacant:
        words["vacant"] = board.vacant
    cell = board.cell or chapter.own.chosen_cell()
    _keep_inside(chapter, board.panels, cell, shell)
    if chapter.frame.draw == "plotly":
        return board_in_plotly(
            chapter, figure.name, board, inside(board.panels, getattr(chapter.settings, cell)), str(figure.alt)
        )
    chosen = matrix(
        board,
        key=f"{chapter.name}.{figure.name}",
        chosen=getattr(chapter.settings, cell),
        alt=str(figure.alt),
        words=words,
        glosses=chapter.glosses,
        on_chosen=chapter.then(partial(_choose, chapter, cell, on_cell)),
        on_label=on_label,
    )
    if chosen or inside(board.panels, getattr(chapter.settings, cell)):
        chapter.put(cell, chosen)  # a cell that has no place now may have one again later
    return chosen


def _choose(chapter: Chapter[Any], name: str, on_cell: OnCell | None, cell: Cell | None) -> None:
    chapter.put(name, cell)
    if on_cell:
        on_cell(cell)


def _drawing(key: str, drawing: Drawing, on_pick: OnPick | None) -> None:
    match drawing.script:
        case "still":
            st.html(drawing.markup)
        case "lines":
            lines(drawing.markup, key=key, on_token=on_pick)
        case "tree":
            tree(drawing.markup, key=key, hint=str(drawing.told), on_node=on_pick)
        case "map":
            figure_one_map(drawing.markup, drawing.told, on_block=on_pick)
        case "sheet":
            sheet(drawing.told, key=key, on_drawn=on_pick)


def _keep_inside(chapter: Chapter[Any], panels: Sequence[Panel], cell: str, shell: Words) -> None:
    """The chosen cell moves to the edge of its matrix if that has shrunk, which a sentence says."""
    kept = getattr(chapter.settings, cell)
    moved = nearest(panels, kept)
    if moved and moved != kept:
        st.caption(shell("matrix.moved", row=kept[1], column=kept[2]))
        chapter.put(cell, moved)


def _curves(chapter: Chapter[Any], name: str, picture: Curves, alt: str) -> None:
    if chapter.frame.draw == "plotly" or not picture.option:
        curves_in_plotly(chapter, name, picture, alt)
    else:
        st.echarts_chart(
            picture.option, height=picture.height, theme=None, key=f"{chapter.name}.{name}", alt=alt, renderer="svg"
        )
