"""Layers lab: the feed-forward network of one layer; which neurons fire, and that every position has the same one."""

from typing import NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import PositionwiseFeedForward
from transformer_core.feed_forward import FeedForwardSteps
from ui import controls
from ui.caption import caption
from ui.drawing import board, chart, write_sums
from ui.figures.arithmetic import number, projected
from ui.figures.board import Panel, Source
from ui.figures.layer_arithmetic import rectified
from ui.figures.layers import relu_curve
from ui.labs.attention_values import Sequences
from ui.labs.layers_places import dimensions, place_control, recording_snippet, vector_grid
from ui.predict import predict_choice
from ui.recorded import recorded
from ui.shell import Chapter

WINDOW = 256  # neurons side by side


class Run(NamedTuple):
    """The network on the rows of one sequence, in the order of the figure."""

    network: PositionwiseFeedForward
    x: Tensor  # (length, d_model)
    order: list[int]  # row i of the figure is position order[i] of the sequence
    steps: FeedForwardSteps  # of the rows as they stand, each (1, length, ·)
    moved: float  # largest difference to computing first and reordering afterwards


def run(network: PositionwiseFeedForward, x: Tensor, order: list[int]) -> Run:
    """x (1, length, d_model), its rows put into `order` before the network sees them."""
    with torch.no_grad():
        steps, typed = network.steps(x[:, order]), network.steps(x)
    return Run(network, x[0, order], order, steps, float((steps.output - typed.output[:, order]).abs().max()))


def ordered(name: str, length: int) -> list[int]:
    positions = list(range(length))
    return {"typed": positions, "reversed": positions[::-1], "rotated": positions[1:] + positions[:1]}[name]


def network_lab(chapter: Chapter, sequences: Sequences) -> None:
    """The other orders of the rows are offered once the reader has predicted what they do, or a link asks for one."""
    say, at_hand = chapter.say, chapter.at_hand
    answered = predict_choice(chapter, "ask_order", ("swapped", "changed", "same"), "swapped")
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        place = place_control(chapter, "network", "feed_forward")
        dims = dimensions(chapter, "network_from")
    with right:
        order = chapter.settings.order
        if answered or order != "typed":
            order = controls.choose(chapter, "order")
    path = f"{place.stack}.layers.{place.n}.feed_forward"
    network = at_hand.model.get_submodule(path)
    assert isinstance(network, PositionwiseFeedForward)
    entering = "norm.output" if place.wrapper(at_hand.model).norm_first else "input"
    x = recorded(chapter.at_hand, sequences.src, sequences.given)[f"{place.path}.{entering}"]
    result = run(network, x, ordered(order, x.size(1)))
    tokens = [place.tokens(sequences)[at] for at in result.order]
    neurons = network.w_1.out_features
    with right:
        first = controls.slider(chapter, "neuron", 0, max(0, neurons - WINDOW))
    panels = network_panels(chapter, result, tokens, dims, first, chapter.settings.network_cell)
    chosen = board(chapter, "network", panels, cell="network_cell", alt=say("network.alt")).chosen
    if chosen:
        write_sums(chapter, arithmetic(result, dims.start, first, chosen))
    if order != "typed":
        st.info(say("network.moved", moved=number(result.moved, 2)))
    fires = result.steps.hidden[0] > 0  # (length, d_ff)
    chapter.write(
        "network.measured", share=f"{float(fires.float().mean()):.0%}", neurons=neurons,
        never=int((~fires.any(0)).sum()), always=int(fires.all(0).sum()),
    )  # fmt: skip
    recording = recording_snippet(at_hand, sequences)
    caption(
        chapter,
        "network",
        at_hand.provenance(f"{path}.hidden", *result.steps.hidden.shape),
        numbers=result.steps.hidden[0].numpy(),
        code=[PositionwiseFeedForward],
        snippet=network_snippet(recording, path, f"{place.path}.{entering}", result.order),
    )
    relu_part(chapter, result, tokens, path, recording)


