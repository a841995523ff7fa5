"""A figure in a dialog: large, to zoom into and to save as a picture or a table."""

from typing import Any

import streamlit as st

from ui.figures.curves import Curves
from ui.figures.figure import Board, Figure
from ui.figures.large import columns_table, heatmap, large_curves, table
from ui.figures.plot import Plot
from ui.frame.chapter import Chapter
from ui.text import Words

FORMATS = ("png", "svg")


def enlarge_button(chapter: Chapter[Any], figure: Figure) -> None:
    shell = chapter.shell
    name = shell("large_view")
    if st.button(name, key=f"{chapter.name}.{figure.name}.enlarge", icon=":material/open_in_full:"):
        st.dialog(name, width="large")(_inside)(chapter, figure, shell)


def _inside(chapter: Chapter[Any], figure: Figure, shell: Words) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        drawn, text = _board(figure, figure.board, chapter, shell) if figure.board else (
            [(plot, alt) for one, alt in _all(figure) for plot in large_curves(one, chapter.mode)],
            columns_table(figure.data, figure.columns),
        )  # fmt: skip
        kind = st.segmented_control(
            shell("picture_format"), FORMATS, default="png", format_func=str.upper, required=True
        )
        st.download_button(
            shell("save_table"), text, f"{chapter.name}-{figure.name}.csv", "text/csv", icon=":material/download:",
            on_click="ignore",
        )  # fmt: skip
    saved = {"format": kind, "filename": f"{chapter.name}-{figure.name}", "scale": 2}
    config = {"displaylogo": False, "displayModeBar": True, "toImageButtonOptions": saved}
    for at, (plot, alt) in enumerate(drawn):
        key = f"{chapter.name}.{figure.name}.large.{at}"
        st.plotly_chart(plot.figure(), theme=None, config=config, key=key, alt=alt or None)
    st.caption(shell("picture_hint"))


def _all(figure: Figure) -> list[tuple[Curves, str]]:
    alts = [figure.alt] if isinstance(figure.alt, str) else figure.alt
    return [(picture, alt) for picture, alt in zip(figure.pictures, alts) if isinstance(picture, Curves)]


def _board(figure: Figure, board: Board, chapter: Chapter[Any], shell: Words) -> tuple[list[tuple[Plot, str]], str]:
    panels = {panel.key: panel for panel in board.panels}
    key = board.subject.key
    if len(panels) > 1:
        key = st.selectbox(
            shell("matrix_shown"), list(panels), list(panels).index(key), lambda one: panels[one].title or one
        )
    return [(heatmap(panels[key], chapter.mode), str(figure.alt))], table(panels[key])
