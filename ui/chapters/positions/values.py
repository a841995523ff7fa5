"""What several figures of the position code share: an even size, and the code as a panel with its formula."""

import numpy as np
import streamlit as st

from transformer_core.positions import BASE
from ui.figures import Panel
from ui.figures.formula import Formula, I, Number, by_column, cos, sin
from ui.sections import AnyChapter

SMALLEST = 2  # d_model: one sine and its cosine
EVEN = {"low": SMALLEST, "step": 2}  # of its sliders


def make_even(chapter: AnyChapter, name: str) -> None:
    """A d_model from a link that is odd, or leaves no pair, gives way to an even one, and the reader is told why."""
    value = getattr(chapter.settings, name)
    even = max(SMALLEST, value - value % 2)
    if value != even:
        st.warning(chapter.say("odd", d_model=value, even=even))
        chapter.put(name, even)


def angle(position: Formula, dim: int, d_model: int, base: float = BASE) -> Formula:
    """Where the hand of the pair of `dim` stands at a position: pos / base^(2i/d_model)."""
    return position / Number(base) ** (Number(dim - dim % 2) / Number(d_model, "d_model"))


def entry(position: Formula, dim: int, d_model: int, base: float = BASE) -> Formula:
    """PE at a position: a sine in even dimensions, a cosine in odd ones (paper, section 3.5)."""
    return (cos if dim % 2 else sin)(angle(position, dim, d_model, base))


def code_panel(
    chapter: AnyChapter, key: str, code: np.ndarray, title: str = "", base: float = BASE, shown: slice = slice(None)
) -> Panel:
    """The code (length, d_model) of the positions from 0 on, of which the dimensions `shown` are drawn."""
    length, d_model = code.shape
    dims = range(d_model)[shown]
    return Panel(
        key,
        code,
        title=title,
        row_labels=[str(pos) for pos in range(length)],
        row_axis=chapter.say("position_axis"),
        col_labels=[str(dim) for dim in dims],
        col_axis=chapter.say("dimension_axis"),
        high=1.0,
        digits=4,
        symbol="PE",
        window=(slice(None), shown),
        made=by_column(*(entry(I, dim, d_model, base) for dim in dims)),
    )
