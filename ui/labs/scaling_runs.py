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
from ui.figures.softmax_curves import against_step
from ui.labs import scaling_pair, scaling_snippets
from ui.runs import Refused
from ui.shell import Chapter

TICK = 0.7  # seconds between two looks at runs on their way
MEASURED = ("loss", "query_norm", "key_norm")  # at every step


def trial_lab(chapter: Chapter) -> None:
    """The lab as a fragment that looks again by itself while a run is on its way."""
    pair = pair_of(chapter)
    if chapter.settings.trained == asked(chapter) and not scaling_pair.on_their_way(pair):
        try:
            scaling_pair.start(pair)
        except Refused as refused:
            chapter.put("trained", "")
            st.warning(chapter.say("run.refused", limit=refused.limit))
    ticking = any(snapshot.active for snapshot in scaling_pair.on_their_way(pair))
    st.fragment(_trial, run_every=TICK if ticking else None)(chapter, ticking)


def asked(chapter: Chapter) -> str:
    """How a link names the pair that is set."""
    return f"{chapter.settings.run_heads}.{chapter.settings.run_seed}"


def pair_of(chapter: Chapter) -> scaling_pair.Pair:
    settings = chapter.settings
    config = TrainConfig(h=int(settings.run_heads), seed=settings.run_seed)
    return {"scaled": config, "plain": replace(config, scale=False)}


def _trial(chapter: Chapter, ticking: bool) -> None:
    say = chapter.say
    left, middle, right = st.columns([2, 2, 1], vertical_alignment="bottom")
    with left:
        controls.choose(chapter, "run_heads")
    with middle:
        controls.slider(chapter, "run_seed")
    pair = pair_of(chapter)
    histories, seen = scaling_pair.finished(pair), scaling_pair.on_their_way(pair)
    active = any(snapshot.active for snapshot in seen)
    with right:
        _button(chapter, pair, done=len(histories) == len(pair), active=active)
    if active != ticking:
        st.rerun()
    config = pair["scaled"]
    if active:
        trained = config.steps * len(histories) + sum(snapshot.step for snapshot in seen)
        share = trained / (config.steps * len(pair))
        st.progress(share, say("run.running", share=f"{share:.0%}"))
    elif seen:
        scaling_pair.stop(pair)
        chapter.put("trained", "")
        st.warning(say("run.lost"))
    elif len(histories) == len(pair):
        show(chapter, config, histories)
    else:
        chapter.write("run.waiting", steps=config.steps, d_k=config.d_model // config.h)


def _button(chapter: Chapter, pair: scaling_pair.Pair, *, done: bool, active: bool) -> None:
    if active:
        if st.button(chapter.say("run.stop"), icon=":material/stop:", key="scaling.stop"):
            scaling_pair.stop(pair)
            chapter.put("trained", "")
            st.rerun()
    elif st.button(chapter.say("run.start"), icon=":material/play_arrow:", key="scaling.start", disabled=done):
        chapter.put("trained", asked(chapter))
        st.rerun()


def show(chapter: Chapter, config: TrainConfig, histories: Mapping[str, History]) -> None:
    """Loss and gradient norms of both runs, and what they came to."""
    say = chapter.say
    names = {name: say(f"run.{name}") for name in histories}
    left, right = st.columns(2)
    for measured, place in (("loss", left), ("entropy", right), ("query_norm", left), ("key_norm", right)):
        curves = {name: series(history, measured) for name, history in histories.items()}
        labels = names | {"step": say("run.step"), "y": say(f"run.{measured}")}
        picture = against_step(curves, labels, chapter.mode, log=measured != "entropy")
        with place:
            chart(chapter, measured, picture, alt=say(f"run.{measured}"))
    scaled, plain = histories["scaled"], histories["plain"]
    chapter.write(
        "run.outcome",
        scaled=f"{scaled.exact_match[-1]:.1%}",
        plain=f"{plain.exact_match[-1]:.1%}",
        scaled_loss=number(float(scaled.loss[-1]), 2),
        plain_loss=number(float(plain.loss[-1]), 2),
        ratio=number(float(plain.query_norm[1] / scaled.query_norm[1]), 2),
    )
    shown = [getattr(history, measured)[1:] for history in histories.values() for measured in MEASURED]
    caption(
        chapter,
        "runs",
        f"loss, entropy, W_Q, W_K · 2 × {config.steps} · d_model {config.d_model} · h {config.h} · seed {config.seed}",
        numbers=np.column_stack([scaled.step[1:], *shown]),
        columns=[say("run.step"), *(f"{say(f'run.{m}')}, {names[name]}" for name in histories for m in MEASURED)],
        code=[train, entropy],
        snippet=scaling_snippets.runs(config.h, config.seed),
    )


def series(history: History, measured: str) -> tuple[np.ndarray, np.ndarray]:
    """Steps and values of one measured quantity. The cross-attention is known at the steps with a probe."""
    if measured == "entropy":
        weights = torch.tensor(history.cross_attention, dtype=torch.float32)  # (k, N, h, T, L)
        return history.probe_step, entropy(weights).flatten(1).mean(1).numpy()
    return history.step[1:], getattr(history, measured)[1:]  # at step 0 there is no gradient yet
