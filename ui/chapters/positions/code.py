"""The sinusoidal position code, as a matrix and as curves."""

import numpy as np
import streamlit as st

from transformer_core.positions import frequencies, position_steps
from ui.chapters.positions.values import EVEN, code_panel, code_program, make_even
from ui.figures.curves import curves, tint
from ui.figures.figure import Board, Figure
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.reading.whole_numbers import NotNumbers, whole_numbers
from ui.showing.caption import provenance
from ui.showing.show import show

CODE = (position_steps, frequencies)
MOST_CURVES = 8


def the_code(chapter: Chapter) -> None:
    say = chapter.say
    make_even(chapter, "d_model")
    columns = st.columns(4)
    with columns[0]:
        length = controls.slider(chapter, "length")
    with columns[1]:
        d_model = controls.slider(chapter, "d_model", **EVEN)
    with columns[2]:
        base = 10.0 ** controls.slider(chapter, "base", step=0.25)
    with columns[3]:
        typed = controls.text(chapter, "dims")
    dims = _dimensions(chapter, typed, d_model)
    code = position_steps(length, d_model, base).code.numpy()
    call = f"position_code({length}, {d_model}, base={base:.6g})"
    program = code_program(length, d_model, base)
    left, right = st.columns([2, 3])
    with left:
        figure = Figure(
            "code",
            Board([code_panel(chapter, "code", code, base=base)]),
            say("code.alt", length=length, d_model=d_model),
            provenance(call, *code.shape),
            code=CODE,
            program=f"{program}shown = code\nprint(shown)\n",
        )
        chosen = show(chapter, figure).chosen
    names = [say("dim", dim=dim) for dim in dims]
    pairs = sorted({dim // 2 for dim in dims})
    picture = curves(
        np.arange(length),
        {name: code[:, dim] for name, dim in zip(names, dims)},
        x_title=say("position_axis"),
        y_title="PE",
        colors=[tint(pairs.index(dim // 2), len(pairs)) for dim in dims],
        dashed=[name for name, dim in zip(names, dims) if dim % 2],
        points={say("dim", dim=chosen[2]): (chosen[1], code[chosen[1:]])} if chosen else {},
        y_range=(-1.1, 1.1),
        height=440,
    )
    with right:
        figure = Figure(
            "curves",
            picture,
            say("curves.alt", dims=", ".join(map(str, dims))),
            provenance(f"{call}[:, {list(dims)}]", length, len(dims)),
            numbers=code[:, dims],
            columns=names,
            code=CODE,
            program=f"{program}shown = code[:, {list(dims)}]\nprint(shown)\n",
        )
        show(chapter, figure)


def _dimensions(chapter: Chapter, text: str, d_model: int) -> tuple[int, ...]:
    """The dimensions drawn as curves; none after a sentence about what is wrong."""
    try:
        return whole_numbers(text, 0, d_model - 1, MOST_CURVES)
    except NotNumbers as problem:
        st.warning(chapter.say(f"dims_wrong.{problem.key}", **problem.values))
        return ()
