"""The gain of a first draw, which makes up for what the function behind the matrix takes away."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ui.figures import TWO_COLORS, Board, Figure, Panel, Style, YAxis, number, plotted, runnable
from ui.figures.formula import I, J, Matrix, Number
from ui.sections import Chapter, Section, controls, provenance, show
from ui.settings.fields import Settings, choice, whole

OUTPUTS, INPUTS = 3, 5  # the notes' example
WIDTH, VECTORS, DEPTH = 128, 256, 12  # of the stack in which sizes are measured
FORMULAS = {
    "linear": "1",
    "relu": "√2",
    "leaky_relu": "√(2 / (1 + 0.01²))",
    "tanh": "5/3",
    "sigmoid": "1",
    "selu": "3/4",
}


class Gain(Settings):
    gain_of: str = choice("relu", *FORMULAS)
    gain_seed: int = whole(0, 0, 9999)


def gain_of(function: Any) -> float:
    return float(nn.init.calculate_gain(function))


def drawn(outputs: int, inputs: int, gain: float, seed: int) -> Tensor:
    """(outputs, inputs), Xavier-uniform between ±gain·√(6 / (inputs + outputs))."""
    generator = torch.Generator().manual_seed(seed)
    return nn.init.xavier_uniform_(torch.empty(outputs, inputs), gain=gain, generator=generator)


def sizes(function: str, gain: float, seed: int) -> np.ndarray:
    """(DEPTH + 1,) root of the mean square of what leaves each layer of a stack; first that of its input."""
    found = [torch.randn(VECTORS, WIDTH, generator=torch.Generator().manual_seed(seed))]
    for layer in range(DEPTH):
        x = found[-1] @ drawn(WIDTH, WIDTH, gain, seed + layer).T
        found.append(x if function == "linear" else getattr(nn.functional, function)(x))
    return np.array([float(values.square().mean().sqrt()) for values in found])


def with_and_without(function: str, seed: int) -> np.ndarray:
    """(DEPTH + 1, 3): the layer, and the sizes with the function's gain and without."""
    both = [sizes(function, gain, seed) for gain in (gain_of(function), 1.0)]
    return np.stack([np.arange(DEPTH + 1), *both], axis=1)


@Section("gain", settings=Gain, cell="gain_cell", text="text")
def gain(chapter: Chapter[Gain]) -> None:
    say = chapter.say
    function, seed = controls.side_by_side(chapter, (3, 2), gain_of={}, gain_seed={"high": 100})
    factor = gain_of(function)
    chapter.write("gain.value", function=function, formula=FORMULAS[function], gain=number(factor))
    matrix = Figure(
        "gain",
        Board(_panels(chapter, factor, seed)),
        f"{provenance(f'xavier_uniform_(w, gain={number(factor)})', OUTPUTS, INPUTS)} · seed {seed}",
        code=[nn.init.calculate_gain],
        program=runnable(drawn, OUTPUTS, INPUTS, factor, seed),
    )
    show(chapter, matrix)
    numbers = with_and_without(function, seed)
    stack = plotted(
        "sizes",
        numbers,
        [say(f"gain.{name}") for name in ("layer", "with", "without")],
        f"{provenance(f'sizes({function})', 2, DEPTH + 1)} · seed {seed}",
        code=[sizes],
        program=runnable(with_and_without, function, seed),
        y_axis=YAxis(say("gain.size")),
        style=Style(colors=TWO_COLORS, markers=True),
        alt=say("gain.sizes_alt"),
    )
    show(chapter, stack)
    scaled, plain = (number(float(last), 3) for last in numbers[-1, 1:])
    chapter.write("gain.measured", depth=DEPTH, scaled=scaled, plain=plain)


def _panels(chapter: Chapter[Gain], factor: float, seed: int) -> list[Panel]:
    limit = math.sqrt(6 / (INPUTS + OUTPUTS))
    high = limit * max(map(gain_of, FORMULAS))  # one scale for all functions
    labels = [str(i) for i in range(OUTPUTS)], [str(j) for j in range(INPUTS)]
    axes = chapter.say("gain.output"), chapter.say("gain.input")
    made = {"plain": None, "scaled": Number(factor, "g") * Matrix("plain")[I, J]}
    return [
        Panel(key, drawn(OUTPUTS, INPUTS, times, seed).numpy(), chapter.say(f"gain.{key}"), *labels, *axes, high=high,
              place=(0, at), digits=4, print_values=True, made=made[key], symbol=symbol)
        for at, (key, times, symbol) in enumerate((("plain", 1.0, "w"), ("scaled", factor, "w′")))
    ]  # fmt: skip
