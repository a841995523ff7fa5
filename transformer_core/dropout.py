"""Dropout with a seed of its own, so that one draw can be shown again (paper, section 5.4)."""

from typing import NamedTuple

import torch
from torch import Tensor


class DropoutSteps(NamedTuple):
    """One draw: which values stay, and what they become. All of x's shape, but for the factor."""

    keep: Tensor  # bool
    factor: float  # 1/(1-p), what the kept values are multiplied by
    output: Tensor


def dropout_steps(x: Tensor, p: float, generator: torch.Generator) -> DropoutSteps:
    """Zero each value with probability p and multiply the others by 1/(1-p), so that the mean stays what it was.

    The same rule as `torch.nn.Dropout` in training mode. ValueError unless 0 <= p < 1.
    """
    if not 0 <= p < 1:
        raise ValueError(f"dropout needs a probability from 0 to below 1, got {p}")
    keep = torch.rand(x.shape, generator=generator) >= p
    factor = 1 / (1 - p)
    return DropoutSteps(keep, factor, x * keep * factor)
