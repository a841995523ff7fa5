"""The sinusoidal position code (paper, section 3.5).

PE(pos, 2i) = sin(pos / base^(2i/d_model)),  PE(pos, 2i+1) = cos(pos / base^(2i/d_model)),  base = 10000.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.devices import in_float64
from transformer_core.dropout import Dropout
from transformer_core.trace import tap

BASE = 10000.0


def frequencies(
    d_model: int, base: float = BASE, dtype: torch.dtype = torch.float32, device: torch.device | str | None = None
) -> Tensor:
    """Angle per position of each sine/cosine pair, 1 / base^(2i/d_model), through exp and log: (d_model / 2,)."""
    _check(d_model, base)
    return torch.exp(torch.arange(0, d_model, 2, device=device).to(dtype) * -(math.log(base) / d_model))


def direct_frequencies(d_model: int, base: float = BASE, dtype: torch.dtype = torch.float32) -> Tensor:
    """The same frequencies through the power, as the paper writes them: (d_model / 2,)."""
    _check(d_model, base)
    return 1.0 / torch.pow(torch.tensor(base, dtype=dtype), torch.arange(0, d_model, 2).to(dtype) / d_model)


def wavelengths(
    d_model: int, base: float = BASE, dtype: torch.dtype = torch.float64, device: torch.device | str | None = None
) -> Tensor:
    """Positions until a pair repeats: 2π … 2π·base^((d_model-2)/d_model), computed in float64: (d_model / 2,).

    The paper rounds the last one to base·2π, which it only approaches as d_model grows.
    """
    return (2 * math.pi / frequencies(d_model, base, torch.float64, "cpu")).to(device, dtype)


class PositionSteps(NamedTuple):
    """How PE comes about, position by position."""

    frequencies: Tensor  # (d_model / 2,) angle per position
    angles: Tensor  # (length, d_model / 2) position times frequency
    code: Tensor  # (length, d_model) sine and cosine of each angle, side by side


def position_steps(
    length: int,
    d_model: int,
    base: float = BASE,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> PositionSteps:
    """PE for positions 0…length-1, with what it is made of (paper, section 3.5)."""
    if length < 0:
        raise ValueError(f"there is no position code for {length} positions")
    omega = frequencies(d_model, base, dtype, device)
    angles = torch.arange(length, device=device).to(dtype).unsqueeze(1) * omega  # (length, 1) · (d_model / 2,)
    code = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)  # interleaved: sin, cos, sin, cos, …
    return PositionSteps(omega, angles, code)


def position_code(
    length: int,
    d_model: int,
    base: float = BASE,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Tensor:
    """PE for positions 0…length-1: (length, d_model), sine in even and cosine in odd dimensions, values in [-1, 1]."""
    return position_steps(length, d_model, base, dtype, device).code


def position_table(length: int, d_model: int, *, silent: bool = False) -> Tensor:
    """What `PositionalEncoding` adds: the code, or zeros where it is to be silent. (1, length, d_model)."""
    code = position_code(length, d_model)
    return (torch.zeros_like(code) if silent else code).unsqueeze(0)


def concatenated(code: Tensor) -> Tensor:
    """The same code in the other usual layout, all sines before all cosines: (length, d_model) -> the same shape."""
    return torch.cat([code[:, 0::2], code[:, 1::2]], dim=1)


def product_at_distance(distances: Tensor, d_model: int, base: float = BASE) -> Tensor:
    """PE(pos) · PE(pos + distance), which is Σ cos(distance · frequency) whatever pos: (n,) -> (n,) float64,
    on the CPU where the device of `distances` has none."""
    distances = in_float64(distances)
    return (distances.unsqueeze(1) * frequencies(d_model, base, torch.float64, distances.device)).cos().sum(1)


def shift_rotation(
    shift: int,
    d_model: int,
    base: float = BASE,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str | None = None,
) -> Tensor:
    """The fixed matrix R with R @ PE(pos) = PE(pos + shift) at every pos: (d_model, d_model).

    Block diagonal: pair i is turned by the angle shift·frequency_i, whatever the position (paper, section 3.5).
    It is computed in float64 on the CPU, and given in `dtype` on `device`.
    """
    angles = shift * frequencies(d_model, base, torch.float64, "cpu")
    sin, cos = angles.sin(), angles.cos()
    turns = [torch.stack([torch.stack([c, s]), torch.stack([-s, c])]) for s, c in zip(sin, cos)]
    return torch.block_diag(*turns).to(device, dtype)


def order_gap(encode: Callable[[Tensor], Tensor], x: Tensor, order: Tensor) -> Tensor:
    """What `encode` makes of the reordered vectors, minus the reordered result: x (batch, length, d) -> the same shape.

    Zero, up to rounding, if `encode` is permutation-equivariant: if it cannot tell in which order the vectors came.
    """
    return encode(x[:, order]) - encode(x)[:, order]


class PositionalEncoding(nn.Module):
    """Add the position code to the embeddings, then drop out: (batch, length, d_model) -> the same shape.

    The first vector stands at position `first`, the others after it. A `silent` one adds zeros: what comes after it is
    not told the order. ValueError for a sequence that is longer than the table.
    """

    pe: Tensor  # (1, max_len, d_model), a buffer: saved with the model, never trained

    def __init__(self, d_model: int, dropout: float, max_len: int = 5000, *, silent: bool = False) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.silent = silent
        self.register_buffer("pe", position_table(max_len, d_model, silent=silent))

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        _, covered, size = self.pe.shape
        if x.dim() < 2 or first + x.size(-2) > covered or x.size(-1) != size:
            raise ValueError(
                f"the position code covers {covered} positions of size {size}, not {tuple(x.shape)} from {first} on"
            )
        code = tap(self, "code", self.pe[:, first : first + x.size(-2)])  # (1, length, d_model)
        return tap(self, "output", self.dropout(x + code))


def _check(d_model: int, base: float) -> None:
    if d_model < 2 or d_model % 2:
        raise ValueError(f"d_model must be even and at least 2, for sines and cosines come in pairs; got {d_model}")
    if not base > 0:
        raise ValueError(f"the base of the wavelengths must be above 0, got {base}")
