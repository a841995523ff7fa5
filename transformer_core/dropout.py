"""Dropout (paper, section 5.4): in a model, and with a seed of its own, so that one draw can be shown again."""

from typing import NamedTuple

import torch
from torch import Tensor, nn


class DropoutSteps(NamedTuple):
    """One draw: which values stay, and what they become. All of x's shape, but for the factor."""

    keep: Tensor  # bool
    factor: float  # 1/(1-p), what the kept values are multiplied by
    output: Tensor


def dropout_steps(x: Tensor, p: float, generator: torch.Generator) -> DropoutSteps:
    """Zero each value with probability p and multiply the others by 1/(1-p), so that the mean stays what it was.

    ValueError unless 0 <= p < 1.
    """
    if not 0 <= p < 1:
        raise ValueError(f"dropout needs a probability from 0 to below 1, got {p}")
    keep = torch.rand(x.shape, generator=generator, device=generator.device).to(x.device) >= p
    return DropoutSteps(keep, 1 / (1 - p), drop(x, keep, p))


def drop(x: Tensor, keep: Tensor, p: float) -> Tensor:
    """What becomes of x where `keep`, of its shape, is 1 or 0: x/(1-p), or 0."""
    return x * (keep / (1 - p))


class Dropout(nn.Dropout):
    """`torch.nn.Dropout`: in training mode `drop` with a draw of PyTorch's own, and no copy of x where nothing drops.

    It is PyTorch's one pass, which on a GPU keeps a byte for each draw instead of a number.
    """

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) if self.training and self.p > 0 else x
