"""Dropout on the weights, shown apart from the weights: why a weight can exceed 1 in other tools."""

from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from transformer_core.dropout import DropoutSteps, drop, dropout_steps
from ui.chapters.attention.head import OfHead
from ui.chapters.shared.attention_values import mask_of, names_of, path, recording
from ui.figures import Board, Figure, Panel, ProgramArgument, number, runnable
from ui.figures.formula import I, J, K, Matrix, Number, total
from ui.figures.stages import Names
from ui.model import recorded
from ui.sections import Chapter, Quantity, Section, controls, show
from ui.settings.fields import Settings, real, whole

HIGHEST = 2.0  # 1/(1-p) at the largest p of the slider
P, WEIGHT = 0.25, 0.9  # the question's own numbers, so that the answer is not on screen
KEPT = Quantity("kept", WEIGHT / (1 - P), {"kept.wrong.no_factor": WEIGHT, "kept.wrong.smaller": WEIGHT * (1 - P)})


class AttentionDropoutSettings(Settings):
    p: float = real(0.1, 0, 0.5)
    seed: int = whole(0, 0, 9999)


@Section("dropout", settings=AttentionDropoutSettings, cell="drop_cell=dropped.3.4", reads=(OfHead,), first=KEPT)
def dropped_weights(chapter: Chapter[AttentionDropoutSettings]) -> None:
    say, at_hand, sequences, of = chapter.say, chapter.at_hand, chapter.typed, chapter.of(OfHead).settings
    p, seed = controls.side_by_side(chapter, [2, 1], p={"step": 0.05}, seed={"high": 20})
    where = path(of.kind, of.layer)
    weights = recorded(at_hand, sequences.src, sequences.given)[f"{where}.weights"][0, of.head]
    mask = mask_of(of.kind, sequences)
    generator = torch.Generator().manual_seed(seed)
    steps = dropout_steps(weights, p, generator)
    panels = _panels(chapter, names_of(say, of.kind, sequences, {}), weights.numpy(), ~mask.numpy(), steps, p)
    origin = at_hand.provenance(f"dropout_steps(weights, {p:g})", *weights.shape, head=of.head)
    given = ProgramArgument(
        "weights", f"{recording(at_hand, sequences)}weights = trace['{where}.weights'][0, {of.head}]\n"
    )
    figure = Figure(
        "dropout",
        Board(panels, result="dropped"),
        f"{origin} · dropout seed {seed}",
        code=[dropout_steps, drop],
        program=runnable(dropout_steps, given, p, generator, then=".output"),
    )
    show(chapter, figure)
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
    chapter: Chapter[AttentionDropoutSettings],
    names: Names,
    weights: np.ndarray,
    blocked: np.ndarray,
    steps: DropoutSteps,
    p: float,
) -> list[Panel]:
    say = chapter.say
    a, keep, dropped = Matrix("weights"), Matrix("keep"), Matrix("dropped")
    before = Panel(
        "weights",
        weights,
        title=say("panel.weights"),
        **names.rows(),
        **names.columns(),
        scale="probability",
        high=1.0,
        blocked=blocked,
        digits=4,
        symbol="α",
    )
    after = replace(before, high=HIGHEST)
    return [
        before,
        replace(before, key="keep", values=steps.keep.numpy(), title=say("dropout.keep"), symbol="κ"),
        replace(
            after,
            key="dropped",
            values=steps.output.numpy(),
            title=say("dropout.dropped"),
            made=a[I, J] * keep[I, J] / (1 - Number(p, "p")),
            symbol="α′",
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
        ),
    ]
