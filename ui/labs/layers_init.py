"""Layers lab: how a matrix is drawn before training, Xavier's way and torch.nn.Linear's own."""

import math

import numpy as np
import streamlit as st
import torch
from torch import nn

from transformer_core import make_model
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import chart
from ui.figures.arithmetic import number
from ui.figures.layers import histograms
from ui.shell import Chapter


def shape_of(matrix: str, d_model: int, d_ff: int) -> tuple[int, int]:
    """(outputs, inputs) of the layer."""
    return {"query": (d_model, d_model), "w_1": (d_ff, d_model), "w_2": (d_model, d_ff)}[matrix]


def limits(outputs: int, inputs: int) -> dict[str, float]:
    """Both draw uniformly from ± a limit: Xavier's √(6 / (inputs + outputs)), the default's √(1 / inputs)."""
    return {"xavier": math.sqrt(6 / (inputs + outputs)), "default": math.sqrt(1 / inputs)}


def drawn(outputs: int, inputs: int, seed: int) -> dict[str, np.ndarray]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layer = nn.Linear(inputs, outputs)  # drawn by default
        default = layer.weight.detach().clone()
        nn.init.xavier_uniform_(layer.weight)
    return {"xavier": layer.weight.detach().numpy(), "default": default.numpy()}


def init_lab(chapter: Chapter) -> None:
    say, config = chapter.say, chapter.at_hand.config
    left, right = st.columns(2)
    with left:
        matrix = controls.choose(chapter, "matrix")
    with right:
        seed = controls.slider(chapter, "first_seed", 0, 100)
    outputs, inputs = shape_of(matrix, config.d_model, config.d_ff)
    weights, ends = drawn(outputs, inputs, seed), limits(outputs, inputs)
    groups = {say(f"init_option.{name}"): values.ravel() for name, values in weights.items()}
    picture = histograms(groups, list(ends.values()), chapter.mode, say("first.value"), say("first.share"))
    chart(chapter, "first", picture, alt=say("first.alt"))
    spreads = {name: number(float(values.std())) for name, values in weights.items()}
    expected = {f"{name}_expected": number(end / math.sqrt(3)) for name, end in ends.items()}
    chapter.write("first.measured", **spreads, **expected)
    caption(
        chapter,
        "first",
        f"{provenance(f'nn.Linear({inputs}, {outputs}).weight', outputs, inputs)} · seed {seed}",
        numbers=np.stack([weights["xavier"].ravel(), weights["default"].ravel()], axis=1),
        columns=[say("init_option.xavier"), say("init_option.default")],
        code=[make_model, nn.Linear.reset_parameters],
        snippet=init_snippet(outputs, inputs, seed),
    )


def init_snippet(outputs: int, inputs: int, seed: int) -> str:
    return (
        f"import torch\n\ntorch.manual_seed({seed})\nlayer = torch.nn.Linear({inputs}, {outputs})\n"
        "default = layer.weight.detach().clone()\ntorch.nn.init.xavier_uniform_(layer.weight)\n"
        "shown = torch.stack([layer.weight.detach(), default])\nprint(shown.std(dim=(1, 2)))\n"
    )
