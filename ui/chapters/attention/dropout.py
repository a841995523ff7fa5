"""Dropout on the weights, shown apart from the weights: why a weight can exceed 1 in other tools."""

from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from transformer_core.dropout import DropoutSteps, drop, dropout_steps
from ui.chapters.attention.questions import KEPT
from ui.chapters.shared.attention_programs import dropout_snippet
from ui.chapters.shared.attention_values import mask_of, names_of, path
from ui.figures.board import Panel
from ui.figures.figure import Board, Figure
from ui.figures.formula import I, J, K, Matrix, Number, total
from ui.figures.number import number
from ui.figures.stages import Names
from ui.frame.chapter import Chapter
from ui.model.recorded import recorded
from ui.page import controls
from ui.page.predict import predict
from ui.reading.sequences import Sequences
from ui.showing.show import show

HIGHEST = 2.0  # 1/(1-p) at the largest p of the slider


def dropped_weights(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    if not predict(chapter, KEPT):
        return
    left, right = st.columns([2, 1])
    with left:
        p = controls.slider(chapter, "p", step=0.05)
    with right:
        seed = controls.slider(chapter, "seed", 0, 20)
    settings = chapter.settings
    trace = recorded(at_hand, sequences.src, sequences.given)
    where = path(settings.kind, settings.layer)
    weights = trace[f"{where}.weights"][0, settings.head]
    mask = mask_of(settings.kind, sequences)
    steps = dropout_steps(weights, p, torch.Generator().manual_seed(seed))
    panels = _panels(chapter, names_of(say, settings.kind, sequences, {}), weights.numpy(), ~mask.numpy(), steps, p)
    origin = at_hand.provenance(f"dropout_steps(weights, {p:g})", *weights.shape, head=settings.head)
    show(
        chapter,
        Figure(
            "dropout",
            Board(panels, cell="drop_cell", result="dropped"),
            say("dropout.alt"),
            f"{origin} · dropout seed {seed}",
            code=[dropout_steps, drop],
            program=dropout_snippet(at_hand, sequences, where, settings.head, p, seed),
        ),
    )
    dropped = steps.output.numpy()
    st.markdown(
        say(
            "dropout.text",
            factor=number(steps.factor),
            gone=int((mask & ~steps.keep).sum()),
            all=int(mask.sum()),
            largest=number(float(dropped.max())),
            above=int((dropped > 1).sum()),
        )
    )
    if at_hand.step is not None:
        st.markdown(say("dropout.trained", trained=number(at_hand.config.dropout)))


def _panels(
    chapter: Chapter, names: Names, weights: np.ndarray, blocked: np.ndarray, steps: DropoutSteps, p: float
) -> list[Panel]:
    say = chapter.say
    a, keep, dropped = Matrix("weights"), Matrix("keep"), Matrix("dropped")
    before = Panel(
        "weights",
        weights,
        title=say("panel.weights"),
        row_labels=names.queries,
        col_labels=names.keys,
        row_axis=names.query_axis,
        col_axis=names.key_axis,
        scale="probability",
        high=1.0,
        blocked=blocked,
        padded_rows=names.padded_queries,
        padded_cols=names.padded_keys,
        digits=4,
        symbol="α",
    )
    after = replace(before, high=HIGHEST)
    return [
        before,
        replace(before, key="keep", values=steps.keep.numpy(), title=say("dropout.keep"), place=(0, 1), symbol="κ"),
        replace(
            after,
            key="dropped",
            values=steps.output.numpy(),
            title=say("dropout.dropped"),
            made=a[I, J] * keep[I, J] / (1 - Number(p, "p")),
            symbol="α′",
            place=(0, 2),
        ),
        Panel(
            "sums",
            steps.output.sum(-1, keepdim=True).numpy(),
            title=say("dropout.sums"),
            row_labels=names.queries,
            scale="probability",
            high=HIGHEST,
            digits=4,
            made=total(K, weights.shape[1], dropped[I, K]),
            symbol="r",
            place=(0, 3),
        ),
    ]
