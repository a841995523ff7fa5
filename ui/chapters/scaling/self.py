"""Two examples of the notes: embeddings that attend to themselves, and scores at nine temperatures."""

from functools import partial

import numpy as np
import streamlit as st
import torch

from transformer_core import attention_steps
from transformer_core.experiments.score_size import drawn_embeddings, sharpness
from ui.chapters.scaling import programs
from ui.chapters.scaling.scores import OfScores, scores_of
from ui.chapters.scaling.size import SampleSettings
from ui.chapters.shared.attention_values import pairs
from ui.figures import Board, Figure, Operand, Panel, ProgramArgument, number, runnable
from ui.figures.formula import Cases, I, K, Matrix, by_row, ln, total
from ui.figures.paper import product, scaled, softmax
from ui.sections import AnyChapter, Chapter, Choice, Frame, Section, controls, provenance, show
from ui.settings.fields import Settings, flag, whole

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
