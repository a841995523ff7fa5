"""Scores times a factor, their softmax in steps, and its Jacobian against autograd's."""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import SoftmaxSteps, entropy, softmax_jacobian, softmax_steps
from transformer_core.experiments.score_size import sharpness
from transformer_core.softmax import autograd_jacobian, jacobian_norm
from ui import state
from ui.chapters.scaling import programs
from ui.chapters.scaling.notes import SHARP, notes
from ui.chapters.scaling.scores import OfScores, QueryScores, fields
from ui.figures import (
    Board,
    Curves,
    Figure,
    Marks,
    Panel,
    ProgramArgument,
    Style,
    XAxis,
    YAxis,
    curves,
    number,
    runnable,
)
from ui.figures.formula import I, K, Matrix, Named, Number, by_column, exp, largest, total
from ui.figures.paper import jacobian
from ui.sections import AnyChapter, Chapter, Choice, Frame, Section, controls, kept, provenance, show
from ui.settings.fields import CellSetting, cell, real
from ui.theme import css

WIDEST = 4.0  # times the largest score is the end of the colours: they stay where they are while the factor moves


class GradientStages(NamedTuple):
    """From the scores to the gradient of their softmax, float64; each (n,), the last two (n, n)."""

    scores: Tensor
    scaled: Tensor
    exponentials: Tensor
    probabilities: Tensor
    jacobian: Tensor
    difference: Tensor  # |analytic - autograd|


def steps_of(scores: tuple[float, ...], factor: float) -> GradientStages:
    x = torch.tensor(scores, dtype=torch.float64)
    steps = softmax_steps(factor * x)
    found = softmax_jacobian(steps.probabilities)
    difference = (found - autograd_jacobian(factor * x)).abs()
    return GradientStages(x, factor * x, steps.exponentials, steps.probabilities, found, difference)


class Steps(OfScores):
    factor: float = real(1.0, 0.0, 20.0)
    steps_cell: CellSetting = cell()


AT_STOPS = (
    Choice("ask_jacobian", ("half", "least", "beside"), right="half"),
    Choice("ask_eight", ("eightfold", "nothing", "one"), right="nothing"),
)


@Section("steps", settings=Steps, reads=(Frame,), sets=(notes.settings,), types=("src",), look="lead", lesson=AT_STOPS)
def steps(chapter: Chapter[Steps]) -> None:
    _, factor = controls.side_by_side(chapter, which_scores={}, factor={"step": 0.1})
    if not (chapter.frame.present or chapter.frame.at):
        act = chapter.then(partial(_beside_each_other, chapter))
        st.button(chapter.say("three"), on_click=act, icon=":material/grid_view:", type="tertiary", key="scaling.three")
    above = chapter.figure_first()
    scores = fields(chapter)
    if scores:
        _lab(chapter, above, scores, factor)
        chapter.write(f"steps.{scores.said}")
    chapter.write("steps.text")


def _beside_each_other(chapter: Chapter[Steps]) -> None:
    """The Jacobians of five scores at three factors, alone on the page. Who asks for the picture is shown the answer to
    its question, which is then nobody's."""
    others: AnyChapter = chapter.of(notes.settings)
    if getattr(others.settings, SHARP.name) is None:
        others.put(SHARP.name, SHARP.right)
    state.put(state.FRAME, "only", "notes")


class Lab(NamedTuple):
    steps: Figure
    curves: Figure
    outcome: dict[str, str]


def _lab(chapter: Chapter[Steps], above: Chapter[Steps], scores: QueryScores, factor: float) -> None:
    lab = kept(chapter, partial(_drawn, chapter, scores, factor), scores.program, factor)
    show(above, lab.steps)
    chapter.write("steps.outcome", **lab.outcome)
    show(chapter, lab.curves)


def _drawn(chapter: Chapter[Steps], scores: QueryScores, factor: float) -> Lab:
    """The scores are those that their program leaves."""
    found = steps_of(scores.values, factor)
    figure = Figure(
        "steps",
        Board(panels(chapter, scores, found, factor), scores.operands, result="jacobian"),
        provenance(f"softmax_jacobian(softmax({factor:g} · {scores.origin}))", *found.jacobian.shape),
        code=[softmax_steps, SoftmaxSteps, softmax_jacobian, autograd_jacobian],
        program=programs.jacobian(scores.program, factor),
    )
    p = found.probabilities
    outcome = {
        "largest": number(float(p.max()), 3),
        "entropy": number(float(entropy(p)), 3),
        "most": number(float(np.log(len(p))), 3),
        "norm": number(float(jacobian_norm(p)), 3),
        "difference": number(float(found.difference.max()), 1),
    }
    return Lab(figure, _against_factor(chapter, scores, factor), outcome)


