"""The sinusoidal position code, as a matrix and as curves; and the wavelength of each pair of dimensions."""

import math
from functools import partial

import numpy as np
import streamlit as st

from transformer_core.positions import position_steps, wavelengths
from ui.chapters.positions.values import EVEN, code_panel, make_even
from ui.chapters.shared.draw_one import draw_one
from ui.figures import Board, Figure, Marks, Style, XAxis, YAxis, curves, number, runnable
from ui.figures.curves import tint
from ui.inputs.typed_numbers import NotNumbers, whole_numbers
from ui.sections import Chapter, Choice, Quantity, Section, controls, kept, provenance, show
from ui.settings.fields import CellSetting, Settings, cell, real, text, whole

MOST_CURVES = 8

Entry = tuple[int, int]  # a position and a dimension

ASK_FAST = Choice("ask_fast", ("left", "right", "alike"), right="left")


class Code(Settings):
    length: int = whole(100, 2, 128)  # the notes' plot: 100 positions, 20 dimensions, curves of 4 to 7
    d_model: int = whole(20, 0, 128)  # here and in other sections 0, 1 and odd sizes are answered in words
    base: float = real(4.0, 0.5, 6.0)  # power of ten
    dims: str = text("4 5 6 7", 40)
    cell: CellSetting = cell()


@Section("code", settings=Code, look="lead", why="text", lesson=(ASK_FAST,))
def the_code(chapter: Chapter[Code]) -> None:
    make_even(chapter, "d_model")
    left, right = st.columns([2, 3])
    length, d_model, power, typed = controls.side_by_side(
        chapter, length={}, d_model=EVEN, base={"step": 0.25}, dims={}
    )
    base = 10.0**power
    dims = _dimensions(chapter, typed, d_model)
    about = length, d_model, base
    with left:
        chosen = show(chapter, kept(chapter, partial(_matrix, chapter, *about), *about))
    of_curves = (*about, dims, chosen and chosen[1:])
    with right:
        show(chapter, kept(chapter, partial(_curves, chapter, *of_curves), *of_curves))


def _matrix(chapter: Chapter[Code], length: int, d_model: int, base: float) -> Figure:
    code = position_steps(length, d_model, base).code.numpy()
    return Figure(
        "code",
        Board([code_panel(chapter, "code", code, base=base)]),
        provenance(_call(length, d_model, base), *code.shape),
        code=[position_steps],
        program=runnable(position_steps, length, d_model, base, then=".code"),
        alt=chapter.say("code.alt", length=length, d_model=d_model),
    )


def _call(length: int, d_model: int, base: float) -> str:
    return f"position_code({length}, {d_model}, base={base:.6g})"


def _curves(
    chapter: Chapter[Code],
    length: int,
    d_model: int,
    base: float,
    dims: tuple[int, ...],
    chosen: tuple[int, int] | None,
) -> Figure:
    """A point marks the `chosen` entry."""
    say, code = chapter.say, position_steps(length, d_model, base).code.numpy()
    names = [say("dim", dim=dim) for dim in dims]
    pairs = sorted({dim // 2 for dim in dims})
    picture = curves(
        np.arange(length),
        {name: code[:, dim] for name, dim in zip(names, dims)},
        x_axis=XAxis(say("position_axis")),
        y_axis=YAxis("PE", range=(-1.1, 1.1)),
        marks=Marks(points={say("dim", dim=chosen[1]): (chosen[0], code[chosen])} if chosen else {}),
        style=Style(
            colors=[tint(pairs.index(dim // 2), len(pairs)) for dim in dims],
            dashed=[name for name, dim in zip(names, dims) if dim % 2],
        ),
        height=440,
    )
    return Figure(
        "curves",
        picture,
        provenance(f"{_call(length, d_model, base)}[:, {list(dims)}]", length, len(dims)),
        numbers=code[:, dims],
        columns=names,
        code=[position_steps],
        program=runnable(position_steps, length, d_model, base, then=f".code[:, {list(dims)}]"),
        alt=say("curves.alt", dims=chapter.shell("comma").join(map(str, dims))),
    )


def _dimensions(chapter: Chapter[Code], typed: str, d_model: int) -> tuple[int, ...]:
    """The dimensions drawn as curves; none after a sentence about what is wrong."""
    try:
        return whole_numbers(typed, 0, d_model - 1, MOST_CURVES)
    except NotNumbers as problem:
        st.warning(chapter.say(f"dims_wrong.{problem.key}", **problem.values))
        return ()


D_MODEL, BASE = 4, 10000.0  # that are asked about
SLOWEST = Quantity(
    "slowest",
    wavelengths(D_MODEL, BASE)[-1].item(),
    {"slowest.wrong.rounded": 2 * math.pi * BASE, "slowest.wrong.halved": 2 * math.pi * BASE ** (1 / D_MODEL)},
    tolerance=1.0,
)


class Wavelengths(Settings):
    wave_d: int = whole(512, 0, 512)
    wave_base: float = real(4.0, 0.5, 6.0)  # power of ten


@Section("wavelengths", settings=Wavelengths, first=SLOWEST)
def slowest(chapter: Chapter[Wavelengths]) -> None:
    say = chapter.say
    make_even(chapter, "wave_d")
    d_model, power = controls.side_by_side(chapter, wave_d=EVEN, wave_base={"step": 0.25})
    base = 10.0**power
    lengths = wavelengths(d_model, base).numpy()
    last, end = lengths[-1], 2 * math.pi * base
    picture = curves(
        np.arange(len(lengths)),
        {say("wavelength"): lengths},
        x_axis=XAxis(say("pair_axis")),
        y_axis=YAxis(say("wavelength_axis"), log=True),
        marks=Marks(levels={"2π": 2 * math.pi, say("base_level", base=number(base, 6)): end}),
        style=Style(markers=len(lengths) <= 64),
    )
    figure = Figure(
        "wavelengths",
        picture,
        provenance(f"wavelengths({d_model}, base={base:.6g})", len(lengths)),
        numbers=lengths[:, None],
        columns=[say("wavelength")],
        code=(wavelengths,),
        program=runnable(wavelengths, d_model, base, then=".unsqueeze(1)"),
        alt=say("wavelengths.alt", shortest=number(lengths[0]), longest=number(last)),
    )
    show(chapter, figure)
    share = f"{100 * last / end:.1f}"
    chapter.write("wavelengths.text", longest=number(last, 6), end=number(end, 6), share=share, d=d_model)
    draw_one(chapter, "wave")
