"""The notes' examples: scores times 0.1, 1 and 10 and at nine temperatures, and embeddings without W_Q and W_K."""

from functools import lru_cache, partial

import numpy as np
import streamlit as st
import torch

from transformer_core import SoftmaxSteps, attention_steps, softmax_jacobian, softmax_steps
from transformer_core.experiments.score_size import drawn_embeddings, sharpness
from ui.chapters.scaling import programs
from ui.chapters.scaling.scores import OfScores, scores_of
from ui.chapters.scaling.size import SampleSettings
from ui.chapters.shared.attention_values import pairs
from ui.figures import Board, Figure, Operand, Panel, ProgramArgument, number, runnable
from ui.figures.formula import Cases, I, J, K, Matrix, by_row, ln, total
from ui.figures.paper import jacobian, product, scaled, softmax
from ui.sections import AnyChapter, Chapter, Choice, Frame, Section, controls, predict, provenance, show
from ui.sections.table import table
from ui.settings.fields import Settings, flag, whole
from ui.text import Words

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
    say = chapter.say
    chapter.write("notes.text")
    known = tuple(PRINTED) if predict(chapter, SHARP) else tuple(PRINTED)[:-1]
    show(chapter, _figure(say, known))
    if not chapter.notes or len(known) < len(PRINTED):
        return
    table([say("scores"), *(number(score, 6) for score in SCORES)], beside(chapter))
    chapter.write("notes.why")


@lru_cache(maxsize=8)  # the same for all readers
def _figure(say: Words, known: tuple[float, ...]) -> Figure:
    n, columns = len(SCORES), at_factors(SCORES, known)
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
            softmax_jacobian(p).numpy(),
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
        for at, (factor, p) in enumerate(zip(known, columns.T))
    ]
    operands = [Operand("scores", np.array(SCORES)[:, None], "s"), Operand("factors", np.array([known]), "f")]
    return Figure(
        "notes",
        Board(panels, operands, result="p"),
        provenance("softmax(factor · scores)", n, len(known)),
        columns=panels[0].col_labels,
        code=[softmax_steps, SoftmaxSteps, softmax_jacobian],
        program=runnable(at_factors, SCORES, known),
    )


def beside(chapter: AnyChapter) -> list[list[str]]:
    """What the notes print above what is computed here, in the notes' own digits: a name, then a number per score."""
    rows = []
    p = dict(zip(PRINTED, at_factors(SCORES, tuple(PRINTED)).T))
    diagonals = {factor: softmax_jacobian(probabilities).diagonal() for factor, probabilities in p.items()}
    for symbol, printed, computed in (("p", PRINTED, p), ("Jᵢᵢ", PRINTED_DIAGONALS, diagonals)):
        for factor, text in printed.items():
            digits = ".4e" if "e" in text else ".4f"
            name = f"{symbol}, × {factor:g}"
            rows.append([chapter.say("notes.printed", name=name), *text.split()])
            written = (format(value, digits) for value in computed[factor].tolist())
            rows.append([chapter.say("notes.computed", name=name), *written])
    return rows


TOKENS = (1, 2, 3, 4)  # four different ones, as in the notes
VOCAB = 8


ASK_SELF = Choice("ask_self", ("all", "other", "itself"), right="itself")


class OfItself(Settings):
    width: int = whole(512, 2, 512)
    enlarge: bool = flag(True)
    divide: bool = flag(True)


@Section(
    "self", settings=OfItself, cell="self_cell", reads=(SampleSettings,), text="text", why="why", lesson=(ASK_SELF,)
)
def attending_to_itself(chapter: Chapter[OfItself]) -> None:
    say = chapter.say
    d_model = controls.slider(chapter, "width")
    enlarge, divide = controls.side_by_side(chapter, enlarge={}, divide={})
    seed = chapter.of(SampleSettings).settings.seed
    generator = torch.Generator().manual_seed(seed)
    embedded = drawn_embeddings(torch.tensor(TOKENS), VOCAB, d_model, enlarge=enlarge, generator=generator)
    steps = attention_steps(embedded, embedded, embedded, scale=divide)
    names = [str(token) for token in TOKENS]
    square = partial(pairs(chapter, names), print_values=True)
    x = Matrix("x")
    own = product(x, x, d_model)
    panels = [
        square(
            "scores",
            steps.scores.numpy(),
            say("self.scores"),
            made=scaled(own, d_model if divide else None),
            symbol="s",
        ),
        square(
            "weights",
            steps.weights.numpy(),
            say("self.weights"),
            scale="probability",
            made=softmax(Matrix("scores"), len(TOKENS)),
            symbol="α",
        ),
    ]
    figure = Figure(
        "self",
        Board(panels, [Operand("x", embedded.numpy())]),
        provenance("attention_steps(x, x, x).weights", *steps.weights.shape) + f" · seed {seed}",
        columns=names,
        code=[drawn_embeddings, attention_steps],
        program=programs.embeddings(TOKENS, VOCAB, d_model, enlarge, divide, seed),
    )
    show(chapter, figure)
    others = ~torch.eye(len(TOKENS), dtype=torch.bool)
    chapter.write(
        "self.outcome",
        own=number(float(steps.scores.diagonal().mean()), 3),
        other=number(float(steps.scores[others].abs().max()), 3),
        least=number(float(steps.weights.diagonal().min()), 4),
    )


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
