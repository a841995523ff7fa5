"""Loss chapter: a model trained on random answers, beside what it makes of pairs that it has never seen."""

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

from transformer_core.history import History
from transformer_core.random_task import HELD_OUT, TRAINED, random_pairs
from transformer_core.train_config import TrainConfig
from transformer_core.training_run import TrainingRun
from ui import controls
from ui.caption import caption
from ui.drawing import chart
from ui.figures.arithmetic import number
from ui.figures.curves import curves, two_colors
from ui.labs.pair_of_runs import Pair, PairLab, pair_lab
from ui.predict import predict_choice
from ui.shell import Chapter
from ui.theme import color

OPTIONS = ("rule", "heart", "nothing")


def random_lab(chapter: Chapter) -> None:
    """A link to the finished run shows it, whoever has answered."""
    if predict_choice(chapter, "learned", OPTIONS, "heart") or chapter.settings.trained:
        pair_lab(chapter, PairLab(settings, run_of, named, waiting, show))
        chapter.write("random.why")
        chapter.write("random.notes")


def settings(chapter: Chapter) -> "st.delta_generator.DeltaGenerator":
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        controls.slider(chapter, "random_seed")
    return right


def run_of(chapter: Chapter) -> Pair:
    return {"random": TrainConfig.random(chapter.settings.random_seed)}


def named(chapter: Chapter) -> str:
    return str(chapter.settings.random_seed)


def waiting(chapter: Chapter) -> None:
    config = run_of(chapter)["random"]
    chapter.write(
        "random.waiting",
        steps=config.steps,
        pairs=TRAINED,
        held=HELD_OUT,
        length=config.length,
        vocab=f"{config.vocab:,}",
        parameters=f"{config.parameters:,}",
    )


def show(chapter: Chapter, histories: Mapping[str, History]) -> None:
    say, config, history = chapter.say, run_of(chapter)["random"], histories["random"]
    measured = np.isfinite(history.held_out)
    steps, trained, held_out = (values[measured] for values in (history.step, history.loss, history.held_out))
    guessing = math.log(config.vocab)
    level = f"ln {config.vocab:,} = {guessing:.2f}"
    lines = {say("random.trained"): trained, say("random.held_out"): held_out}
    picture = curves(
        steps, lines | {level: np.full(len(steps), guessing)}, chapter.mode,
        x_title=say("label.step"), y_title=say("random.loss"), dashed=[level], y_range=(0, 12), height=320,
        colors=[*two_colors(chapter.mode), color("quiet", chapter.mode)],
    )  # fmt: skip
    chart(chapter, "random", picture, alt=say("random.alt"))
    chapter.write(
        "random.measured",
        first=number(float(held_out[0]), 3),
        trained=number(float(trained[-1]), 3),
        held=number(float(held_out[-1]), 3),
        guessing=number(guessing, 3),
        match=f"{history.exact_match[-1]:.1%}",
        vocab=f"{config.vocab:,}",
    )
    caption(
        chapter,
        "random",
        f"loss, held_out · 2 × {len(steps)} · {TRAINED} + {HELD_OUT} × {config.length} · rate {config.rate:g} · "
        f"clip {config.clip:g} · seed {config.seed}",
        numbers=np.stack([steps, trained, held_out], axis=1),
        columns=[say("label.step"), say("random.trained"), say("random.held_out")],
        code=[random_pairs, TrainingRun.update],
        snippet=random_snippet(config.seed),
    )


def random_snippet(seed: int) -> str:
    return (
        "from transformer_core.train import train\nfrom transformer_core.train_config import TrainConfig\n\n"
        f"reports = [r for r in train(TrainConfig.random(seed={seed})) if r.held_out is not None]\n"
        "shown = [[r.step, r.loss, r.held_out] for r in reports]\nprint(shown)\n"
    )
