"""The learning rate of each update (paper, section 5.3, and two others)."""

import math

from transformer_core.noam import noam_rate
from transformer_core.training.config import TrainConfig

LAST_RATE = 0.02  # share of the highest rate at which the cosine ends


def learning_rate(config: TrainConfig, step: int) -> float:
    """The rate of update `step` = 1, 2, …: up in a line over `warmup` steps, then as the schedule says."""
    if config.schedule == "noam":
        return noam_rate(step, config.d_model, config.factor, max(config.warmup, 1))
    if step <= config.warmup:
        return config.rate * step / config.warmup
    if config.schedule == "constant":
        return config.rate
    done = (step - config.warmup) / (config.steps - config.warmup)
    return config.rate * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * done)) / 2)
