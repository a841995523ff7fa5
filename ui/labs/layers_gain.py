"""Layers lab: the gain of a first draw, which makes up for what the function behind the matrix takes away."""

import math
from typing import Any

import numpy as np
import streamlit as st
import torch
from torch import Tensor, nn

from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board, chart, write_sums
from ui.figures.arithmetic import equation, number, operand
from ui.figures.board import Cell, Panel, Source
from ui.figures.curves import curves
from ui.figures.layers import two_colors
from ui.shell import Chapter

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
FUNCTIONS = {
    "linear": nn.Identity(),
    "relu": nn.ReLU(),
    "leaky_relu": nn.LeakyReLU(),
    "tanh": nn.Tanh(),
    "sigmoid": nn.Sigmoid(),
    "selu": nn.SELU(),
}


def gain_of(function: Any) -> float:
    """PyTorch's gain, by the name of the function."""
    return float(nn.init.calculate_gain(function))


def drawn(outputs: int, inputs: int, gain: float, seed: int) -> Tensor:
    """(outputs, inputs), Xavier-uniform between ±gain·√(6 / (inputs + outputs))."""
    generator = torch.Generator().manual_seed(seed)
    return nn.init.xavier_uniform_(torch.empty(outputs, inputs), gain=gain, generator=generator)


def sizes(function: str, gain: float, seed: int) -> np.ndarray:
    """(DEPTH + 1,) root of the mean square of what leaves each layer of a stack; first that of its input."""
    x = torch.randn(VECTORS, WIDTH, generator=torch.Generator().manual_seed(seed))
    found = [x]
    for layer in range(DEPTH):
        found.append(FUNCTIONS[function](found[-1] @ drawn(WIDTH, WIDTH, gain, seed + layer).T))
    return np.array([float(values.square().mean().sqrt()) for values in found])


def gain_lab(chapter: Chapter) -> None:
    say = chapter.say
    left, right = st.columns([3, 2])
    with left:
        function = controls.choose(chapter, "gain_of")
    with right:
        seed = controls.slider(chapter, "gain_seed", 0, 100)
    gain = gain_of(function)
    chapter.write("gain.value", function=function, formula=FORMULAS[function], gain=number(gain))
    plain, scaled = (drawn(OUTPUTS, INPUTS, factor, seed) for factor in (1.0, gain))
    picture = panels(chapter, plain, scaled)
    pointed = board(chapter, "gain", picture, cell="gain_cell", alt=say("gain.alt"))
    if pointed.chosen:
        write_sums(chapter, arithmetic_of(pointed.chosen, gain, plain))
    depth = np.arange(DEPTH + 1)
    lines = {say("gain.with"): sizes(function, gain, seed), say("gain.without"): sizes(function, 1.0, seed)}
    spread = curves(
        depth, lines, chapter.mode,
        x_title=say("gain.layer"), y_title=say("gain.size"), colors=two_colors(chapter.mode), markers=True,
    )  # fmt: skip
    chart(chapter, "sizes", spread, alt=say("gain.sizes_alt"))
    chapter.write(
        "gain.measured",
        depth=DEPTH,
        **{name: number(float(values[-1]), 3) for name, values in zip(("scaled", "plain"), lines.values())},
    )
    caption(
        chapter,
        "gain",
        f"{provenance(f'xavier_uniform_(w, gain={number(gain)})', OUTPUTS, INPUTS)} · seed {seed}",
        numbers=scaled.numpy(),
        code=[nn.init.calculate_gain, sizes],
        snippet=gain_snippet(function, seed),
    )


def panels(chapter: Chapter, plain: Tensor, scaled: Tensor) -> list[Panel]:
    limit = math.sqrt(6 / (INPUTS + OUTPUTS))
    high = limit * max(map(gain_of, FUNCTIONS))  # one scale for all functions
    labels = [str(i) for i in range(OUTPUTS)], [str(j) for j in range(INPUTS)]
    axes = chapter.say("gain.output"), chapter.say("gain.input")
    return [
        Panel(key, values.numpy(), chapter.say(f"gain.{key}"), *labels, *axes, high=high, place=(0, at),
              digits=4, print_values=True, sources=[Source("plain")] if key == "scaled" else [])
        for at, (key, values) in enumerate((("plain", plain), ("scaled", scaled)))
    ]  # fmt: skip


def arithmetic_of(cell: Cell, gain: float, plain: Tensor) -> str:
    panel, i, j = cell
    if panel != "scaled":
        return ""
    value = float(plain[i, j])
    side = f"{number(gain)}·{operand(value, digits=4)}"
    return equation(f"w<sub>{i},{j}</sub>", side, result=gain * value)


def gain_snippet(function: str, seed: int) -> str:
    return (
        f"import torch\n\ngain = torch.nn.init.calculate_gain('{function}')\n"
        f"shown = torch.empty({OUTPUTS}, {INPUTS})\n"
        f"torch.nn.init.xavier_uniform_(shown, gain=gain, generator=torch.Generator().manual_seed({seed}))\n"
        "print(gain, shown)\n"
    )
