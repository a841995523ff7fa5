"""Dropout as a sampler, on what a sub-layer is about to add."""

import numpy as np
import streamlit as st
import torch

from transformer_core.dropout import drop, dropout_steps
from ui.chapters.layers.places import Place, dimensions, vector_grid
from ui.chapters.layers.questions import DROP
from ui.chapters.shared.attention_programs import recording
from ui.figures.board import Operand, Panel
from ui.figures.curves import curves
from ui.figures.figure import Board, Figure
from ui.figures.formula import I, J, Matrix, Number
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.model.recorded import recorded
from ui.page import controls
from ui.page.predict import predict
from ui.reading.sequences import Sequences
from ui.showing.show import show

PLACE = Place("encoder", 0, 0)
BRANCH = f"{PLACE.path}.branch"
DRAWS = 1000


def dropout_lab(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    if not predict(chapter, DROP):
        return
    left, middle, right = st.columns(3)
    with left:
        p = controls.slider(chapter, "p", step=0.05)
    with middle:
        seed = controls.slider(chapter, "seed", 0, 100)
    with right:
        dims = dimensions(chapter, "drop_from")
    x = recorded(at_hand, sequences.src, sequences.given)[BRANCH][0]
    steps = dropout_steps(x, p, torch.Generator().manual_seed(seed))
    grid = vector_grid(chapter, PLACE.tokens(sequences), dims) | {"high": float(x.abs().max()) * steps.factor}
    panels = [
        Panel("x", x.numpy(), say("dropout.x"), **grid),
        Panel("dropped", steps.output.numpy(), say("dropout.dropped"), place=(1, 0), symbol="x′",
              made=Matrix("keep")[I, J] * Matrix("x")[I, J] / (1 - Number(p, "p")),
              vacant=~steps.keep.numpy()[:, dims], **grid),
    ]  # fmt: skip
    board = Board(panels, [Operand("keep", steps.keep.numpy(), "m")], cell="drop_cell", vacant=say("dropout.zero"))
    program = f"{recording(at_hand, sequences)}x = trace['{BRANCH}'][0]\n"
    figure = Figure(
        "dropout",
        board,
        say("dropout.alt"),
        f"{at_hand.provenance(BRANCH, *x.shape)} · dropout seed {seed}",
        code=[dropout_steps, drop],
        program=f"{program}keep = torch.rand(x.shape, generator=torch.Generator().manual_seed({seed})) >= {p}\n"
        f"shown = x * keep / (1 - {p})\nprint(shown)\n",
    )
    chosen = show(chapter, figure).chosen
    chapter.write(
        "dropout.measured",
        p=f"{p:.0%}",
        share=f"{float((~steps.keep).float().mean()):.1%}",
        factor=number(steps.factor),
    )
    if at_hand.step is not None:
        chapter.write("dropout.trained", trained=f"{at_hand.config.dropout:g}")
    cell = (chosen[1], dims[chosen[2]]) if chosen else (0, dims.start)
    mean_part(chapter, float(x[cell]), cell, p, seed, program)


def mean_part(chapter: Chapter, value: float, cell: tuple[int, int], p: float, seed: int, program: str) -> None:
    """One number, drawn again and again: the mean of the draws so far comes back to it."""
    say, (row, column) = chapter.say, cell
    draws = dropout_steps(torch.full((DRAWS,), value), p, torch.Generator().manual_seed(seed)).output.numpy()
    counts = np.arange(1, DRAWS + 1)
    means = np.cumsum(draws, dtype=np.float64) / counts
    shown = np.unique(np.geomspace(1, DRAWS, 200).astype(int)) - 1
    picture = curves(
        counts[shown],
        {say("mean.mean"): means[shown]},
        x_title=say("mean.draws"),
        y_title=say("mean.mean"),
        levels={"": value},
        log_x=True,
    )
    origin = chapter.at_hand.provenance(f"{BRANCH}[0, {row}, {column}]")
    figure = Figure(
        "mean",
        picture,
        say("mean.alt"),
        f"{origin} · {DRAWS} × dropout_steps({p:g}) · dropout seed {seed}",
        numbers=np.stack([counts, draws, means], axis=1),
        columns=[say("mean.draws"), say("mean.draw"), say("mean.mean")],
        code=[dropout_steps, drop],
        program=f"{program}counts = torch.arange(1, {DRAWS} + 1)\n"
        f"keep = torch.rand({DRAWS}, generator=torch.Generator().manual_seed({seed})) >= {p}\n"
        f"draws = x[{row}, {column}].double() * keep / (1 - {p})\n"
        "shown = torch.stack([counts, draws, draws.cumsum(0) / counts], dim=1)\nprint(shown)\n",
    )
    show(chapter, figure)
    chapter.write("mean.measured", draws=DRAWS, mean=number(float(means[-1])), value=number(value))
