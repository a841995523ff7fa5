"""The sinusoidal position code as a puzzle (paper, section 3.5)."""

import math

import torch
from torch import Tensor

from transformer_core.exercises.parsons.measure import furthest, shape
from transformer_core.exercises.parsons.puzzle import Distractor, Finding, Function, Law, Puzzle, PuzzleLine
from transformer_core.positions import BASE, direct_frequencies, frequencies, position_steps, shift_rotation
from transformer_core.verify.samples import gap

LENGTH, D_MODEL, SHIFT = 20, 8, 7


def _code(function: Function) -> Tensor:
    code: Tensor = function(LENGTH, D_MODEL, BASE, torch.float64)
    return code


def start(function: Function) -> Finding:
    """At position 0 every angle is 0: sine 0 in the even dimensions, cosine 1 in the odd ones."""
    return furthest(_code(function)[:1], (torch.arange(D_MODEL) % 2).unsqueeze(0))


def formula(function: Function) -> Finding:
    """sin(pos / base^(2i/d_model)) and the cosine beside it, by the power as the paper writes it."""
    angles = torch.arange(LENGTH).double().unsqueeze(1) * direct_frequencies(D_MODEL, BASE, torch.float64)
    expected = torch.empty(LENGTH, D_MODEL, dtype=torch.float64)
    expected[:, 0::2], expected[:, 1::2] = angles.sin(), angles.cos()
    return furthest(_code(function), expected)


def rotation(function: Function) -> Finding:
    """PE(pos + shift) is one rotation of PE(pos), the same at every position."""
    code = _code(function)
    off = gap(code[:-SHIFT] @ shift_rotation(SHIFT, D_MODEL).T, code[SHIFT:])
    return Finding(off, {"shift": SHIFT, "by": off})


POSITIONS = Puzzle(
    "positions",
    "def position_code(length, d_model, base, dtype):",
    (
        PuzzleLine("even", "even = torch.arange(0, d_model, 2).to(dtype)"),
        PuzzleLine("omega", "omega = torch.exp(even * -(math.log(base) / d_model))"),
        PuzzleLine("angles", "angles = torch.arange(length).to(dtype).unsqueeze(1) * omega"),
        PuzzleLine("code", "code = torch.stack([angles.sin(), angles.cos()], dim=-1)"),
        PuzzleLine("return", "return code.flatten(1)"),
    ),
    (
        Distractor("every", "even = torch.arange(0, d_model).to(dtype)", "even", "shape"),
        Distractor("growing", "omega = torch.exp(even * (math.log(base) / d_model))", "omega", "formula"),
        Distractor("row", "angles = torch.arange(length).to(dtype).unsqueeze(0) * omega", "angles", "raised"),
        Distractor("halves", "code = torch.cat([angles.sin(), angles.cos()], dim=-1)", "code", "start"),
        Distractor("swapped", "code = torch.stack([angles.cos(), angles.sin()], dim=-1)", "code", "start"),
    ),
    (
        shape(_code, (LENGTH, D_MODEL)),
        Law("start", start),
        Law("formula", formula),
        Law("rotation", rotation),
    ),
    {"torch": torch, "math": math},
    (position_steps, frequencies),
)
