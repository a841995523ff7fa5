"""One LayerNorm by hand, in the notes' formula (paper, section 3.1): mean, spread, and five numbers made even."""

from collections.abc import Mapping
from random import Random
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.exercises.worksheet.exercise import Blanks, ExerciseKind, row
from transformer_core.layer_norm import LayerNormSteps, layer_norm_steps, torch_layer_norm_steps

N = 5
OUTPUTS = ("y₁", "y₂", "y₃", "y₄", "y₅")
SQUARES = (16, 36)  # (n − 1) · 2² and (n − 1) · 3²: what the squares sum to where the spread is whole


class LayerNormGivens(NamedTuple):
    """Each (5,) float64."""

    x: Tensor
    gain: Tensor
    shift: Tensor


def steps(givens: LayerNormGivens) -> LayerNormSteps:
    return layer_norm_steps(*givens)


def draw(chance: Random) -> LayerNormGivens | None:
    """Small whole numbers, whose mean and spread are whole, too; none stands one spread above the mean, for there gain
    and shift can be swapped."""
    away = [chance.randint(-4, 4) for _ in range(N - 1)]
    away.append(-sum(away))
    squares = sum(one * one for one in away)
    if squares not in SQUARES or 0 in away or any(one > 0 and (N - 1) * one * one == squares for one in away):
        return None
    mean = chance.choice([-2, -1, 1, 2, 3, 4])
    gain = [chance.choice([-2, -1, 2, 3]) for _ in range(N)]
    shift = [chance.choice([one for one in (-3, -2, -1, 1, 2, 3) if one != of]) for of in gain]
    return LayerNormGivens(
        *(torch.tensor(part, dtype=torch.float64) for part in ([mean + one for one in away], gain, shift))
    )


def right(givens: LayerNormGivens) -> Blanks:
    found = steps(givens)
    return {
        **row("statistics", ("μ", "σ"), torch.cat([found.mean, found.std])),
        **row("output", OUTPUTS, found.output),
    }


def slips(givens: LayerNormGivens) -> Mapping[str, Blanks]:
    x, gain, shift = givens
    found, biased = steps(givens), torch_layer_norm_steps(x, gain, shift)
    variance, normalised = found.std**2, found.normalised
    return {
        "biased": {**row("statistics", ("σ",), biased.std), **row("output", OUTPUTS, biased.output)},
        "no_root": {
            **row("statistics", ("σ",), variance),
            **row("output", OUTPUTS, gain * (x - found.mean) / variance + shift),
        },
        "short_mean": row("statistics", ("μ",), x.sum(-1, keepdim=True) / (N - 1)),
        "not_centred": row("output", OUTPUTS, gain * x / found.std + shift),
        "swapped": row("output", OUTPUTS, shift * normalised + gain),
        "shift_first": row("output", OUTPUTS, gain * (normalised + shift)),
        "no_gain": row("output", OUTPUTS, normalised),
    }


LAYER_NORM = ExerciseKind("layer_norm", draw, right, slips)
