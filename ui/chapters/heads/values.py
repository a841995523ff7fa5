"""Every head of the model at hand: its weights or scores, and what they measure."""

from collections.abc import Callable

import numpy as np
from torch import Tensor

from transformer_core import Trace, entropy
from transformer_core.experiments.head_measures import attention_distance, neighbour_weights
from transformer_core.training.state_dict import ModelConfig
from ui.chapters.shared.attention_values import path
from ui.figures.wall import HeadName
from ui.settings.kinds import KINDS

# What is measured of a head: one number per query, of which the mean is shown.
MEASURES: dict[str, Callable[[Tensor], Tensor]] = {
    "previous": lambda weights: neighbour_weights(weights, -1),
    "same": lambda weights: neighbour_weights(weights, 0),
    "following": lambda weights: neighbour_weights(weights, 1),
    "entropy": entropy,
    "distance": attention_distance,
}


def every_head(config: ModelConfig) -> list[HeadName]:
    return [HeadName(kind, layer, head) for kind in KINDS for layer in range(config.N) for head in range(config.h)]


def values_of(trace: Trace, name: HeadName, tap: str) -> np.ndarray:
    """What was tapped of this head: (T, S) for its weights or scores."""
    return trace[f"{path(name.kind, name.layer)}.{tap}"][0, name.head].numpy()


def measured(trace: Trace, name: HeadName, measure: str) -> np.ndarray:
    """One number per query; empty where no query has that neighbour."""
    return MEASURES[measure](trace[f"{path(name.kind, name.layer)}.weights"][0, name.head]).numpy()


def mean(parts: np.ndarray) -> float:
    return float(parts.mean()) if parts.size else float("nan")
