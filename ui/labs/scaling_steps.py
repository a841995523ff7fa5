"""Scaling lab: scores times a factor, their softmax in steps, and its Jacobian against autograd's."""

from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import entropy, softmax_jacobian, softmax_steps
from transformer_core.score_size import sharpness
from transformer_core.softmax import autograd_jacobian, jacobian_norm
from ui import address, controls
from ui.caption import caption, provenance
from ui.drawing import board, chart, write_sums
from ui.figures import arithmetic
from ui.figures.board import Cell, Panel, Source, by_column
from ui.figures.curves import curves
from ui.fragment import fragment
from ui.labs import scaling_snippets
from ui.labs.scaling_scores import typed
from ui.shell import Chapter
from ui.theme import color

FACTORS = torch.logspace(-4, 5, 145, base=2, dtype=torch.float64)  # of the curves


class Steps(NamedTuple):
    """From the scores to the gradient of their softmax, float64; each (n,), the last two (n, n)."""

    scores: Tensor
    scaled: Tensor
    exponentials: Tensor
    probabilities: Tensor
    jacobian: Tensor
    difference: Tensor  # |analytic - autograd|


def steps_of(scores: tuple[float, ...], factor: float) -> Steps:
    x = torch.tensor(scores, dtype=torch.float64)
    steps = softmax_steps(factor * x)
    jacobian = softmax_jacobian(steps.probabilities)
    difference = (jacobian - autograd_jacobian(factor * x)).abs()
    return Steps(x, factor * x, steps.exponentials, steps.probabilities, jacobian, difference)


@fragment
def steps_lab(chapter: Chapter, known: str) -> None:
    """`known` are the scores that the rest of the page was drawn with: it follows when the reader types others."""
    say = chapter.say
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        scores = typed(chapter)
    with right:
        factor = controls.slider(chapter, "factor", step=0.1)
    if chapter.settings.scores != known:
        address.run_again()
    if scores is None:
        return
    steps = steps_of(scores, factor)
    chosen = board(chapter, "steps", panels(chapter, steps), cell="steps_cell", alt=say("steps.alt")).chosen
    if chosen:
        write_sums(chapter, arithmetic_of(steps, factor, chosen))
    p = steps.probabilities
    chapter.write(
        "steps.outcome",
        largest=arithmetic.number(float(p.max()), 3),
        entropy=arithmetic.number(float(entropy(p)), 3),
        most=arithmetic.number(float(np.log(len(p))), 3),
        norm=arithmetic.number(float(jacobian_norm(p)), 3),
        difference=arithmetic.number(float(steps.difference.max()), 1),
    )
    caption(
        chapter,
        "steps",
        provenance(f"softmax_jacobian(softmax({factor:g} · scores))", *steps.jacobian.shape),
        numbers=steps.jacobian.numpy(),
        code=[softmax_steps, softmax_jacobian, autograd_jacobian],
        snippet=scaling_snippets.jacobian(scores, factor),
    )
    _against_factor(chapter, steps, factor)


def _against_factor(chapter: Chapter, steps: Steps, factor: float) -> None:
    """Entropy and size of the Jacobian at every factor, the chosen one marked."""
    say = chapter.say
    every, here = sharpness(steps.scores, FACTORS), sharpness(steps.scores, torch.tensor([factor], dtype=torch.float64))
    factors = FACTORS.numpy()
    ends = {"entropy": np.ceil(2 * np.log(len(steps.scores))) / 2, "norm": 0.5}  # no softmax has a larger Jacobian
    drawn = {"entropy": (every.entropy, here.entropy), "norm": (every.jacobian_norm, here.jacobian_norm)}
    for (name, (values, value)), place in zip(drawn.items(), st.columns(2)):
        picture = curves(
            factors,
            {say(f"curve.{name}"): values.numpy()},
            chapter.mode,
            x_title=say("curve.factor"),
            y_title=say(f"curve.{name}"),
            colors=[color("text", chapter.mode)],
            points={f"× {factor:g}": (factor, float(value))} if factors[0] <= factor <= factors[-1] else {},
            log_x=True,
            y_range=(0.0, ends[name]),
            height=232,
        )
        with place:
            chart(chapter, f"factor_{name}", picture, alt=say("curve.alt", name=say(f"curve.{name}")))
    caption(
        chapter,
        "curves",
        provenance("sharpness(scores, factors)", *every.probabilities.shape),
        numbers=np.column_stack([factors, every.entropy.numpy(), every.jacobian_norm.numpy()]),
        columns=[say(f"curve.{name}") for name in ("factor", *drawn)],
        code=[sharpness, entropy, jacobian_norm],
        snippet=scaling_snippets.curves(steps.scores.tolist()),
    )


