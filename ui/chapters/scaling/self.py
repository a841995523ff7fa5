"""Embeddings that attend to themselves without W_Q and W_K, as in the notes' example."""

from functools import partial

import torch

from transformer_core import attention_steps
from transformer_core.experiments.score_size import drawn_embeddings
from ui.chapters.scaling import programs
from ui.chapters.scaling.size import SampleSettings
from ui.chapters.shared.attention_values import pairs
from ui.figures import Board, Figure, Operand, number
from ui.figures.formula import Matrix
from ui.figures.paper import product, scaled, softmax
from ui.sections import Chapter, Choice, Section, controls, provenance, show
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
            place=(0, 1),
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
