"""Layers lab: one linear layer on its own, y = x Wᵀ + b, as PyTorch keeps it."""

from functools import partial

import streamlit as st
import torch
from torch import Tensor, nn

from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board, write_sums
from ui.figures.arithmetic import projected
from ui.figures.board import Cell, Panel, Source
from ui.shell import Chapter

ROWS, INPUTS, OUTPUTS = 128, 20, 30  # the notes' example
SHOWN = 8  # rows of the batch at a time


def linear_lab(chapter: Chapter) -> None:
    left, right = st.columns(2)
    with left:
        first = controls.slider(chapter, "linear_from", step=8)
    with right:
        seed = controls.slider(chapter, "linear_seed", 0, 100)
    layer, x = drawn(seed)
    weight, bias = layer.weight.detach(), layer.bias.detach()
    with torch.no_grad():
        y = layer(x)
    shapes = {"x": x, "weight": weight, "bias": bias, "y": y}
    chapter.write("linear.shapes", **{name: tuple(value.shape) for name, value in shapes.items()})
    picture = panels(chapter, first, x, weight, bias, y)
    pointed = board(chapter, "linear", picture, cell="linear_cell", alt=chapter.say("linear.alt"))
    if pointed.chosen:
        write_sums(chapter, arithmetic_of(pointed.chosen, first, x, weight, bias))
    caption(
        chapter,
        "linear",
        f"{provenance(f'nn.Linear({INPUTS}, {OUTPUTS})(x)', *y.shape)} · seed {seed}",
        numbers=y.numpy(),
        code=[nn.Linear],
        snippet=linear_snippet(seed),
    )


def drawn(seed: int) -> tuple[nn.Linear, Tensor]:
    """The layer as PyTorch starts it, and a batch of 128 vectors."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Linear(INPUTS, OUTPUTS), torch.randn(ROWS, INPUTS)


def panels(chapter: Chapter, first: int, x: Tensor, weight: Tensor, bias: Tensor, y: Tensor) -> list[Panel]:
    say = chapter.say
    rows, inputs, outputs = (
        [str(i) for i in range(start, end)] for start, end in ((first, first + SHOWN), (0, INPUTS), (0, OUTPUTS))
    )
    signed = partial(Panel, digits=4)
    high = float(y.abs().max())  # one scale for all windows
    return [
        signed("x", x[first:][:SHOWN].numpy(), "x", rows, inputs, say("linear.row"), say("linear.input")),
        signed("weight", weight.numpy(), "W", outputs, inputs, say("linear.output"), say("linear.input"), place=(1, 0)),
        signed(
            "y",
            y[first:][:SHOWN].numpy(),
            "y = x Wᵀ + b",
            rows,
            outputs,
            say("linear.row"),
            say("linear.output_column"),
            high=high,
            place=(0, 1),
            sources=[Source("x", "row", "all"), Source("weight", "column", "all"), Source("bias", (0,), "column")],
        ),
        signed("bias", bias[None].numpy(), "b", [], outputs, "", say("linear.output_column"), place=(1, 1)),
    ]


def arithmetic_of(cell: Cell, first: int, x: Tensor, weight: Tensor, bias: Tensor) -> str:
    """A number of y: a row of x times a row of W, and one number of b."""
    panel, i, j = cell
    if panel != "y":
        return ""
    return projected(f"y[{first + i}, {j}]", x[first + i].tolist(), weight[j].tolist(), float(bias[j]))


def linear_snippet(seed: int) -> str:
    return (
        f"import torch\n\ntorch.manual_seed({seed})\nlayer = torch.nn.Linear({INPUTS}, {OUTPUTS})\n"
        f"x = torch.randn({ROWS}, {INPUTS})\nshown = (x @ layer.weight.T + layer.bias).detach()\n"
        "print(shown.shape, layer.weight.shape, torch.allclose(shown, layer(x), atol=1e-6))\n"
    )
