"""Layers lab: pre- and post-norm trained on the copy task, side by side."""

import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from transformer_core.train import train
from transformer_core.train_config import TrainConfig
from ui import controls, session
from ui.caption import caption
from ui.drawing import chart
from ui.figures.arithmetic import number
from ui.figures.layers import two_colors
from ui.figures.positions import curves
from ui.runs import Refused
from ui.shell import Chapter

STEPS = 200
WARMUP = 50
RATE = 2e-3
KEPT = 64  # finished runs
LOOK = 0.2  # seconds between two looks at the worker


class Finished(NamedTuple):
    losses: np.ndarray  # (STEPS + 1,) of the batch before each update
    exact_match: float


def settings_of(N: int, warmup: bool, seed: int, norm_first: bool) -> TrainConfig:
    return TrainConfig(N=N, norm_first=norm_first, rate=RATE, warmup=WARMUP if warmup else 0, steps=STEPS, seed=seed)


@st.cache_resource(show_spinner=False)
def _kept() -> dict[TrainConfig, Finished]:
    """Finished runs, for all readers: the same settings give the same run."""
    return {}


def trained(
    configs: Sequence[TrainConfig], bar: "st.delta_generator.DeltaGenerator", text: str
) -> list[Finished] | None:
    """All of them, trained in the worker unless they were before. None if the worker has lost one on the way.

    Refused if there are too many runs already. A reader who goes away meanwhile may come back to the same runs.
    """
    kept, runs = _kept(), session.runs()
    missing = {config: runs.adopt(config) or runs.start(config) for config in configs if config not in kept}
    try:
        while missing:
            seen = [runs.snapshot(run) for run in missing.values()]
            bar.progress(min(1.0, sum(run.step for run in seen) / (len(seen) * STEPS)), text)
            if not any(run.active for run in seen):
                break
            time.sleep(LOOK)
    finally:
        for run in missing.values():
            runs.leave(run)
    for config, run in missing.items():
        snapshot = runs.snapshot(run)
        if snapshot.state != "done":
            return None
        while len(kept) >= KEPT:
            kept.pop(next(iter(kept)))
        kept[config] = Finished(snapshot.history.loss, float(snapshot.history.exact_match[-1]))
    return [kept[config] for config in configs]


@st.fragment
def training_lab(chapter: Chapter) -> None:
    say = chapter.say
    left, middle, right = st.columns([2, 1, 2], vertical_alignment="bottom")
    with left:
        N = controls.slider(chapter, "N")
    with middle:
        warmup = controls.toggle(chapter, "warmup")
    with right:
        seed = controls.slider(chapter, "train_seed", 0, 20)
    configs = {name: settings_of(N, warmup, seed, name == "pre") for name in ("pre", "post")}
    asked = f"{N}.{int(warmup)}.{seed}"
    ready = all(config in _kept() for config in configs.values())
    st.button(say("train.button"), key="layers.train", on_click=chapter.put, args=("trained", asked), disabled=ready)
    if not ready and chapter.settings.trained != asked:
        st.caption(say("train.waiting", N=N, steps=STEPS))
        return
    bar = st.progress(0.0, say("train.running"))
    try:
        both = trained(list(configs.values()), bar, say("train.running"))
    except Refused:
        both = None
    bar.empty()
    if both is None:
        st.warning(say("train.lost"))
        return
    chapter.put("trained", asked)
    show(chapter, dict(zip(configs, both)), configs["pre"])


def show(chapter: Chapter, results: dict[str, Finished], config: TrainConfig) -> None:
    say = chapter.say
    steps = np.arange(STEPS + 1)
    picture = curves(
        steps, {say(f"depth.{name}"): run.losses for name, run in results.items()}, chapter.mode,
        x_title=say("train.step"), y_title=say("train.loss"), colors=two_colors(chapter.mode),
        levels={"": math.log(config.vocab - 1)}, y_range=(0, 4), height=320,
    )  # fmt: skip
    chart(chapter, "training", picture, alt=say("train.alt"))
    matches = {name: f"{run.exact_match:.1%}" for name, run in results.items()}
    chapter.write("train.measured", steps=STEPS, guessing=number(math.log(config.vocab - 1), 3), **matches)
    caption(
        chapter,
        "training",
        f"loss · 2 × {STEPS + 1} · N {config.N} · rate {RATE:g} · warm-up {config.warmup} · seed {config.seed}",
        numbers=np.stack([steps, results["pre"].losses, results["post"].losses], axis=1),
        columns=[say("train.step"), say("depth.pre"), say("depth.post")],
        code=[train],
        snippet=training_snippet(config.N, config.warmup, config.seed),
    )


def training_snippet(N: int, warmup: int, seed: int) -> str:
    return (
        "from transformer_core.train import train\nfrom transformer_core.train_config import TrainConfig\n\n"
        "def losses(norm_first):\n"
        f"    settings = dict(N={N}, rate={RATE}, warmup={warmup}, steps={STEPS}, seed={seed})\n"
        "    return [report.loss for report in train(TrainConfig(norm_first=norm_first, **settings))]\n\n"
        "shown = [losses(True), losses(False)]\nprint(shown)\n"
    )
