"""Scaling lab: embeddings that attend to themselves without W_Q and W_K, as in the notes' example."""

from functools import partial

import streamlit as st
import torch

from transformer_core import attention_steps
from transformer_core.score_size import self_attention_of_embeddings
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures import arithmetic
from ui.figures.board import Panel, Source
from ui.labs import scaling_snippets
from ui.shell import Chapter

TOKENS = (1, 2, 3, 4)  # four different ones, as in the notes
VOCAB = 8


@st.fragment
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
    steps = self_attention_of_embeddings(
        torch.tensor(TOKENS), VOCAB, d_model, enlarge=enlarge, scale=divide, generator=generator
    )
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
    if chosen and chosen[0] == "weights":
        _, i, j = chosen
        row = steps.scores[i] - steps.scores[i].max()
        at = f"<sub>{i},{j}</sub>"
        st.html(arithmetic.exponential(f"e{at}", float(steps.scores[i, j]), float(steps.scores[i].max())))
        st.html(arithmetic.share(f"α{at}", row.exp().tolist(), j))
    elif chosen and divide:
        _, i, j = chosen
        st.html(arithmetic.scaled(f"s<sub>{i},{j}</sub>", float(steps.products[i, j]), d_model))
    others = ~torch.eye(len(TOKENS), dtype=torch.bool)
    st.markdown(
        say(
            "self.outcome",
            own=arithmetic.number(float(steps.scores.diagonal().mean()), 3),
            other=arithmetic.number(float(steps.scores[others].abs().max()), 3),
            least=arithmetic.number(float(steps.weights.diagonal().min()), 4),
        )
    )
    caption(
        chapter,
        "self",
        provenance("self_attention_of_embeddings(tokens)", *steps.weights.shape) + f" · seed {seed}",
        numbers=steps.weights.numpy(),
        columns=names,
        code=[self_attention_of_embeddings, attention_steps],
        snippet=scaling_snippets.embeddings(TOKENS, VOCAB, d_model, enlarge, divide, seed),
    )
