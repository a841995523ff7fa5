"""The learning rate of each update: the paper's schedule (section 5.3, equation 3), known as Noam's, and two others."""

import math
from typing import Protocol

LAST_RATE = 0.02  # share of the highest rate at which the cosine ends


class Schedule(Protocol):
    """What the settings of a run say of its rate: `schedule` is noam, constant or cosine."""

    @property
    def schedule(self) -> str: ...
    @property
    def d_model(self) -> int: ...
    @property
    def factor(self) -> float: ...
    @property
    def rate(self) -> float: ...
    @property
    def warmup(self) -> int: ...
    @property
    def steps(self) -> int: ...


def noam_rate(step: int, d_model: int, factor: float = 1.0, warmup: int = 4000) -> float:
    """factor · d_model^-0.5 · min(step^-0.5, step · warmup^-1.5): up in a line, then down with 1/√step. 0 at step 0.

    ValueError if d_model or the number of warm-up steps is not positive.
    """
    if d_model < 1 or warmup <= 0:
        raise ValueError(f"d_model and the number of warm-up steps must be positive, not {d_model} and {warmup}")
    if step <= 0:
        return 0.0
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def learning_rate(config: Schedule, step: int) -> float:
    """The rate of update `step` = 1, 2, …: up in a line over `warmup` steps, then as the schedule says."""
    if config.schedule == "noam":
        return noam_rate(step, config.d_model, config.factor, max(config.warmup, 1))
    if step <= config.warmup:
        return config.rate * step / config.warmup
    if config.schedule == "constant":
        return config.rate
    done = (step - config.warmup) / (config.steps - config.warmup)
    return config.rate * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * done)) / 2)
