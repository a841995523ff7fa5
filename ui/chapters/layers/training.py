"""Pre- and post-norm trained on the copy task, side by side."""

from collections.abc import Mapping

import numpy as np

from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import History
from ui.chapters.shared.pair_of_runs import OfPair, Pair, PairLab, pair_lab, trained_again
from ui.figures import TWO_COLORS, number, plotted
from ui.sections import Chapter, Section, show
from ui.settings.fields import flag, whole

STEPS = 200
WARMUP = 50
RATE = 2e-3
SECONDS = 5  # of one core, roughly, for each layer of the two


class TrainingSettings(OfPair):
    N: int = whole(4, 1, 4)  # of both trained: with fewer the two hardly differ
    warmup: bool = flag(False)
    train_seed: int = whole(0, 0, 9999)


@Section("train", settings=TrainingSettings, text="text")
def training(chapter: Chapter[TrainingSettings]) -> None:
    shown = {"N": {}, "warmup": {}, "train_seed": {"high": 20}}
    pair_lab(chapter, PairLab(tuple(shown), shown, (3, 2, 3, 2), pair_of, waiting, losses))


def pair_of(chapter: Chapter[TrainingSettings]) -> Pair:
    chosen = chapter.settings
    warmup = WARMUP if chosen.warmup else 0
    return {
        name: TrainConfig(
            N=chosen.N, norm_first=name == "pre", rate=RATE, warmup=warmup, steps=STEPS, seed=chosen.train_seed
        )
        for name in ("pre", "post")
    }


def waiting(chapter: Chapter[TrainingSettings]) -> None:
    N = chapter.settings.N
    chapter.write("train.waiting", N=N, steps=STEPS, seconds=SECONDS * N)


def losses(chapter: Chapter[TrainingSettings], histories: Mapping[str, History]) -> None:
    say, pair = chapter.say, pair_of(chapter)
    config = pair["pre"]
    table = np.stack([histories["pre"].step, *(history.loss for history in histories.values())], axis=1)
    figure = plotted(
        "training",
        table,
        [say("train.step"), *(say(f"depth.{name}") for name in histories)],
        f"loss · 2 × {STEPS + 1} · N {config.N} · rate {RATE:g} · warm-up {config.warmup} · seed {config.seed}",
        code=[train],
        program=trained_again(pair, "np.stack([histories[0].step, *(run.loss for run in histories)], axis=1)"),
        y_title=say("train.loss"),
        colors=TWO_COLORS,
        levels={"": guess_of(config)},
        y_range=(0, 4),
        height=320,
        alt=say("train.alt"),
    )
    show(chapter, figure)
    matches = {name: f"{history.exact_match[-1]:.1%}" for name, history in histories.items()}
    guessing = number(guess_of(config), 3)
    chapter.write("train.measured", steps=STEPS, answers=config.vocab - 1, guessing=guessing, **matches)
