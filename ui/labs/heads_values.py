"""Every head of the model at hand: its weights or scores, and what they measure."""

from typing import NamedTuple

import numpy as np

from transformer_core import Trace, entropy
from transformer_core.head_measures import attention_distance, offset_share
from transformer_core.train_config import TrainConfig
from ui.figures.wall import HeadName
from ui.labs.attention_values import path
from ui.settings.attention import KINDS


class Measures(NamedTuple):
    """Of one head on one sequence, each averaged over its queries."""

    entropy: float  # nats
    distance: float  # positions
    previous: float  # weight on the key one position before the query
    same: float
    following: float


def every_head(config: TrainConfig) -> list[HeadName]:
    return [HeadName(kind, layer, head) for kind in KINDS for layer in range(config.N) for head in range(config.h)]


def values_of(trace: Trace, name: HeadName, tap: str) -> np.ndarray:
    return trace[f"{path(name.kind, name.layer)}.{tap}"][0, name.head].numpy()


def measures_of(trace: Trace, name: HeadName) -> Measures:
    weights = trace[f"{path(name.kind, name.layer)}.weights"][0, name.head]
    shares = [float(offset_share(weights, offset)) for offset in (-1, 0, 1)]
    return Measures(float(entropy(weights).mean()), float(attention_distance(weights)), *shares)
