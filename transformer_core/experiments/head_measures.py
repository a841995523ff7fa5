"""What a head does, in numbers, read off its weights: how far each query looks, and how much it puts on a neighbour."""

import torch
from torch import Tensor


def attention_distance(weights: Tensor) -> Tensor:
    """Σ_j α_ij·|i − j| of every query i, in positions: weights (…, T, S) -> (…, T).

    0 for a query that looks only at its own position.
    """
    queries = torch.arange(weights.size(-2), device=weights.device)
    keys = torch.arange(weights.size(-1), device=weights.device)
    distance = (queries.unsqueeze(-1) - keys).abs().to(weights.dtype)  # (T, S)
    return (weights * distance).sum(-1)


def neighbour_weights(weights: Tensor, offset: int) -> Tensor:
    """α_{i,i+offset} of every query i that has such a key: weights (…, T, S) -> (…, up to T), empty if none has.

    In cross-attention offset 1 is the source token that a copying decoder has to predict next.
    """
    return torch.diagonal(weights, offset, dim1=-2, dim2=-1)
