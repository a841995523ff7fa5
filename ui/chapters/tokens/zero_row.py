"""`padding_idx`: a row that is zero and that no gradient ever moves."""

from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core import Embeddings
from ui.chapters.shared.attention_values import numbered
from ui.chapters.tokens.examples import seeded_embeddings
from ui.figures import Board, Figure, Panel, number, runnable
from ui.figures.formula import I, J, K, Matrix, Number, by_row, total
from ui.figures.paper import embedded
from ui.sections import Chapter, Choice, Section, controls, provenance, show
from ui.settings.fields import Settings, flag

D_MODEL, VOCAB, SEED = 3, 10, 0
TOKENS = (0, 2, 0, 5)  # the notes' example

LEARNED = Choice("learned", ("zero", "small", "learned"), right="zero")


class Zero(Settings):
    zero_row: bool = flag(True)


class LossOfSquares(NamedTuple):
    """A table (VOCAB, D_MODEL), the vectors (T, D_MODEL) that TOKENS look up, and ∂L/∂E of L = Σ x² / 2."""

    table: Tensor
    x: Tensor
    gradient: Tensor


def gradient_of(padding_idx: int | None) -> LossOfSquares:
    embeddings = seeded_embeddings(D_MODEL, VOCAB, SEED, padding_idx)
    table, x = embeddings.lut.weight, embeddings(torch.tensor([TOKENS]))[0]
    (gradient,) = torch.autograd.grad(x.square().sum() / 2, table)
    return LossOfSquares(table.detach(), x.detach(), gradient)


@Section("zero", settings=Zero, cell="zero_cell", text="lead", first=LEARNED)
def zero_row(chapter: Chapter[Zero]) -> None:
    padding_idx = 0 if controls.toggle(chapter, "zero_row") else None
    found = gradient_of(padding_idx)
    keyword = f", padding_idx={padding_idx}" if padding_idx is not None else ""
    figure = Figure(
        "zero",
        Board(_panels(chapter, found, padding_idx)),
        provenance(f"Embeddings({D_MODEL}, {VOCAB}{keyword}).lut.weight.grad", *found.gradient.shape)
        + f" · seed {SEED}",
        code=(Embeddings, gradient_of),
        program=runnable(gradient_of, padding_idx, then=".gradient"),
    )
    show(chapter, figure)
    own = chapter.at_hand.load().get_submodule("src_embed.0.lut").get_parameter("weight")[0]
    chapter.write("zero.text", own=number(own.detach().abs().mean().item(), 2))
    chapter.write("zero.notes")


def _panels(chapter: Chapter[Zero], found: LossOfSquares, padding_idx: int | None) -> list[Panel]:
    """A vector is a row times √d_model; a row's gradient sums, over the positions that look it up, √d_model · x."""
    say = chapter.say
    rows, dims = numbered(VOCAB), numbered(D_MODEL)
    users = [[at for at, token in enumerate(TOKENS) if token == row != padding_idx] for row in range(VOCAB)]
    panel = partial(Panel, col_labels=dims, digits=4)
    of_tokens = partial(panel, row_labels=rows, row_axis=say("token_axis"))
    return [
        of_tokens("table", found.table.numpy(), say("table"), meaning="encoder", symbol="E"),
        panel(
            "x",
            found.x.numpy(),
            title=say("vectors_scaled", d_model=D_MODEL),
            row_labels=[str(token) for token in TOKENS],
            row_axis=say("sequence_row_axis"),
            padded_rows=[at for at, token in enumerate(TOKENS) if token == 0],
            meaning="encoder",
            made=embedded(Matrix("table")[I.of(TOKENS, "id"), J], D_MODEL),
        ),
        of_tokens(
            "gradient",
            found.gradient.numpy(),
            title=say("zero.gradient"),
            symbol="∂L/∂E",
            made=by_row(
                *(total(K, some, embedded(Matrix("x")[K, J], D_MODEL)) if some else Number(0) for some in users)
            ),
        ),
    ]
