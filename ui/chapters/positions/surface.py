"""The position code as a surface over positions and dimensions, to be turned: the matrix of the lead, in space."""

from functools import partial

import numpy as np

from transformer_core.positions import position_steps
from ui.chapters.positions.code import Code
from ui.figures import Curves, Figure, runnable
from ui.figures.plot import Plot, layout
from ui.sections import Chapter, Section, provenance, show
from ui.theme import Mode, color, plotly_scale

EYE = {"x": -0.9, "y": -2.4, "z": 1.3}  # where the camera stands: before the first positions; a phone shows all axes
TALL = 440  # px
FLAT = {"x": 1, "y": 1.4, "z": 0.35}


@Section("surface", reads=(Code,), text="text")
def surface(chapter: Chapter[Code]) -> None:
    say, read = chapter.say, chapter.of(Code).settings
    base = 10.0**read.base
    code = position_steps(read.length, read.d_model, base).code.numpy()
    titles = say("dimension_axis"), say("position_axis")
    figure = Figure(
        "surface",
        Curves({}, TALL, partial(in_space, code, titles)),
        provenance(f"position_code({read.length}, {read.d_model}, base={base:.6g})", *code.shape),
        numbers=code,
        code=[position_steps],
        program=runnable(position_steps, read.length, read.d_model, base, then=".code"),
        alt=say("surface.alt", length=read.length, d_model=read.d_model),
    )
    show(chapter, figure)


def in_space(code: np.ndarray, titles: tuple[str, str], mode: Mode) -> Plot:
    """Its height is the code (positions, dimensions), on the colours of the matrix."""
    trace = {
        "type": "surface", "z": code, "cmin": -1, "cmax": 1, "colorscale": plotly_scale(mode, "signed"),
        "showscale": False,
        "hovertemplate": f"{titles[1]} %{{y}}<br>{titles[0]} %{{x}}<br>%{{z:.3f}}<extra></extra>",
    }  # fmt: skip
    quiet = {"gridcolor": color("grid", mode), "zerolinecolor": color("quiet", mode), "showbackground": False}
    named = {f"{axis}axis": quiet | {"title": {"text": text}} for axis, text in zip("xyz", (*titles, "PE"))}
    named["zaxis"]["tickvals"] = [-1, 0, 1]
    scene = {"aspectmode": "manual", "aspectratio": FLAT, "camera": {"eye": EYE}} | named
    return Plot([trace], layout(mode, {}, {}, height=TALL, scene=scene))
