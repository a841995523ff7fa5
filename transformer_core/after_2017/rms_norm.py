"""RMSNorm (Zhang and Sennrich 2019, "Root Mean Square Layer Normalization", equation 4): LayerNorm without the mean."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.trace import Keep, as_computed, tap_of


class RMSNormSteps(NamedTuple):
    """The stages of one normalisation; rms is (…, 1), the others (…, features)."""

    rms: Tensor
    normalised: Tensor
    output: Tensor


def rms_norm_steps(x: Tensor, weight: Tensor, eps: float = 1e-6, keep: Keep = as_computed) -> RMSNormSteps:
    """weight · x / √(mean of x² + eps) over the last axis; each step goes through `keep`."""
    rms = keep("rms", (x.square().mean(-1, keepdim=True) + eps).sqrt())
    normalised = keep("normalised", x / rms)
    return RMSNormSteps(rms, normalised, keep("output", weight * normalised))


class RMSNorm(nn.Module):
    """Bring every position's vector to a mean square of 1, then scale by `weight` (learned): no mean, no shift.

    (…, features) -> the same shape
    """

    def __init__(self, features: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        if x.size(-1) != self.weight.numel():
            raise ValueError(f"this RMSNorm takes vectors of size {self.weight.numel()}, not {x.size(-1)}")
        return rms_norm_steps(x, self.weight, self.eps, tap_of(self)).output
