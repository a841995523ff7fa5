"""What a head does, in numbers, read off its weights: how far it looks, and how much it puts on one neighbour."""

import torch
from torch import Tensor


def attention_distance(weights: Tensor) -> Tensor:
    """Σ_j α_ij·|i − j|, averaged over the queries: weights (…, T, S) -> (…), in positions.

    0 for a head that looks only at its own position.
    """
    queries = torch.arange(weights.size(-2), device=weights.device)
    keys = torch.arange(weights.size(-1), device=weights.device)
    distance = (queries.unsqueeze(-1) - keys).abs().to(weights.dtype)  # (T, S)
    return (weights * distance).sum(-1).mean(-1)


def offset_share(weights: Tensor, offset: int) -> Tensor:
    """The weight α_{i,i+offset}, averaged over the queries that have such a key: weights (…, T, S) -> (…).

    In cross-attention offset 1 is the source token that a copying decoder has to predict next. NaN if no query has one.
    """
    return torch.diagonal(weights, offset, dim1=-2, dim2=-1).mean(-1)
