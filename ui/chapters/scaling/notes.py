"""Five scores times 0.1, 1 and 10 with the Jacobians, and the numbers that the lecture notes print of them."""

import numpy as np
import torch

from transformer_core import SoftmaxSteps, softmax_jacobian, softmax_steps
from ui.figures import Board, Figure, Operand, Panel, number, runnable
from ui.figures.formula import I, J, Matrix
from ui.figures.paper import jacobian, softmax
from ui.sections import AnyChapter, Choice, Section, predict, provenance, show
from ui.sections.table import table

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


SHARP = Choice("sharp", ("same", "ten", "near"), right="near")


def at_factors(scores: tuple[float, ...], factors: tuple[float, ...]) -> torch.Tensor:
    """The softmax of the scores times each factor, a column each: (scores, factors) float64."""
    x = torch.tensor(scores, dtype=torch.float64)
    return torch.stack([softmax_steps(factor * x).probabilities for factor in factors], dim=1)


@Section("notes", cell="notes_cell", look="open", asks=(SHARP,))
def notes(chapter: AnyChapter) -> None:
    """The last factor is asked about, and comes with the reply."""
    say, n = chapter.say, len(SCORES)
    chapter.write("notes.text")
    known = tuple(PRINTED) if predict(chapter, SHARP) else tuple(PRINTED)[:-1]
    scores, factors = torch.tensor(SCORES, dtype=torch.float64), np.array([known])
    columns = at_factors(SCORES, known)
    p = dict(zip(known, columns.T))
    jacobians = {factor: softmax_jacobian(probabilities) for factor, probabilities in p.items()}
    s, f = Matrix("scores"), Matrix("factors")
    names = [str(i) for i in range(n)]
    panels = [
        Panel(
            "p",
            columns.numpy(),
            "p",
            names,
            [f"× {factor:g}" for factor in known],
            say("probability_axis"),
            scale="probability",
            print_values=True,
            made=softmax(lambda at: f[0, J] * s[at, 0], n, I),
        )
    ]
    panels += [
        Panel(
            f"J{at}",
            found.numpy(),
            f"J, × {factor:g}",
            names,
            names,
            say("probability_axis"),
            say("score_axis"),
            high=0.25,
            place=(0, 1 + at),
            made=jacobian("p", at, n),
            symbol="J",
        )
        for at, (factor, found) in enumerate(jacobians.items())
    ]
    operands = [Operand("scores", scores.unsqueeze(1).numpy(), "s"), Operand("factors", factors, "f")]
    figure = Figure(
        "notes",
        Board(panels, operands, result="p"),
        provenance("softmax(factor · scores)", n, len(known)),
        columns=panels[0].col_labels,
        code=[softmax_steps, SoftmaxSteps, softmax_jacobian],
        program=runnable(at_factors, SCORES, known),
    )
    show(chapter, figure)
    if not chapter.notes or len(known) < len(PRINTED):
        return
    table([say("scores"), *(number(score, 6) for score in SCORES)], beside(chapter, p, jacobians))
    chapter.write("notes.why")


def beside(chapter: AnyChapter, p: dict[float, torch.Tensor], jacobians: dict[float, torch.Tensor]) -> list[list[str]]:
    """What the notes print above what is computed here, in the notes' own digits: a name, then a number per score."""
    rows = []
    diagonals = {factor: jacobian.diagonal() for factor, jacobian in jacobians.items()}
    for symbol, printed, computed in (("p", PRINTED, p), ("Jᵢᵢ", PRINTED_DIAGONALS, diagonals)):
        for factor, text in printed.items():
            digits = ".4e" if "e" in text else ".4f"
            name = f"{symbol}, × {factor:g}"
            rows.append([chapter.say("notes.printed", name=name), *text.split()])
            written = (format(value, digits) for value in computed[factor].tolist())
            rows.append([chapter.say("notes.computed", name=name), *written])
    return rows
