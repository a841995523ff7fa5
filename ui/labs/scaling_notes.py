"""Scaling lab: the notes' scores times 0.1, 1 and 10, their printed numbers beside computed ones; and temperatures."""

import numpy as np
import streamlit as st
import torch

from transformer_core import softmax_jacobian, softmax_steps
from transformer_core.score_size import sharpness
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures import arithmetic
from ui.figures.board import Panel, Source
from ui.fragment import fragment
from ui.labs import scaling_snippets
from ui.labs.scaling_scores import NotScores, parse
from ui.shell import Chapter

SCORES = (0.6052, -0.2023, -1.3294, -0.2546, 1.5445)
PRINTED = {  # as the notes write them
    0.1: "0.2100 0.1937 0.1730 0.1927 0.2306",
    1.0: "0.2187 0.0976 0.0316 0.0926 0.5595",
    10.0: "8.3344e-05 2.5940e-08 3.3038e-13 1.5366e-08 9.9992e-01",
}
PRINTED_DIAGONALS = {
    0.1: "0.1659 0.1562 0.1431 0.1555 0.1774",
    10.0: "8.3337e-05 2.5940e-08 3.3038e-13 1.5366e-08 8.3440e-05",
}
TEMPERATURES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


@fragment
def notes_lab(chapter: Chapter) -> None:
    say = chapter.say
    scores = torch.tensor(SCORES)
    p = {factor: softmax_steps(factor * scores).probabilities for factor in PRINTED}
    jacobians = {factor: softmax_jacobian(probabilities) for factor, probabilities in p.items()}
    names = [str(i) for i in range(len(SCORES))]
    panels = [
        Panel(
            "p",
            torch.stack(list(p.values()), dim=1).numpy(),
            "p",
            names,
            [f"× {factor:g}" for factor in PRINTED],
            say("probability_axis"),
            scale="probability",
            print_values=True,
        )
    ]
    panels += [
        Panel(
            f"J{at}",
            jacobian.numpy(),
            f"J, × {factor:g}",
            names,
            names,
            say("probability_axis"),
            say("score_axis"),
            high=0.25,
            place=(0, 1 + at),
            sources=[Source("p", "row", (at,)), Source("p", "column", (at,))],
        )
        for at, (factor, jacobian) in enumerate(jacobians.items())
    ]
    chosen = board(chapter, "notes", panels, cell="notes_cell", alt=say("notes.alt")).chosen
    if chosen:
        at = chosen[2] if chosen[0] == "p" else int(chosen[0].removeprefix("J"))
        factor = list(PRINTED)[at]
        st.html(arithmetic_of(factor, p[factor].tolist(), chosen))
    st.dataframe(table(chapter, p, jacobians), hide_index=True)
    caption(
        chapter,
        "notes",
        provenance("softmax(factor · scores)", len(PRINTED), len(SCORES)),
        numbers=torch.stack(list(p.values())).numpy(),
        columns=names,
        code=[softmax_steps, softmax_jacobian],
        snippet=scaling_snippets.notes(SCORES, list(PRINTED)),
    )


def table(chapter: Chapter, p: dict[float, torch.Tensor], jacobians: dict[float, torch.Tensor]) -> dict[str, list[str]]:
    """What the notes print above what is computed here, in the notes' own digits; a column per score."""
    rows: list[tuple[str, list[str]]] = []
    diagonals = {factor: jacobian.diagonal() for factor, jacobian in jacobians.items()}
    for symbol, printed, computed in (("p", PRINTED, p), ("Jᵢᵢ", PRINTED_DIAGONALS, diagonals)):
        for factor, text in printed.items():
            digits = ".4e" if "e" in text else ".4f"
            name = f"{symbol}, × {factor:g}"
            rows.append((chapter.say("notes.printed", name=name), text.split()))
            written = [format(value, digits) for value in computed[factor].tolist()]
            rows.append((chapter.say("notes.computed", name=name), written))
    columns = {chapter.say("scores"): [name for name, _ in rows]}
    return columns | {
        arithmetic.number(score, 6): [numbers[at] for _, numbers in rows] for at, score in enumerate(SCORES)
    }


def arithmetic_of(factor: float, p: list[float], cell: tuple[str, int, int]) -> str:
    """The chosen probability from its exponentials, or the chosen entry of the Jacobian from two probabilities."""
    panel, i, j = cell
    number = arithmetic.number
    if panel.startswith("p"):
        steps = softmax_steps(factor * torch.tensor(SCORES))
        return arithmetic.share(f"p<sub>{i}</sub>", steps.exponentials.tolist(), i)
    side = f"{number(p[i])} · {number(1 - p[i])}" if i == j else f"−{number(p[i])} · {number(p[j])}"
    result = p[i] * (1 - p[i]) if i == j else -p[i] * p[j]
    return arithmetic.equation(f"J<sub>{i},{j}</sub>", side, result=result)


def temperature_lab(chapter: Chapter) -> None:
    """The reader's scores at nine temperatures."""
    say = chapter.say
    try:
        typed = parse(chapter.settings.scores)
    except NotScores:
        st.warning(say("needs_scores"))
        return
    scores = torch.tensor(typed, dtype=torch.float64)
    factors = 1 / torch.tensor(TEMPERATURES, dtype=torch.float64)
    result = sharpness(scores, factors)
    panel = Panel(
        "temperatures",
        result.probabilities.numpy(),
        say("probabilities"),
        [f"{value:g}" for value in TEMPERATURES],
        [arithmetic.number(score, 6) for score in typed],
        say("temperature_axis"),
        say("score_axis"),
        scale="probability",
        print_values=True,
    )
    entropies = Panel(
        "entropies",
        result.entropy.unsqueeze(1).numpy(),
        say("curve.entropy"),
        scale="magnitude",
        high=float(np.log(len(typed))),
        place=(0, 1),
        print_values=True,
        sources=[Source("temperatures", "row", "all")],
    )
    chosen = board(chapter, "warm", [panel, entropies], cell="warm_cell", alt=say("warm.alt")).chosen
    if chosen:
        _, i, j = chosen
        p = result.probabilities[i].tolist()
        if chosen[0] == "entropies":
            terms = [f"{arithmetic.number(value, 3)}·ln {arithmetic.number(value, 3)}" for value in p if value > 0]
            side = f"−({arithmetic.joined(terms)})"
            st.html(arithmetic.equation("H", side, result=float(result.entropy[i])))
        else:
            steps = softmax_steps(scores / TEMPERATURES[i])
            value, largest = float(scores[j] / TEMPERATURES[i]), float(steps.largest)
            st.html(arithmetic.exponential(f"e<sub>{j}</sub>", value, largest))
            st.html(arithmetic.share(f"p<sub>{j}</sub>", steps.exponentials.tolist(), j))
    caption(
        chapter,
        "warm",
        provenance("sharpness(scores, 1 / T)", *result.probabilities.shape),
        numbers=result.probabilities.numpy(),
        columns=panel.col_labels,
        code=[sharpness],
        snippet=scaling_snippets.temperatures(typed, TEMPERATURES),
    )