def relu_part(chapter: Chapter, result: Run, tokens: list[str], path: str, recording: str) -> None:
    say = chapter.say
    row = controls.slider(chapter, "position", 0, len(tokens) - 1)
    before = result.steps.pre_activation[0, row].numpy()
    names = {name: say(f"relu.{name}") for name in ("silent", "fires", "neuron", "before", "after")}
    chart(chapter, "relu", relu_curve(before, chapter.mode, names), alt=say("relu.alt", token=tokens[row]))
    chapter.write("relu.measured", token=tokens[row], fires=int((before > 0).sum()), neurons=before.size)
    caption(
        chapter,
        "relu",
        chapter.at_hand.provenance(f"{path}.pre_activation[0, {result.order[row]}]", before.size),
        numbers=np.stack([before, np.maximum(before, 0)], axis=1),
        columns=[say("relu.before"), say("relu.after")],
        code=[PositionwiseFeedForward.steps],
        snippet=relu_snippet(recording, path, result.order[row]),
    )


def network_panels(
    chapter: Chapter, result: Run, tokens: list[str], dims: range, first: int, cell: tuple[str, int, int] | None
) -> list[Panel]:
    """x, both sides of the ReLU, the count of firing neurons, the output; and the row of weights behind the choice."""
    say, steps = chapter.say, result.steps
    window = slice(first, first + WINDOW)
    before, hidden = (values[0, :, window].numpy() for values in (steps.pre_activation, steps.hidden))
    neurons = [str(first + j) for j in range(before.shape[1])]
    of_dims = vector_grid(chapter, tokens, dims)
    of_neurons = of_dims | {"col_labels": neurons, "col_axis": say("neuron_axis")}
    all_of_row = (Source("hidden", "row", "all"),)
    panels = [
        Panel("x", result.x.numpy()[:, dims], say("network.x"), **of_dims),
        Panel("before", before, say("network.before"), place=(1, 0), sources=[Source("x", "row", "all")], **of_neurons),
        Panel(
            "hidden",
            hidden,
            say("network.hidden"),
            place=(2, 0),
            scale="magnitude",
            sources=[Source("before")],
            **of_neurons,
        ),
        Panel("out", steps.output[0].numpy()[:, dims], say("network.out"), place=(3, 0), sources=all_of_row, **of_dims),
    ]
    if cell and cell[0] in ("before", "out"):
        linear = result.network.w_1 if cell[0] == "before" else result.network.w_2
        index = cell[2] + (first if cell[0] == "before" else dims.start)
        if index < linear.out_features:
            weights = linear.weight.detach()[index, window if cell[0] == "out" else slice(dims.start, dims.stop)]
            title = say("network.weights", name="W₁" if cell[0] == "before" else "W₂", index=index)
            labels = neurons if cell[0] == "out" else of_dims["col_labels"]
            panels.append(Panel("weights", weights.numpy()[None], title, col_labels=labels, place=(4, 0), digits=4))
    return panels


def arithmetic(result: Run, dimension: int, first: int, cell: tuple[str, int, int]) -> str:
    """`dimension` and `first` are those of the first column of the panels of dimensions and of neurons."""
    panel, row, column = cell
    steps, network = result.steps, result.network
    if panel in ("weights", "x"):
        return ""
    if panel == "hidden":
        neuron = first + column
        return rectified(f"hidden<sub>{row},{neuron}</sub>", float(steps.pre_activation[0, row, neuron]))
    linear, x, at, name = (
        (network.w_1, result.x[row], first + column, "before")
        if panel == "before"
        else (network.w_2, steps.hidden[0, row], dimension + column, "out")
    )
    return projected(f"{name}<sub>{row},{at}</sub>", x.tolist(), linear.weight[at].tolist(), linear.bias[at].item())


def network_snippet(recording: str, path: str, x: str, order: list[int]) -> str:
    return (
        f"{recording}x = trace['{x}'][:, {order}]\n"
        f"network = model.get_submodule('{path}')\n"
        "with torch.no_grad():\n"
        "    before = (x @ network.w_1.weight.T + network.w_1.bias)[0]\n"
        "    shown = before.clamp(min=0)\n"
        "    out = shown @ network.w_2.weight.T + network.w_2.bias\n"
        "print(before, shown, out, sep='\\n')\n"
    )


def relu_snippet(recording: str, path: str, position: int) -> str:
    return (
        f"{recording}before = trace['{path}.pre_activation'][0, {position}]\n"
        "shown = torch.stack([before, before.clamp(min=0)], dim=1)\nprint(shown)\n"
    )
