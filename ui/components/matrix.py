"""The matrix on the page: mounts the board, and says which cell the reader has chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, Literal, cast

import streamlit as st

from ui.components.component import component, hearing
from ui.figures import Board
from ui.figures.board import NO_GLOSSES, Cell, inside
from ui.figures.payload import Axis, BoardMessage

_mount = component("matrix")


@dataclass(frozen=True)
class LabelClick:
    panel: str
    axis: Axis
    index: int


@dataclass
class _Choice:
    """The chosen cell of one board in one session, and the number of the last click that was heard."""

    cell: Cell | None = None
    heard: int = 0

    def hear(self, click: object) -> None:
        if not isinstance(click, Mapping) or click.get("number") == self.heard:
            return
        cell, number = click.get("cell"), click.get("number")
        if isinstance(number, int):
            self.heard = number
            self.cell = cast(Cell, tuple(cell)) if isinstance(cell, list) else None


@st.cache_resource(scope="session", show_spinner=False)
def _choices() -> dict[str, _Choice]:
    return {}


def matrix(
    board: Board,
    *,
    key: str,
    chosen: Cell | EllipsisType | None = ...,
    alt: str = "",
    words: Mapping[str, str] | None = None,
    glosses: Mapping[str, str] = NO_GLOSSES,
    on_chosen: Callable[[Cell | None], object] | None = None,
    on_label: Callable[[LabelClick], object] | None = None,
) -> Cell | None:
    """Draw a board and return the chosen cell.

    `chosen` is the cell that the page keeps (in its link): it is what stands, unless the reader has clicked since, and
    the page must keep the returned one at once. Left out, the board remembers by itself. A cell outside the matrices
    counts as none. `key` is unique in the whole app ("attention.stages"). `alt` describes the figure. `words` are the
    few words on the canvas: "row", "column", "masked", "allowed", "hint" (shown while nothing is pointed at),
    "tap" (instead of it where there is no mouse), "given" (of a cell without a formula), "keys"
    (how to move by keyboard, read to screen readers), "labels" and "tap_labels" (how to press labels, where
    a panel hears them); and where a panel has a formula "play", "pause", "speed", "progress", "whole" and
    "play_keys", of the player. `glosses` are what words of the labels mean. `on_chosen` is called with a cell once
    it is chosen, `on_label` with a label once it is pressed.
    """
    choice = _choices().setdefault(key, _Choice())
    if not isinstance(chosen, EllipsisType):
        choice.cell = chosen
    told: BoardMessage = {
        "chosen": inside(board.panels, choice.cell),
        "words": dict(words or {}),
        "alt": alt,
        "heard": choice.heard,
        "quiet": board.quiet,
    }

    def clicked(event: object) -> None:
        if on_chosen:
            choice.hear(event)
            on_chosen(inside(board.panels, choice.cell))

    def pressed(event: object) -> None:
        label = _label(board, event)
        if label and on_label:
            on_label(label)

    # In a list: through a dict Streamlit goes in search of data frames, which takes longer than all else here. The
    # matrices are a text, for Streamlit writes all that it is given as JSON twice.
    heard = {"on_chosen_change": hearing(key, "chosen", clicked), "on_label_change": hearing(key, "label", pressed)}
    choice.hear(_mount(key=key, data=[board.text(glosses), told], **heard).get("chosen"))
    return inside(board.panels, choice.cell)


def _label(board: Board, event: Any) -> LabelClick | None:
    if not isinstance(event, Mapping) or event.get("axis") not in ("row", "column"):
        return None
    axis = cast(Literal["row", "column"], event["axis"])
    index = event.get("index")
    at = (event.get("panel"), index, 0) if axis == "row" else (event.get("panel"), 0, index)
    cell = inside(board.panels, at)
    return cell and LabelClick(cell[0], axis, max(cell[1:]))
