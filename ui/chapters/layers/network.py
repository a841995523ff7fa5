"""One linear layer on its own; and the feed-forward network, of which every position has the same one."""

import math
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor, nn

from transformer_core import PositionwiseFeedForward
from transformer_core.feed_forward import FeedForwardSteps
from transformer_core.random_seed import Seeded
from ui.chapters.layers.places import columns, dimensions, place_control, token_rows, tokens_in, trace_of, vector_grid
from ui.chapters.shared.attention_values import recording
from ui.figures import (
    TWO_COLORS,
    Board,
    Dots,
    Figure,
    Operand,
    Panel,
    Style,
    XAxis,
    YAxis,
    curves,
    number,
    paper,
    runnable,
)
from ui.figures.board import nearest
from ui.figures.formula import Formula, I, J, Matrix, relu
from ui.sections import Chapter, Choice, Section, controls, predict, provenance, show
from ui.settings.fields import CellSetting, Settings, cell, choice, whole, window
from ui.theme import css

ROWS, INPUTS, OUTPUTS = 128, 20, 30  # the notes' example
LINEAR_SHOWN = 8  # rows of the batch at a time


class Linear(Settings):
    linear_from: int = whole(0, 0, ROWS - LINEAR_SHOWN)  # the first row of the batch that is shown
    linear_seed: int = whole(0, 0, 9999)


@Section("linear", settings=Linear, cell="linear_cell", text="text")
def linear(chapter: Chapter[Linear]) -> None:
    first, seed = controls.side_by_side(chapter, linear_from={"step": 8}, linear_seed={"high": 100})
    values = computed(seed)
    chapter.write("linear.shapes", **{name: tuple(value.shape) for name, value in values.items()})
    figure = Figure(
        "linear",
        Board(_panels(chapter, first, values), result="y"),
        f"{provenance(f'nn.Linear({INPUTS}, {OUTPUTS})(x)', ROWS, OUTPUTS)} · seed {seed}",
        code=[nn.Linear],
        program=runnable(computed, seed, then="['y']"),
    )
    show(chapter, figure)


def computed(seed: int) -> dict[str, Tensor]:
    """The layer as PyTorch starts it, a batch of 128 vectors, and what the layer makes of them."""
    with Seeded(seed), torch.no_grad():
        layer, x = nn.Linear(INPUTS, OUTPUTS), torch.randn(ROWS, INPUTS)
        return {"x": x, "weight": layer.weight.detach(), "bias": layer.bias.detach(), "y": layer(x)}


def _panels(chapter: Chapter[Linear], first: int, values: dict[str, Tensor]) -> list[Panel]:
    say, (x, weight, bias, y) = chapter.say, (value.numpy() for value in values.values())
    rows, inputs, outputs = (
        [str(i) for i in range(start, end)] for start, end in ((first, first + LINEAR_SHOWN), (0, INPUTS), (0, OUTPUTS))
    )
    batch: dict[str, Any] = {
        "row_labels": rows,
        "row_axis": say("linear.row"),
        "window": (slice(first, first + LINEAR_SHOWN), slice(None)),
    }
    of_inputs: dict[str, Any] = {"col_labels": inputs, "col_axis": say("linear.input"), "digits": 4}
    of_outputs: dict[str, Any] = {"col_labels": outputs, "col_axis": say("linear.output_column"), "digits": 4}
    made = layer("x", "weight", "bias", INPUTS)
    high = float(abs(y).max())  # one scale for all windows
    return [
        Panel("x", x, "x", **batch, **of_inputs),
        Panel("weight", weight, "W", outputs, row_axis=say("linear.output"), place=(1, 0), symbol="W", **of_inputs),
        Panel("y", y, "y = x Wᵀ + b", high=high, place=(0, 1), made=made, **batch, **of_outputs),
        Panel("bias", bias[None], "b", place=(1, 1), symbol="b", **of_outputs),
    ]


SHOWN = 256  # neurons side by side
WEIGHTS = {"before": "w_1", "out": "w_2"}  # by the panel that they make


ASK_ORDER = Choice("ask_order", ("swapped", "changed", "same"), right="swapped")


