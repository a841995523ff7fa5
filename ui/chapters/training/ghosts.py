"""Earlier runs, quietly behind the curves of the one on the page."""

import numpy as np

from transformer_core.training.config import TrainConfig
from ui.chapters.training.differing import name_of
from ui.chapters.training.figures.run import Curve, Ghost
from ui.sections import AnyChapter
from ui.session import session


def ghosts(chapter: AnyChapter, config: TrainConfig) -> list[Ghost]:
    """Those of the same task, by their number and name in the table of runs; the rival is one of them."""
    mine = session()
    rival = mine.beside.config if mine.beside else None
    return [
        Ghost(f"{at}: {name_of(chapter.say, past.config)}", _curve(past.loss), _curve(past.match), past.config == rival)
        for at, past in enumerate(mine.past, 1)
        if past.config != config and alike(past.config, config)
    ]


def _curve(line: np.ndarray) -> Curve:
    return line[0], line[1]


def alike(one: TrainConfig, other: TrainConfig) -> bool:
    """Whether their losses mean the same: guessing costs as much."""
    return all(getattr(one, name) == getattr(other, name) for name in ("task", "direction", "pairs", "tgt_vocab"))
