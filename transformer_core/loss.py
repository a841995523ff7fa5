"""Label smoothing (paper, section 5.4)."""

import torch
from torch import Tensor, nn

from transformer_core.devices import check_devices


def smoothed_targets(target: Tensor, size: int, padding_idx: int, smoothing: float) -> Tensor:
    """The distribution the model should give: 1 - smoothing on the answer, the rest shared by the others.

    target (n,) -> (n, size). The padding token gets nothing, and rows whose answer is padding are all zero.
    ValueError for a share outside 0 to 1, and for tokens outside 0 to size - 1.
    """
    if not 0.0 <= smoothing <= 1.0:
        raise ValueError(f"smoothing is a share between 0 and 1, not {smoothing}")
    if size < 3:
        raise ValueError(f"with {size} tokens, padding included, there is no other token to smooth over")
    if not 0 <= padding_idx < size:
        raise ValueError(f"the padding token must lie in 0…{size - 1}, not be {padding_idx}")
    if target.numel():
        least, most = (int(token) for token in target.aminmax())
        if not 0 <= least <= most < size:
            raise ValueError(f"target tokens must lie in 0…{size - 1}; got {least}…{most}")
    true_dist = torch.full((target.numel(), size), smoothing / (size - 2), device=target.device)
    true_dist.scatter_(1, target.unsqueeze(1), 1.0 - smoothing)
    true_dist[:, padding_idx] = 0.0
    return true_dist.masked_fill_((target == padding_idx).unsqueeze(1), 0.0)


def divergence_terms(log_probs: Tensor, true_dist: Tensor) -> Tensor:
    """t (ln t - ln p) for every token, with 0 ln 0 = 0; their sum over a row is KL(t ‖ p). (n, size) -> (n, size)."""
    return torch.xlogy(true_dist, true_dist) - true_dist * log_probs


class LabelSmoothing(nn.Module):
    """Kullback-Leibler divergence from the smoothed targets, summed: log-probabilities (n, size), target (n,) -> ().

    `true_dist` keeps the last targets. ValueError for another number of tokens than `size`, or not one target a row.
    """

    def __init__(self, size: int, padding_idx: int, smoothing: float = 0.0) -> None:
        super().__init__()
        self.size = size
        self.padding_idx = padding_idx
        self.smoothing = smoothing
        self.true_dist: Tensor | None = None

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        if x.size(-1) != self.size:
            raise ValueError(f"log-probabilities for {x.size(-1)} tokens, but this loss was made for {self.size}")
        if x.shape[:-1] != target.shape or target.dim() != 1:
            raise ValueError(f"one target per row is needed: rows {tuple(x.shape)}, targets {tuple(target.shape)}")
        check_devices(log_probabilities=x, targets=target)
        self.true_dist = smoothed_targets(target, self.size, self.padding_idx, self.smoothing)
        if self.smoothing == 0:  # t ln t is 0 where t is 0 or 1
            return -(self.true_dist * x).sum()
        return nn.functional.kl_div(x, self.true_dist, reduction="sum")