class Network(Settings):
    network: int = whole(0, 0, 99)
    network_from: int = window(9999)
    neuron: int = window(9999)
    order: str = choice("typed", "typed", "reversed", "rotated")
    position: int = whole(1, 0, 99)
    network_cell: CellSetting = cell()


class NetworkRun(NamedTuple):
    """The network on the rows of one sequence, in the order of the figure."""

    network: PositionwiseFeedForward
    x: Tensor  # (length, d_model)
    order: list[int]  # row i of the figure is position order[i] of the sequence
    steps: FeedForwardSteps  # of the rows as they stand, each (1, length, ·)
    moved: float  # largest difference to computing first and reordering afterwards


def run(network: PositionwiseFeedForward, x: Tensor, order: list[int]) -> NetworkRun:
    """x (1, length, d_model), its rows put into `order` before the network sees them."""
    with torch.no_grad():
        steps, typed = network.steps(x[:, order]), network.steps(x)
    return NetworkRun(network, x[0, order], order, steps, float((steps.output - typed.output[:, order]).abs().max()))


def ordered(name: str, length: int) -> list[int]:
    positions = list(range(length))
    return {"typed": positions, "reversed": positions[::-1], "rotated": positions[1:] + positions[:1]}[name]


@Section("network", settings=Network, text="text", asks=(ASK_ORDER,))
def feed_forward(chapter: Chapter[Network]) -> None:
    """The other orders of the rows are offered once the reader has predicted what they do, or a link asks for one."""
    say, at_hand = chapter.say, chapter.at_hand
    answered = predict(chapter, ASK_ORDER)
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        place = place_control(chapter, "network", "feed_forward")
        dims = dimensions(chapter, "network_from")
    with right:
        order = chapter.settings.order
        if answered or order != "typed":
            order = controls.choose(chapter, "order")
    path = f"{place.stack}.layers.{place.n}.feed_forward"
    network = at_hand.load().get_submodule(path)
    assert isinstance(network, PositionwiseFeedForward)
    x = trace_of(chapter)[f"{place.path}.given"]
    result = run(network, x, ordered(order, x.size(1)))
    tokens = [tokens_in(chapter, place.stack)[at] for at in result.order]
    neurons = network.w_1.out_features
    with right:
        first = controls.slider(chapter, "neuron", 0, max(0, neurons - SHOWN))
    shown = range(first, min(first + SHOWN, neurons))
    hidden = result.steps.hidden
    program = recording(at_hand, chapter.typed)
    figure = Figure(
        "network",
        _board(chapter, result, tokens, dims, shown),
        at_hand.provenance(f"{path}.hidden", *hidden.shape),
        code=[PositionwiseFeedForward],
        program=program + network_program(path, f"{place.path}.given", result.order),
    )
    show(chapter, figure)
    if order != "typed":
        st.info(say("network.moved", moved=number(result.moved, 2)))
    fires = hidden[0] > 0  # (length, d_ff)
    chapter.write(
        "network.measured", share=f"{float(fires.float().mean()):.0%}", neurons=neurons,
        never=int((~fires.any(0)).sum()), always=int(fires.all(0).sum()),
    )  # fmt: skip
    _relu(chapter, result, tokens, path, program)
    matrices = [weight for weight in at_hand.load().parameters() if weight.dim() > 1]
    last_rows = Counter(weight[-1].detach().numpy().tobytes() for weight in matrices)
    alone = sum(count == 1 for count in last_rows.values())
    chapter.write("network.shared", matrices=len(matrices), different=alone)


