"""The weights of one head as lines between tokens."""

import numpy as np
import streamlit as st

from ui.canvas.lines import lines
from ui.figures import lines as drawing
from ui.figures import stages
from ui.figures.figure import Figure
from ui.figures.stages import Names
from ui.frame.chapter import Chapter, draw_again
from ui.showing import show


def weights_as_lines(chapter: Chapter, weights: np.ndarray, names: Names, figure: Figure) -> None:
    """Part of the board's fragment: the chosen cell's query and key are marked, and a click on a token changes them.

    The `figure` is the same weights as a matrix: its numbers stand below the lines, and it is what opens large.
    """
    say, stage = chapter.say, chapter.settings.stage
    query, key = stages.pair(chapter.settings.cell)
    chapter.heading("lines")
    svg = drawing.lines(
        weights,
        names.queries,
        names.keys,
        heads=(say("lines.queries"), say("lines.keys")),
        query=query,
        key=key,
        alt=str(figure.alt),
    )
    token = lines(svg, key="attention.lines")
    st.markdown(say("lines.text"))
    show.close(chapter, figure)
    if token and token.index < len(names.queries if token.side == "query" else names.keys):
        asked = (token.index, key or 0) if token.side == "query" else (query or 0, token.index)
        before = chapter.settings.cell
        chapter.put("cell", stages.arrive(("weights", *asked), stage))
        if chapter.settings.cell != before:
            draw_again()
