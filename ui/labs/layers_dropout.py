"""Layers lab: dropout as a sampler, on what a sub-layer is about to add."""

import numpy as np
import streamlit as st
import torch

from transformer_core.dropout import dropout_steps
from ui import controls
from ui.caption import caption
from ui.drawing import board, chart
from ui.figures.arithmetic import number
from ui.figures.board import Panel, Source
from ui.figures.curves import curves
from ui.figures.layer_arithmetic import thinned
from ui.labs.attention_values import Sequences
from ui.labs.layers_places import Place, dimensions, recording_snippet, vector_grid
from ui.predict import predict_number
from ui.recorded import recorded
from ui.shell import Chapter

PLACE = Place("encoder", 0, 0)
DRAWS = 1000


def dropout_lab(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    if not predict_number(chapter, "ask_drop", 1.0, {"ask_drop.unchanged": 0.9, "ask_drop.smaller": 0.81}):
        return
    left, middle, right = st.columns(3)
    with left:
        p = controls.slider(chapter, "p", step=0.05)
    with middle:
        seed = controls.slider(chapter, "seed", 0, 100)
    with right:
        dims = dimensions(chapter, "drop_from")
    x = recorded(chapter.at_hand, sequences.src, sequences.given)[f"{PLACE.path}.branch"][0]
    steps = dropout_steps(x, p, torch.Generator().manual_seed(seed))
    high = float(x.abs().max()) * steps.factor
    grid = vector_grid(chapter, PLACE.tokens(sequences), dims) | {"high": high}
    panels = [
        Panel("x", x.numpy()[:, dims], say("dropout.x"), **grid),
        Panel("dropped", steps.output.numpy()[:, dims], say("dropout.dropped"), place=(1, 0),
              vacant=~steps.keep.numpy()[:, dims], sources=[Source("x")], **grid),
    ]  # fmt: skip
    chosen = board(
        chapter, "dropout", panels, cell="drop_cell", alt=say("dropout.alt"), vacant=say("dropout.zero")
    ).chosen
    row, column = (chosen[1], dims[chosen[2]]) if chosen else (0, dims.start)
    value = float(x[row, column])
    if chosen:
        st.html(thinned(f"out<sub>{row},{column}</sub>", value, bool(steps.keep[row, column]), p))
    recording = recording_snippet(at_hand, sequences)
    chapter.write(
        "dropout.measured",
        p=f"{p:.0%}",
        share=f"{float((~steps.keep).float().mean()):.1%}",
        factor=number(steps.factor),
        trained=f"{at_hand.config.dropout:g}",
    )
    caption(
        chapter,
        "dropout",
        f"{at_hand.provenance(f'{PLACE.path}.branch', *x.shape)} · dropout seed {seed}",
        numbers=steps.output.numpy(),
        code=[dropout_steps],
        snippet=dropout_snippet(recording, p, seed),
    )
    mean_part(chapter, value, (row, column), p, seed, recording)


def dropout_snippet(recording: str, p: float, seed: int) -> str:
    return (
        f"{recording}x = trace['{PLACE.path}.branch'][0]\n"
        f"generator = torch.Generator().manual_seed({seed})\n"
        f"keep = torch.rand(x.shape, generator=generator) >= {p}\n"
        f"shown = x * keep / (1 - {p})\nprint(shown)\n"
    )


def mean_part(chapter: Chapter, value: float, cell: tuple[int, int], p: float, seed: int, recording: str) -> None:
    """One number, drawn again and again: the mean of the draws so far comes back to it."""
    say = chapter.say
    draws = dropout_steps(torch.full((DRAWS,), value), p, torch.Generator().manual_seed(seed)).output.numpy()
    origin = chapter.at_hand.provenance(f"{PLACE.path}.branch[0, {cell[0]}, {cell[1]}]")
    counts = np.arange(1, DRAWS + 1)
    means = np.cumsum(draws) / counts
    shown = np.unique(np.geomspace(1, DRAWS, 200).astype(int)) - 1
    picture = curves(
        counts[shown],
        {say("mean.mean"): means[shown]},
        chapter.mode,
        x_title=say("mean.draws"),
        y_title=say("mean.mean"),
        levels={"": value},
        log_x=True,
    )
    chart(chapter, "mean", picture, alt=say("mean.alt"))
    chapter.write("mean.measured", draws=DRAWS, mean=number(float(means[-1])), value=number(value))
    caption(
        chapter,
        "mean",
        f"{origin} · {DRAWS} × dropout_steps({p:g}) · dropout seed {seed}",
        numbers=np.stack([counts, draws, means], axis=1),
        columns=[say("mean.draws"), say("mean.draw"), say("mean.mean")],
        code=[dropout_steps],
        snippet=mean_snippet(recording, cell, p, seed),
    )


def mean_snippet(recording: str, cell: tuple[int, int], p: float, seed: int) -> str:
    return (
        f"{recording}value = trace['{PLACE.path}.branch'][0, {cell[0]}, {cell[1]}]\n"
        f"generator = torch.Generator().manual_seed({seed})\n"
        f"draws = value * (torch.rand({DRAWS}, generator=generator) >= {p}) / (1 - {p})\n"
        f"shown = draws.cumsum(0) / torch.arange(1, {DRAWS} + 1)\nprint(shown)\n"
    )