def _board(chapter: Chapter[Network], result: NetworkRun, tokens: list[str], dims: range, shown: range) -> Board:
    """x, both sides of the ReLU, the output; and of the matrix behind the chosen cell the weights that made it."""
    say, steps, network = chapter.say, result.steps, result.network
    of_dims = vector_grid(chapter, tokens, dims)
    of_neurons = token_rows(chapter, tokens) | columns(shown, say("neuron_axis"))
    before, hidden, out = (values[0].numpy() for values in steps)
    panels = [
        Panel("x", result.x.numpy(), say("network.x"), **of_dims),
        Panel("before", before, say("network.before"), place=(1, 0), symbol="z",
              made=layer("x", "w_1", "b_1", network.w_1.in_features), **of_neurons),
        Panel("hidden", hidden, say("network.hidden"), place=(2, 0), scale="magnitude", symbol="h",
              made=relu(Matrix("before")[I, J]), **of_neurons),
        Panel("out", out, say("network.out"), place=(3, 0), symbol="y",
              made=layer("hidden", "w_2", "b_2", network.w_2.in_features), **of_dims),
    ]  # fmt: skip
    weights = {"w_1": (network.w_1, shown, of_dims), "w_2": (network.w_2, dims, of_neurons)}
    chosen = nearest(panels, chapter.settings.network_cell)
    operands = []
    for at, (name, (linear, outputs, inputs)) in enumerate(weights.items(), 1):
        values, symbol = linear.weight.detach().numpy(), f"{'W₁' if at == 1 else 'W₂'}^T"
        if chosen and WEIGHTS.get(chosen[0]) == name:
            index = outputs[chosen[2]]
            across = {"col_labels": inputs["col_labels"], "col_axis": inputs["col_axis"], "digits": 4}
            title = say("network.weights", name=symbol[:2], index=index)
            rows = slice(index, index + 1), inputs["window"][1]
            panels.append(Panel(name, values, title, symbol=symbol, window=rows, place=(4, 0), **across))
        else:
            operands.append(Operand(name, values, symbol))
        operands.append(Operand(f"b_{at}", linear.bias.detach().numpy()[None]))
    return Board(panels, operands, result="hidden")


def layer(x: str, weight: str, bias: str, inputs: int) -> Formula:
    """x W + b, with W as PyTorch keeps it: outputs × inputs, the transpose of the paper's."""
    return paper.linear(Matrix(x), Matrix(weight), Matrix(bias), inputs)


def network_program(path: str, x: str, order: list[int]) -> str:
    return (
        f"x, network = trace['{x}'][0, {order}], model.get_submodule('{path}')\n"
        "before = (x @ network.w_1.weight.T + network.w_1.bias).detach()\n"
        "shown = before.clamp(min=0)\n"
        "out = (shown @ network.w_2.weight.T + network.w_2.bias).detach()\n"
        "print(before, out, shown, sep='\\n')\n"
    )


def _relu(chapter: Chapter[Network], result: NetworkRun, tokens: list[str], path: str, program: str) -> None:
    """max(0, x), with every neuron's number on it, at one position."""
    say = chapter.say
    row = controls.slider(chapter, "position", 0, len(tokens) - 1)
    before, position = result.steps.pre_activation[0, row].numpy(), result.order[row]
    numbers = np.stack([before, np.maximum(before, 0)], axis=1)
    reach = float(np.abs(before).max()) * 1.1
    dots = {}
    for name, kept, ink in zip(("silent", "fires"), (before <= 0, before > 0), TWO_COLORS):
        written = [f"{say('relu.neuron')} {at}: {number(a)} → {number(b)}" for at, (a, b) in
                   zip(np.flatnonzero(kept), numbers[kept].tolist())]  # fmt: skip
        x, y = numbers[kept].T
        dots[say(f"relu.{name}")] = Dots(x, y, ink, written=written)
    line = np.array([-reach, 0, reach])
    picture = curves(
        np.array([-math.ceil(reach), math.ceil(reach)]),
        {"max(0, x)": (line, np.maximum(line, 0))},
        dots=dots,
        x_axis=XAxis(say("relu.before")),
        y_axis=YAxis(say("relu.after")),
        style=Style(colors=[css("quiet")]),
        height=300,
    )
    figure = Figure(
        "relu",
        picture,
        chapter.at_hand.provenance(f"{path}.pre_activation[0, {position}]", before.size),
        numbers=numbers,
        columns=[say("relu.before"), say("relu.after")],
        code=[PositionwiseFeedForward.steps],
        program=f"{program}before = trace['{path}.pre_activation'][0, {position}]\n"
        "shown = torch.stack([before, before.clamp(min=0)], dim=1)\nprint(shown)\n",
        alt=say("relu.alt", token=tokens[row]),
    )
    show(chapter, figure)
    chapter.write("relu.measured", token=tokens[row], fires=int((before > 0).sum()), neurons=before.size)
