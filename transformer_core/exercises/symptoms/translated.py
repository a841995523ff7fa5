"""Sentences of the shipped translator's task, and the settings of small models that learn it."""

from typing import Any

from transformer_core.tasks import WordTask
from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.vocabulary import PAD
from transformer_core.training.config import TrainConfig

MEASURED = 24  # sentences


def small_config(seed: int, **changes: Any) -> TrainConfig:
    return TrainConfig.of_task("translate", "both", d_model=32, seed=seed, **changes)


def translation_task() -> WordTask:
    words = small_config(0).words
    assert words is not None
    return words


def unseen_pairs(seed: int) -> tuple[Pairs, int]:
    """Sentences that no run trains on, the one of the seed first, and how many tokens its answer has."""
    every = translation_task().held_out(seed + MEASURED)
    pairs = Pairs(*(side[seed:] for side in every))
    return pairs, int((pairs.tgt[0, 1:] != PAD).sum())
