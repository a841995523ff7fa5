"""The scores from the top of the page at nine temperatures."""

import numpy as np
import streamlit as st
import torch

from transformer_core.experiments.score_size import sharpness
from ui.chapters.scaling.scores import OfScores, scores_of
from ui.figures import Board, Figure, Operand, Panel, ProgramArgument, runnable
from ui.figures.formula import Cases, I, K, Matrix, by_row, ln, total
from ui.figures.paper import softmax
from ui.sections import AnyChapter, Frame, Section, provenance, show

TEMPERATURES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


@Section("warm", cell="warm_cell", reads=(OfScores, Frame), text="text")
def warm(chapter: AnyChapter) -> None:
    say = chapter.say
    given = scores_of(chapter.of(OfScores))
    if given is None:
        st.warning(say("needs_scores"))
        return
    scores, temperatures = (torch.tensor(values, dtype=torch.float64) for values in (given.values, TEMPERATURES))
    found = sharpness(scores, 1 / temperatures)
    s, t = Matrix("scores"), Matrix("T")
    panels = [
        Panel(
            "temperatures",
            found.probabilities.numpy(),
            say("probabilities"),
            [f"{value:g}" for value in TEMPERATURES],
            given.columns,
            say("temperature_axis"),
            say("score_axis"),
            scale="probability",
            print_values=True,
            made=softmax(lambda at: s[0, at] / t[I, 0], len(scores)),
            symbol="p",
        ),
        Panel(
            "entropies",
            found.entropy.unsqueeze(1).numpy(),
            say("curve.entropy"),
            scale="magnitude",
            high=float(np.log(len(scores))),
            place=(0, 1),
            print_values=True,
            made=_entropies(found.probabilities.numpy()),
            symbol="H",
        ),
    ]
    operands = [Operand("scores", scores.unsqueeze(0).numpy(), "s"), Operand("T", temperatures.unsqueeze(1).numpy())]
    figure = Figure(
        "warm",
        Board(panels, operands, result="temperatures"),
        provenance("sharpness(scores, 1 / T)", *found.probabilities.shape),
        columns=panels[0].col_labels,
        code=[sharpness],
        program=runnable(sharpness, ProgramArgument("scores", given.program), 1 / temperatures, then=".probabilities"),
    )
    show(chapter, figure)


def _entropies(probabilities: np.ndarray) -> Cases:
    """−Σ p ln p of each row, over the probabilities that are not 0 as they travel, in float32: 0 ln 0 counts as 0."""
    p = Matrix("temperatures")[I, K]
    return by_row(*(-total(K, np.flatnonzero(row).tolist(), p * ln(p)) for row in probabilities.astype(np.float32)))
