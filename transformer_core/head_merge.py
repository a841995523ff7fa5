"""How the heads become one vector again, and how much of it is whose (paper, section 3.2.2)."""

from typing import NamedTuple

from torch import Tensor


class MergeSteps(NamedTuple):
    """The end of multi-head attention for h heads of size d_k; h·d_k = d_model."""

    merged: Tensor  # (T, d_model) Concat(head_1, …, head_h)
    shares: Tensor  # (h, T, d_model) what each head adds to the output
    output: Tensor  # (T, d_model) the sum of the shares and the bias


def merge_steps(heads: Tensor, weight: Tensor, bias: Tensor) -> MergeSteps:
    """Concat(head_1, …, head_h) W_O, and the same as a sum over the heads.

    heads (h, T, d_k); weight (d_model, d_model) and bias (d_model,) of the linear layer W_O. Each head meets its own
    d_k columns of the weight, so the output is a sum of h shares. ValueError if the sizes do not fit.
    """
    h, _, d_k = heads.shape
    if weight.size(-1) != h * d_k:
        raise ValueError(f"{h} heads of size {d_k} do not fit a weight for vectors of size {weight.size(-1)}")
    merged = heads.transpose(0, 1).flatten(1)  # (T, h·d_k)
    blocks = weight.unflatten(-1, (h, d_k)).transpose(0, 1)  # (h, d_model, d_k)
    shares = heads @ blocks.transpose(-2, -1)  # (h, T, d_model)
    return MergeSteps(merged, shares, shares.sum(0) + bias)
