"""The sinusoidal position code (paper, section 3.5).

PE(pos, 2i) = sin(pos / base^(2i/d_model)),  PE(pos, 2i+1) = cos(pos / base^(2i/d_model)),  base = 10000.
"""

import math

import torch
from torch import Tensor, nn

from transformer_core.trace import tap

BASE = 10000.0


def frequencies(d_model: int, base: float = BASE, dtype: torch.dtype = torch.float32) -> Tensor:
    """Angle per position of each sine/cosine pair, 1 / base^(2i/d_model), through exp and log: (d_model / 2,)."""
    _check(d_model, base)
    return torch.exp(torch.arange(0, d_model, 2).to(dtype) * -(math.log(base) / d_model))


def direct_frequencies(d_model: int, base: float = BASE, dtype: torch.dtype = torch.float32) -> Tensor:
    """The same frequencies through the power, as the paper writes them: (d_model / 2,)."""
    _check(d_model, base)
    return 1.0 / torch.pow(torch.tensor(base, dtype=dtype), torch.arange(0, d_model, 2).to(dtype) / d_model)


def wavelengths(d_model: int, base: float = BASE) -> Tensor:
    """Positions until a pair repeats: 2π … 2π·base^((d_model-2)/d_model), float64 (d_model / 2,).

    The paper rounds the last one to base·2π, which it only approaches as d_model grows.
    """
    return 2 * math.pi / frequencies(d_model, base, torch.float64)


def position_code(length: int, d_model: int, base: float = BASE, dtype: torch.dtype = torch.float32) -> Tensor:
    """PE for positions 0…length-1: (length, d_model), sine in even and cosine in odd dimensions, values in [-1, 1]."""
    angles = torch.arange(length).to(dtype).unsqueeze(1) * frequencies(d_model, base, dtype)  # (length, d_model / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)  # interleaved: sin, cos, sin, cos, …


def shift_rotation(shift: int, d_model: int, base: float = BASE) -> Tensor:
    """The fixed matrix R with R @ PE(pos) = PE(pos + shift) at every pos: (d_model, d_model) float64.

    Block diagonal: pair i is turned by the angle shift·frequency_i, whatever the position (paper, section 3.5).
    """
    angles = shift * frequencies(d_model, base, torch.float64)
    sin, cos = angles.sin(), angles.cos()
    return torch.block_diag(*(torch.tensor([[c, s], [-s, c]], dtype=torch.float64) for s, c in zip(sin, cos)))


class PositionalEncoding(nn.Module):
    """Add the position code to the embeddings, then drop out: (batch, length, d_model) -> the same shape."""

    pe: Tensor  # (1, max_len, d_model), a buffer: saved with the model, never trained

    def __init__(self, d_model: int, dropout: float, max_len: int = 5000) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pe", position_code(max_len, d_model).unsqueeze(0))

    def forward(self, x: Tensor) -> Tensor:
        length, d_model = x.shape[-2:]
        if length > self.pe.size(1) or d_model != self.pe.size(2):
            raise ValueError(f"the position code covers {self.pe.size(1)} positions of size {self.pe.size(2)}, "
                             f"not {length} of size {d_model}")
        code = tap(self, "code", self.pe[:, :length])  # (1, length, d_model)
        return tap(self, "output", self.dropout(x + code))


def _check(d_model: int, base: float) -> None:
    if d_model < 2 or d_model % 2:
        raise ValueError(f"d_model must be even and at least 2, for sines and cosines come in pairs; got {d_model}")
    if not base > 0:
        raise ValueError(f"the base of the wavelengths must be above 0, got {base}")