def at_every_factor(scores: Tensor) -> Tensor:
    """(145, 3): factors from 1/16 to 32, the entropy of the softmax at each and the size of its Jacobian."""
    factors = torch.logspace(-4, 5, 145, base=2, dtype=torch.float64)
    found = sharpness(scores, factors)
    return torch.stack([factors, found.entropy, found.jacobian_norm], dim=1)


@lru_cache(maxsize=64)
def _kept_at_every_factor(scores: tuple[float, ...]) -> np.ndarray:
    return at_every_factor(torch.tensor(scores, dtype=torch.float64)).numpy()


def _against_factor(chapter: Chapter[Steps], scores: QueryScores, factor: float) -> Figure:
    say, values = chapter.say, torch.tensor(scores.values, dtype=torch.float64)
    numbers = _kept_at_every_factor(scores.values)
    here = sharpness(values, torch.tensor([factor], dtype=torch.float64))
    factors, *drawn = numbers.T
    columns = [say(f"curve.{name}") for name in ("factor", "entropy", "norm")]

    def curve(at: int, value: Tensor, end: float) -> Curves:
        return curves(
            factors,
            {columns[at]: drawn[at - 1]},
            x_axis=XAxis(columns[0], log=True),
            y_axis=YAxis(columns[at], range=(0.0, end)),
            marks=Marks(
                points={f"× {factor:g}": (factor, float(value))} if factors[0] <= factor <= factors[-1] else {}
            ),
            style=Style(colors=[css("text")]),
            height=232,
        )

    most = float(np.ceil(2 * np.log(len(values))) / 2)
    return Figure(
        "curves",
        [curve(1, here.entropy, most), curve(2, here.jacobian_norm, 0.5)],  # no softmax has a larger Jacobian
        provenance("sharpness(scores, factors)", len(factors), len(values)),
        numbers,
        columns,
        code=[sharpness, entropy, jacobian_norm],
        program=runnable(at_every_factor, ProgramArgument("scores", scores.program)),
        alt=[say("curve.alt", name=name) for name in columns[1:]],
    )


def panels(chapter: Chapter[Steps], scores: QueryScores, steps: GradientStages, factor: float) -> list[Panel]:
    say, n, names = chapter.say, len(scores.values), scores.rows
    two = partial(Panel, row_labels=names, row_axis=say("score_row_axis"), print_values=True)
    square = partial(
        Panel,
        row_labels=names,
        col_labels=names,
        row_axis=say("probability_axis"),
        col_axis=say("score_axis"),
        high=0.25,
        beside=True,
    )
    x, shares = Matrix("x"), Matrix("shares")
    top = Named("max", largest(K, n, x[K, 1]))
    return [
        two(
            "x",
            torch.stack([steps.scores, steps.scaled], dim=1).numpy(),
            say("x_panel"),
            col_labels=[say("given"), "x"],
            high=WIDEST * max(map(abs, scores.values)) or None,
            made=by_column(scores.made, Number(factor) * x[I, 0]),
            symbol=("s", "x"),
            symbol_axis="column",
        ),
        two(
            "shares",
            torch.stack([steps.exponentials, steps.probabilities], dim=1).numpy(),
            say("shares_panel"),
            col_labels=["e", "p"],
            scale="probability",
            beside=True,
            made=by_column(exp(x[I, 1] - top), shares[I, 0] / total(K, n, shares[K, 0])),
            symbol=("e", "p"),
            symbol_axis="column",
        ),
        square(
            "jacobian",
            steps.jacobian.numpy(),
            say("jacobian"),
            place=(0, 2),
            print_values=True,
            made=jacobian("shares", 1, n),
            symbol="J",
        ),
        square("difference", steps.difference.numpy(), say("difference"), scale="magnitude", place=(0, 3)),
    ]