def panels(chapter: Chapter, steps: Steps) -> list[Panel]:
    say = chapter.say
    names = [str(i) for i in range(len(steps.scores))]
    two = partial(Panel, row_labels=names, row_axis=say("score_row_axis"), print_values=True)
    square = partial(Panel, row_labels=names, col_labels=names, row_axis=say("probability_axis"), high=0.25)
    return [
        two(
            "x",
            torch.stack([steps.scores, steps.scaled], dim=1).numpy(),
            say("x_panel"),
            col_labels=[say("given"), "x"],
            sources=[Source("x", "row", by_column([[], [0]]))],
        ),
        two(
            "shares",
            torch.stack([steps.exponentials, steps.probabilities], dim=1).numpy(),
            say("shares_panel"),
            col_labels=["e", "p"],
            scale="probability",
            place=(0, 1),
            sources=[Source("x", "all", by_column([[1], []])), Source("shares", "all", by_column([[], [0]]))],
        ),
        square(
            "jacobian",
            steps.jacobian.numpy(),
            say("jacobian"),
            col_axis=say("score_axis"),
            place=(0, 2),
            print_values=True,
            sources=[Source("shares", "row", (1,)), Source("shares", "column", (1,))],
        ),
        square(
            "difference",
            steps.difference.numpy(),
            say("difference"),
            col_axis=say("score_axis"),
            scale="magnitude",
            place=(0, 3),
            sources=[Source("jacobian", "row", "column")],
        ),
    ]


def arithmetic_of(steps: Steps, factor: float, cell: Cell) -> str:
    """The chosen cell written out with its numbers."""
    panel, i, j = cell
    x, p = steps.scaled.tolist(), steps.probabilities.tolist()
    operand, number = arithmetic.operand, arithmetic.number
    match panel:
        case "x" if j == 1:
            side = f"{number(factor)} · {operand(float(steps.scores[i]), digits=5)}"
            return arithmetic.equation(f"x<sub>{i}</sub>", side, result=x[i])
        case "shares" if j == 0:
            return arithmetic.exponential(f"e<sub>{i}</sub>", x[i], max(x))
        case "shares":
            return arithmetic.share(f"p<sub>{i}</sub>", steps.exponentials.tolist(), i)
        case "jacobian" if i == j:
            sides = [f"p<sub>{i}</sub> (1 − p<sub>{i}</sub>)", f"{number(p[i])} · {number(1 - p[i])}"]
            return arithmetic.equation(f"J<sub>{i},{j}</sub>", *sides, result=float(steps.jacobian[i, j]))
        case "jacobian":
            sides = [f"−p<sub>{i}</sub> p<sub>{j}</sub>", f"−{number(p[i])} · {number(p[j])}"]
            return arithmetic.equation(f"J<sub>{i},{j}</sub>", *sides, result=float(steps.jacobian[i, j]))
        case "difference":
            name = f"|J<sub>{i},{j}</sub> − autograd|"
            return arithmetic.equation(name, result=float(steps.difference[i, j]), digits=2)
    return ""
