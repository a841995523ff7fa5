"""A model trained on random answers, beside what it makes of pairs that it has never seen."""

import math
from collections.abc import Mapping

import numpy as np

from transformer_core.tasks.random_task import HELD_OUT, TRAINED, random_pairs
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.run import TrainingRun
from ui.chapters.shared.pair_of_runs import OfPair, Pair, PairLab, pair_lab, trained_again
from ui.figures import TWO_COLORS, Figure, Style, XAxis, YAxis, curves, number
from ui.sections import Chapter, Choice, Section, predict, show
from ui.settings.fields import whole
from ui.theme import css

LEARNED = Choice("learned", ("rule", "heart", "nothing"), right="heart")


class Random(OfPair):
    random_seed: int = whole(0, 0, 20)


@Section("random", settings=Random, text="text", asks=(LEARNED,))
def random_answers(chapter: Chapter[Random]) -> None:
    """A link to the finished run shows it, whoever has answered."""
    if predict(chapter, LEARNED) or chapter.settings.trained:
        pair_lab(chapter, PairLab(("random_seed",), {"random_seed": {}}, (3, 1), run_of, waiting, finished))


def run_of(chapter: Chapter[Random]) -> Pair:
    return {"random": TrainConfig.random(chapter.settings.random_seed)}


def waiting(chapter: Chapter[Random]) -> None:
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


def finished(chapter: Chapter[Random], histories: Mapping[str, History]) -> None:
    say, config, history = chapter.say, run_of(chapter)["random"], histories["random"]
    measured = np.isfinite(history.held_out)
    steps, trained, held_out = (values[measured] for values in (history.step, history.loss, history.held_out))
    others = config.vocab - 1  # padding is never an answer
    guessing = math.log(others)
    level = f"ln {others:,} = {guessing:.2f}"
    columns = [say("label.step"), say("random.trained"), say("random.held_out")]
    picture = curves(
        steps,
        {columns[1]: trained, columns[2]: held_out, level: np.full(len(steps), guessing)},
        x_axis=XAxis(columns[0]),
        y_axis=YAxis(say("random.loss"), range=(0, 12)),
        style=Style(colors=[*TWO_COLORS, css("quiet")], dashed=[level]),
        height=320,
    )
    figure = Figure(
        "random",
        picture,
        f"loss, held_out · 2 × {len(steps)} · {TRAINED} + {HELD_OUT} × {config.length} · rate {config.rate:g} · "
        f"clip {config.clip:g} · seed {config.seed}",
        np.stack([steps, trained, held_out], axis=1),
        columns,
        code=[random_pairs, TrainingRun.update],
        program=trained_again(
            run_of(chapter),
            "np.concatenate([np.stack([h.step, h.loss, h.held_out], 1)[np.isfinite(h.held_out)] for h in histories])",
        ),
    )
    show(chapter, figure)
    chapter.write(
        "random.measured",
        first=number(float(held_out[0]), 3),
        trained=number(float(trained[-1]), 3),
        held=number(float(held_out[-1]), 3),
        guessing=number(guessing, 3),
        match=f"{history.exact_match[-1]:.1%}",
        others=f"{others:,}",
    )
    chapter.write("random.why", "random.printed", "random.notes")
