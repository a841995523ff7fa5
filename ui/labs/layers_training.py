"""Layers lab: pre- and post-norm trained on the copy task, side by side."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from transformer_core.history import History
from transformer_core.train import train
from transformer_core.train_config import TrainConfig
from ui import controls
from ui.caption import caption
from ui.drawing import chart
from ui.figures.arithmetic import number
from ui.figures.curves import curves
from ui.figures.layers import two_colors
from ui.labs.pair_of_runs import Pair, PairLab, pair_lab
from ui.labs.training_values import guess_of
from ui.shell import Chapter

STEPS = 200
WARMUP = 50
RATE = 2e-3
SECONDS = 5  # of one core, roughly, for each layer of the two


def training_lab(chapter: Chapter) -> None:
    pair_lab(chapter, PairLab(settings, pair_of, named, waiting, show))


def settings(chapter: Chapter) -> "st.delta_generator.DeltaGenerator":
    columns = st.columns([3, 2, 3, 2], vertical_alignment="bottom")
    with columns[0]:
        controls.slider(chapter, "N")
    with columns[1]:
        controls.toggle(chapter, "warmup")
    with columns[2]:
        controls.slider(chapter, "train_seed", 0, 20)
    return columns[3]


def pair_of(chapter: Chapter) -> Pair:
    chosen = chapter.settings
    warmup = WARMUP if chosen.warmup else 0
    return {
        name: TrainConfig(
            N=chosen.N, norm_first=name == "pre", rate=RATE, warmup=warmup, steps=STEPS, seed=chosen.train_seed
        )
        for name in ("pre", "post")
    }


def named(chapter: Chapter) -> str:
    chosen = chapter.settings
    return f"{chosen.N}.{int(chosen.warmup)}.{chosen.train_seed}"


def waiting(chapter: Chapter) -> None:
    N = chapter.settings.N
    chapter.write("train.waiting", N=N, steps=STEPS, seconds=SECONDS * N)


def show(chapter: Chapter, histories: Mapping[str, History]) -> None:
    say, config = chapter.say, pair_of(chapter)["pre"]
    pre, post = histories["pre"], histories["post"]
    picture = curves(
        pre.step, {say("depth.pre"): pre.loss, say("depth.post"): post.loss}, chapter.mode,
        x_title=say("train.step"), y_title=say("train.loss"), colors=two_colors(chapter.mode),
        levels={"": guess_of(config)}, y_range=(0, 4), height=320,
    )  # fmt: skip
    chart(chapter, "training", picture, alt=say("train.alt"))
    matches = {name: f"{history.exact_match[-1]:.1%}" for name, history in histories.items()}
    guessing = number(guess_of(config), 3)
    chapter.write("train.measured", steps=STEPS, answers=config.vocab - 1, guessing=guessing, **matches)
    caption(
        chapter,
        "training",
        f"loss · 2 × {STEPS + 1} · N {config.N} · rate {RATE:g} · warm-up {config.warmup} · seed {config.seed}",
        numbers=np.stack([pre.step, pre.loss, post.loss], axis=1),
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
