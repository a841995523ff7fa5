"""Softmax taken apart: its steps, its Jacobian, its entropy (paper, section 3.2.1 and its footnote 4)."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.devices import check_devices
from transformer_core.masks import boolean_mask
from transformer_core.trace import Keep, as_computed

FEW = 64  # numbers, of which a softmax takes less time than to bring its rows to another length


@dataclass(frozen=True, slots=True)
class SoftmaxSteps:
    """softmax(x) = exp(x - max) / Σ exp(x - max) over the last axis. All (…, n) but largest and total, (…, 1).

    PyTorch computes the probabilities in one go; the steps on the way cost nothing until they are asked for.
    """

    scores: Tensor
    probabilities: Tensor

    @property
    def largest(self) -> Tensor:
        return self.scores.amax(-1, keepdim=True)

    @property
    def exponentials(self) -> Tensor:
        return torch.exp(self.scores - self.largest)

    @property
    def total(self) -> Tensor:
        return self.exponentials.sum(-1, keepdim=True)  # the probabilities are exponentials / total


def softmax_steps(scores: Tensor) -> SoftmaxSteps:
    """Softmax over the last axis with its steps, each (…, n). A row that is all -inf is 0/0: NaN."""
    probabilities = _padded(scores).softmax(dim=-1)
    return SoftmaxSteps(scores, _without_padding(probabilities, scores))


class MaskedSoftmax(NamedTuple):
    """A softmax over the keys that a mask lets through, both (…, T, S)."""

    masked: Tensor  # the scores, with the blocked ones at `blocked`
    weights: Tensor


def masked_softmax(scores: Tensor, mask: Tensor | None, blocked: float, keep: Keep = as_computed) -> MaskedSoftmax:
    """Overwrite what may not be attended to, then softmax over the last axis (paper, section 3.2.3).

    scores (…, T, S); mask broadcasts to it, True or 1 = may attend. Where a row has nothing left, `blocked` = -inf
    makes it 0/0 = NaN; a finite value makes it uniform, for then all its scores are equal. ValueError if the mask does
    not fit, or holds other numbers than 0 and 1.
    """
    masked = keep("masked", scores if mask is None else _masked(scores, mask, blocked))
    return MaskedSoftmax(masked, keep("weights", softmax_steps(masked).probabilities))


def softmax_jacobian(probabilities: Tensor) -> Tensor:
    """∂p_i/∂x_j = p_i(δ_ij - p_j), that is diag(p) - p pᵀ: (…, n) -> (…, n, n), symmetric, rows sum to 0."""
    return torch.diag_embed(probabilities) - probabilities.unsqueeze(-1) * probabilities.unsqueeze(-2)


def autograd_jacobian(scores: Tensor) -> Tensor:
    """The same Jacobian as PyTorch finds it by going backward through the softmax: (n,) -> (n, n)."""
    jacobian: Tensor = torch.autograd.functional.jacobian(lambda x: x.softmax(-1), scores)
    return jacobian


def jacobian_norm(probabilities: Tensor) -> Tensor:
    """The Frobenius norm of the Jacobian, the root of its squared entries' sum: (…, n) -> (…)."""
    return torch.linalg.matrix_norm(softmax_jacobian(probabilities))


def entropy(probabilities: Tensor) -> Tensor:
    """-Σ p ln p in nats, with 0 ln 0 = 0: (…, n) -> (…). ln n for equal weights, 0 when one weight is 1."""
    return -torch.xlogy(probabilities, probabilities).sum(-1)


def log_softmax(scores: Tensor) -> Tensor:
    """ln softmax(x) over the last axis."""
    return _without_padding(_padded(scores).log_softmax(dim=-1), scores)


def _padded(scores: Tensor) -> Tensor:
    """PyTorch takes several times as long over rows of fewer than 16 numbers: where they are many, those are added that
    become 0."""
    if (short := 16 - scores.size(-1)) <= 0 or scores.numel() <= FEW:
        return scores
    return nn.functional.pad(scores, (0, short), value=-math.inf)


def _without_padding(padded: Tensor, scores: Tensor) -> Tensor:
    return padded if padded.shape == scores.shape else padded[..., : scores.size(-1)]


def mask_that_fits(mask: Tensor, scores: torch.Size) -> Tensor:
    """The mask as Booleans. ValueError if it does not broadcast to scores of this shape, or holds other numbers than 0
    and 1."""
    try:
        mask.expand(scores)
    except RuntimeError:
        sizes = f"{tuple(mask.shape)} does not broadcast to scores {tuple(scores)}"
        raise ValueError(f"a mask of shape {sizes}") from None
    return boolean_mask(mask)


def _masked(scores: Tensor, mask: Tensor, blocked: float) -> Tensor:
    check_devices(scores=scores, mask=mask)
    mask = mask_that_fits(mask, scores.shape)
    if math.isfinite(blocked):
        blocked = max(blocked, torch.finfo(scores.dtype).min)  # half precision ends at -65504
    return scores.masked_fill(mask == 0, blocked)
