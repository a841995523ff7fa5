"""Under each figure: one line of provenance, then its numbers, its code and its link, folded until asked for."""

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from ui import state
from ui.figures.figure import Figure
from ui.figures.markup import element
from ui.figures.runnable import source_of
from ui.frame import embed
from ui.frame.chapter import Chapter
from ui.text import Words

_COUNTED = re.compile(r"(?<=· )(step|seed|fault|dropout seed|head|rate|warm-up|clip|init) ([\w.]+)(?= ·|;|$)")
MOST_CELLS = 20_000  # a larger table would be slow to send; the figure still shows every cell


def provenance(tensor: str, *shape: int) -> str:
    """The line of a figure that needs no model: `subsequent_mask(8) · 8 × 8`."""
    return " · ".join(filter(None, [tensor, " × ".join(map(str, shape))]))


def said(origin: str, lang: str) -> str:
    """A line of provenance on the page: what counts something is said in its language, names from the code stay."""
    shell = Words("shell", lang)
    return _COUNTED.sub(lambda part: shell(f"provenance.{part[1].replace(' ', '_')}", number=part[2]), origin)


def caption(chapter: Chapter[Any], figure: Figure) -> None:
    """What stands under a figure that is drawn."""
    shell, numbers, name = chapter.shell, figure.data, figure.name
    section = state.section_of(f"{chapter.name}.{name}")
    offered = [
        *(["numbers"] if numbers.size <= MOST_CELLS else []),
        *(["code"] if figure.code else []),
        *(["snippet"] if figure.program else []),
        "link",
    ]
    with st.container(horizontal=True, vertical_alignment="center", key=f"caption-{chapter.name}-{name}"):
        st.html(element("div", said(figure.origin, chapter.lang), class_="provenance"))
        shown = st.pills(
            shell("caption"),
            offered,
            format_func=lambda part: shell(f"caption_part.{part}"),
            key=f"{chapter.name}.{name}.caption",
            label_visibility="collapsed",
            wrap=True,
        )
    if shown:
        with st.container(key=f"unfolded-{chapter.name}-{name}"):
            if chapter.at_hand.fault and shown in ("code", "snippet"):
                st.caption(shell(f"fault.{shown}"))
            if shown == "numbers":
                _table(numbers, figure.columns, figure.origin)
            elif shown == "code":
                for function in figure.code:
                    st.code(_source(function), language="python")
            elif shown == "snippet":
                st.code(figure.program, language="python")
            elif shown == "link":
                _links(chapter, name, section)


def _links(chapter: Chapter[Any], figure: str, section: str) -> None:
    """The link to the section of the figure, and the HTML that shows it alone within another page; the reader's replies
    are in them only if asked for."""
    asked = state.answered(chapter.name) and st.toggle(
        chapter.shell("link_replies"), key=f"{chapter.name}.{figure}.replies"
    )
    st.code(state.url(chapter.name, section, replies=asked), language=None, wrap_lines=True)
    alone = state.url(chapter.name, replies=asked, only=chapter.named, **embed.ALONE)
    embed.offer(alone, chapter.called, chapter.lang)


def _source(function: Callable[..., Any]) -> str:
    """The function as it stands in its file, under the file's first line, which names the section of the paper."""
    idea = (getattr(inspect.getmodule(function), "__doc__", None) or "").partition("\n")[0]
    return (f'"""{idea}"""\n\n' if idea else "") + source_of(function)


def _table(numbers: np.ndarray, columns: Sequence[str], name: str) -> None:
    table = np.atleast_2d(numbers)
    names = list(columns) or [str(j) for j in range(table.shape[1])]
    headed = {f"{j} {head}" if names.count(head) > 1 else head: table[:, j] for j, head in enumerate(names)}
    st.dataframe(headed, alt=name)
