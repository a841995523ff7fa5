"""Scaling lab: the same model trained with and without 1/√d_k, from the page, side by side."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from transformer_core import entropy
from transformer_core.history import History
from transformer_core.train import train
from transformer_core.train_config import TrainConfig
from ui import controls
from ui.caption import caption
from ui.drawing import chart
from ui.figures.arithmetic import number
from ui.figures.curves import curves
from ui.labs import scaling_snippets
from ui.labs.pair_of_runs import Pair, PairLab, pair_lab
from ui.shell import Chapter
from ui.theme import color

COLORS = {"scaled": "right", "plain": "wrong"}
MEASURED = ("loss", "entropy", "query_norm", "key_norm")


def trial_lab(chapter: Chapter) -> None:
    pair_lab(chapter, PairLab(settings, pair_of, named, waiting, show))


def settings(chapter: Chapter) -> "st.delta_generator.DeltaGenerator":
    left, middle, right = st.columns([2, 2, 1], vertical_alignment="bottom")
    with left:
        controls.choose(chapter, "run_heads")
    with middle:
        controls.slider(chapter, "run_seed")
    return right


def pair_of(chapter: Chapter) -> Pair:
    config = TrainConfig(h=int(chapter.settings.run_heads), seed=chapter.settings.run_seed)
    return {"scaled": config, "plain": replace(config, scale=False)}


def named(chapter: Chapter) -> str:
    return f"{chapter.settings.run_heads}.{chapter.settings.run_seed}"


def waiting(chapter: Chapter) -> None:
    config = pair_of(chapter)["scaled"]
    chapter.write("run.waiting", steps=config.steps, d_k=config.d_model // config.h)


def show(chapter: Chapter, histories: Mapping[str, History]) -> None:
    """Loss and gradient norms of both runs, and what they came to."""
    say, config = chapter.say, pair_of(chapter)["scaled"]
    names = {name: say(f"run.{name}") for name in histories}
    left, right = st.columns(2)
    for measured, place in zip(MEASURED, (left, right, left, right)):
        found = {name: series(history, measured) for name, history in histories.items()}
        picture = curves(
            found["scaled"][0],
            {names[name]: values for name, (_, values) in found.items()},
            chapter.mode,
            x_title=say("run.step"),
            y_title=say(f"run.{measured}"),
            colors=[color(COLORS[name], chapter.mode) for name in found],
            log_y=measured != "entropy",
        )
        with place:
            chart(chapter, f"run_{measured}", picture, alt=say(f"run.{measured}"))
    scaled, plain = histories["scaled"], histories["plain"]
    chapter.write(
        "run.outcome",
        scaled=f"{scaled.exact_match[-1]:.1%}",
        plain=f"{plain.exact_match[-1]:.1%}",
        scaled_loss=number(float(scaled.loss[-1]), 2),
        plain_loss=number(float(plain.loss[-1]), 2),
        ratio=number(float(plain.query_norm[1] / scaled.query_norm[1]), 2),
        **{f"{name}_late": number(late(history), 2) for name, history in histories.items()},
        **{
            f"{name}_entropy": number(float(series(history, "entropy")[1][-1]), 2)
            for name, history in histories.items()
        },
    )
    shown = [column(history, measured) for history in histories.values() for measured in MEASURED]
    caption(
        chapter,
        "runs",
        f"loss, entropy, W_Q, W_K · 2 × {config.steps} · d_model {config.d_model} · h {config.h} · seed {config.seed}",
        numbers=np.column_stack([scaled.step, *shown]),
        columns=[say("run.step"), *(f"{say(f'run.{m}')}, {names[name]}" for name in histories for m in MEASURED)],
        code=[train, entropy],
        snippet=scaling_snippets.runs(config.h, config.seed),
    )


def late(history: History) -> float:
    """The gradient norm of W_Q over the second half of the run: the median, which no single spike moves."""
    return float(np.median(history.query_norm[len(history.step) // 2 :]))


def series(history: History, measured: str) -> tuple[np.ndarray, np.ndarray]:
    """Steps and values of one measured quantity. The cross-attention is known at the steps with a probe."""
    if measured == "entropy":
        weights = torch.tensor(history.cross_attention, dtype=torch.float32)  # (k, N, h, T, L)
        return history.probe_step, entropy(weights).flatten(1).mean(1).numpy()
    return history.step[1:], getattr(history, measured)[1:]  # at step 0 there is no gradient yet


def column(history: History, measured: str) -> np.ndarray:
    """The series as a column of the table, a row per step: NaN at the steps that it leaves out."""
    steps, values = series(history, measured)
    rows = np.full(len(history.step), np.nan)
    rows[np.searchsorted(history.step, steps)] = values
    return rows
