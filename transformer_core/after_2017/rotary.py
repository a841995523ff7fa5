"""Rotary positions, RoPE (Su et al. 2021, "RoFormer", section 3.2.2): queries and keys are rotated by their positions.

Pair i of a vector at position m is rotated by the angle m · base^(−2i/d), the angles of the sinusoids of section 3.5:

(x_2i, x_2i+1)  →  (x_2i cos − x_2i+1 sin,  x_2i sin + x_2i+1 cos)

The product of a query at m and a key at n then depends on the vectors and on m − n alone.
"""

import torch
from torch import Tensor

from transformer_core.positions import BASE, frequencies


def rotated(x: Tensor, first: int = 0, base: float = BASE, *, back: bool = False) -> Tensor:
    """Rotate each vector by its position, the first of which is `first`: (…, length, d) -> the same shape.

    `back` is the other way round, which undoes it. ValueError if d is odd.
    """
    omega = frequencies(x.size(-1), base, x.dtype, x.device)
    angles = torch.arange(first, first + x.size(-2), device=x.device).to(x.dtype).unsqueeze(1) * omega
    sin, cos = (-angles if back else angles).sin(), angles.cos()  # (length, d / 2)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


def interleaved(weight: Tensor, heads: int) -> Tensor:
    """Rows of W_Q or W_K, (heads · d_k, …), for pairs side by side, from a model whose pair i is (i, i + d_k/2).

    The Llama models of `transformers` have that other layout; the scores are the same numbers in both.
    """
    halves = weight.unflatten(0, (heads, 2, -1))  # (heads, 2, d_k / 2, …)
    return halves.transpose(1, 2).flatten(0, 2)
