"""Scaling lab: embeddings that attend to themselves without W_Q and W_K, as in the notes' example."""

from functools import partial

import streamlit as st
import torch
from torch import Tensor

from transformer_core import AttentionSteps, attention_steps, softmax_steps
from transformer_core.score_size import drawn_embeddings
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures import arithmetic
from ui.figures.board import Cell, Panel, Source
from ui.labs import scaling_snippets
from ui.shell import Chapter

TOKENS = (1, 2, 3, 4)  # four different ones, as in the notes
VOCAB = 8


def self_lab(chapter: Chapter) -> None:
    say = chapter.say
    d_model = controls.slider(chapter, "width")
    left, right = st.columns(2)
    with left:
        enlarge = controls.toggle(chapter, "enlarge")
    with right:
        divide = controls.toggle(chapter, "divide")
    seed = chapter.settings.seed
    generator = torch.Generator().manual_seed(seed)
    x = drawn_embeddings(torch.tensor(TOKENS), VOCAB, d_model, enlarge=enlarge, generator=generator)
    steps = attention_steps(x, x, x, scale=divide)
    names = [str(token) for token in TOKENS]
    square = partial(
        Panel,
        row_labels=names,
        col_labels=names,
        row_axis=say("query_axis"),
        col_axis=say("key_axis"),
        print_values=True,
    )
    panels = [
        square("scores", steps.scores.numpy(), say("self.scores")),
        square(
            "weights",
            steps.weights.numpy(),
            say("self.weights"),
            scale="probability",
            place=(0, 1),
            sources=[Source("scores", "row", "all")],
        ),
    ]
    chosen = board(chapter, "self", panels, cell="self_cell", alt=say("self.alt")).chosen
    if chosen:
        st.html(arithmetic_of(x, steps, divide, chosen))
    others = ~torch.eye(len(TOKENS), dtype=torch.bool)
    chapter.write(
        "self.outcome",
        own=arithmetic.number(float(steps.scores.diagonal().mean()), 3),
        other=arithmetic.number(float(steps.scores[others].abs().max()), 3),
        least=arithmetic.number(float(steps.weights.diagonal().min()), 4),
    )
    caption(
        chapter,
        "self",
        provenance("attention_steps(x, x, x).weights", *steps.weights.shape) + f" · seed {seed}",
        numbers=steps.weights.numpy(),
        columns=names,
        code=[drawn_embeddings, attention_steps],
        snippet=scaling_snippets.embeddings(TOKENS, VOCAB, d_model, enlarge, divide, seed),
    )


def arithmetic_of(x: Tensor, steps: AttentionSteps, divide: bool, cell: Cell) -> str:
    """A score as a product of two embeddings, divided if so set; a weight as its share of the exponentials."""
    panel, i, j = cell
    at = f"<sub>{i},{j}</sub>"
    if panel == "weights":
        row = softmax_steps(steps.scores[i])
        exponent = arithmetic.exponential(f"e{at}", float(steps.scores[i, j]), float(row.largest))
        return exponent + arithmetic.share(f"α{at}", row.exponentials.tolist(), j)
    product = arithmetic.product(f"x<sub>{i}</sub>·x<sub>{j}</sub>", x[i].tolist(), x[j].tolist(), "q", "k")
    scaled = arithmetic.scaled(f"s{at}", float(steps.products[i, j]), x.size(1))
    return product + scaled if divide else product
