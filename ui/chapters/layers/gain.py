"""The gain of a first draw, which makes up for what the function behind the matrix takes away."""

import math
from typing import Any

import numpy as np
import streamlit as st
import torch
from torch import Tensor, nn

from ui.figures.board import Panel
from ui.figures.curves import TWO_COLORS, curves
from ui.figures.figure import Board, Figure
from ui.figures.formula import I, J, Matrix, Number
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.showing.caption import provenance
from ui.showing.show import show

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
    "linear": nn.Identity,
    "relu": nn.ReLU,
    "leaky_relu": nn.LeakyReLU,
    "tanh": nn.Tanh,
    "sigmoid": nn.Sigmoid,
    "selu": nn.SELU,
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
    behind = FUNCTIONS[function]()
    for layer in range(DEPTH):
        found.append(behind(found[-1] @ drawn(WIDTH, WIDTH, gain, seed + layer).T))
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
    matrix = Figure(
        "gain",
        Board(panels(chapter, gain, seed), cell="gain_cell"),
        say("gain.alt"),
        f"{provenance(f'xavier_uniform_(w, gain={number(gain)})', OUTPUTS, INPUTS)} · seed {seed}",
        code=[nn.init.calculate_gain],
        program=f"import torch\n\ngain = torch.nn.init.calculate_gain('{function}')\n"
        f"shown = torch.empty({OUTPUTS}, {INPUTS})\n"
        f"torch.nn.init.xavier_uniform_(shown, gain=gain, generator=torch.Generator().manual_seed({seed}))\n"
        "print(gain, shown)\n",
    )
    show(chapter, matrix)
    depth = np.arange(DEPTH + 1)
    lines = {"with": sizes(function, gain, seed), "without": sizes(function, 1.0, seed)}
    picture = curves(
        depth,
        {say(f"gain.{name}"): values for name, values in lines.items()},
        x_title=say("gain.layer"),
        y_title=say("gain.size"),
        colors=TWO_COLORS,
        markers=True,
    )
    stack = Figure(
        "sizes",
        picture,
        say("gain.sizes_alt"),
        f"{provenance(f'sizes({function})', 2, DEPTH + 1)} · seed {seed}",
        numbers=np.stack([depth, *lines.values()], axis=1),
        columns=[say(f"gain.{name}") for name in ("layer", *lines)],
        code=[sizes],
        program=sizes_program(function, seed),
    )
    show(chapter, stack)
    scaled, plain = (number(float(values[-1]), 3) for values in lines.values())
    chapter.write("gain.measured", depth=DEPTH, scaled=scaled, plain=plain)


def panels(chapter: Chapter, gain: float, seed: int) -> list[Panel]:
    """The same draw twice: as it is, and with the gain."""
    limit = math.sqrt(6 / (INPUTS + OUTPUTS))
    high = limit * max(map(gain_of, FUNCTIONS))  # one scale for all functions
    labels = [str(i) for i in range(OUTPUTS)], [str(j) for j in range(INPUTS)]
    axes = chapter.say("gain.output"), chapter.say("gain.input")
    made = {"plain": None, "scaled": Number(gain, "g") * Matrix("plain")[I, J]}
    return [
        Panel(key, drawn(OUTPUTS, INPUTS, factor, seed).numpy(), chapter.say(f"gain.{key}"), *labels, *axes, high=high,
              place=(0, at), digits=4, print_values=True, made=made[key], symbol=symbol)
        for at, (key, factor, symbol) in enumerate((("plain", 1.0, "w"), ("scaled", gain, "w′")))
    ]  # fmt: skip


def sizes_program(function: str, seed: int) -> str:
    return (
        f"import torch\n\nbehind = torch.nn.{FUNCTIONS[function].__name__}()\n\n"
        "def drawn(gain, seed):\n"
        "    generator = torch.Generator().manual_seed(seed)\n"
        f"    return torch.nn.init.xavier_uniform_(torch.empty({WIDTH}, {WIDTH}), gain, generator)\n\n"
        "def sizes(gain):\n"
        f"    x = torch.randn({VECTORS}, {WIDTH}, generator=torch.Generator().manual_seed({seed}))\n"
        "    yield x.square().mean().sqrt()\n"
        f"    for layer in range({DEPTH}):\n"
        f"        x = behind(x @ drawn(gain, {seed} + layer).T)\n"
        "        yield x.square().mean().sqrt()\n\n"
        f"gain = torch.nn.init.calculate_gain('{function}')\n"
        f"shown = torch.tensor([range({DEPTH + 1}), [*sizes(gain)], [*sizes(1.0)]]).T\nprint(shown)\n"
    )
