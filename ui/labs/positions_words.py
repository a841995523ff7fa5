"""What the reader of the chapter on positions sets and reads: an even size, a list of dimensions, a cell's formula."""

import math

import streamlit as st

from transformer_core.positions import BASE
from ui.figures.arithmetic import equation, number
from ui.shell import Chapter
from ui.whole_numbers import NotNumbers, whole_numbers

MOST_CURVES = 8
SMALLEST = 2  # d_model: one sine and its cosine


def make_even(chapter: Chapter, name: str) -> None:
    """A d_model from a link that is odd, or leaves no pair, gives way to an even one, and the reader is told why."""
    value = getattr(chapter.settings, name)
    even = max(SMALLEST, value - value % 2)
    if value != even:
        st.warning(chapter.say("odd", d_model=value, even=even))
        chapter.put(name, even)


def dimensions(chapter: Chapter, text: str, d_model: int) -> tuple[int, ...]:
    """The dimensions drawn as curves; none after a sentence about what is wrong."""
    try:
        return whole_numbers(text, 0, d_model - 1, MOST_CURVES)
    except NotNumbers as problem:
        st.warning(chapter.say(f"dims_wrong.{problem.key}", **problem.values))
        return ()


def code_formula(pos: int, dim: int, d_model: int, base: float = BASE) -> str:
    """PE[pos, dim] written out: the exponent, the frequency, the angle, the sine or cosine."""
    wave, pair = (math.cos, dim - 1) if dim % 2 else (math.sin, dim)
    frequency = base ** -(pair / d_model)
    name = wave.__name__
    sides = [
        f"{name}({pos} / {number(base)}<sup>{pair}/{d_model}</sup>)",
        f"{name}({pos} · {number(frequency)})",
        f"{name}({number(pos * frequency)})",
    ]
    return equation(f"PE[{pos}, {dim}]", *sides, result=wave(pos * frequency))


def rotation_formula(row: int, column: int, shift: int, d_model: int) -> str:
    """R[row, column] written out: cosines on the diagonal, sines beside it, and nothing between different pairs."""
    name = f"R[{row}, {column}]"
    if row // 2 != column // 2:
        return equation(name, result=0.0)
    frequency = BASE ** -(row // 2 * 2 / d_model)
    wave = math.cos if row == column else math.sin
    sign = -1 if row > column else 1
    written = f"{'−' if sign < 0 else ''}{wave.__name__}({shift} · {number(frequency)})"
    return equation(name, written, result=sign * wave(shift * frequency))
