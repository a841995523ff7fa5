"""What a layer costs that relates n positions of size d (paper, section 4 and table 1).

Sizes may be numbers or arrays of them; a count of products is one of multiplications, each with its addition.
"""

from typing import Literal

import numpy as np

Kind = Literal["recurrent", "convolution", "attention"]
KINDS: tuple[Kind, ...] = ("recurrent", "convolution", "attention")
Sizes = float | np.ndarray


def layer_cost(kind: Kind, n: Sizes, d: Sizes, kernel: int = 3) -> Sizes:
    """Complexity per layer as in table 1, every constant left out: n·d², k·n·d² or n²·d."""
    if kind == "recurrent":
        return n * d**2
    return kernel * n * d**2 if kind == "convolution" else n**2 * d


def products(kind: Kind, n: Sizes, d: Sizes, kernel: int = 3) -> Sizes:
    """Multiplications of a whole layer's matrices, as `sequence_layers` builds it.

    recurrent: the two gates and the candidate state of a GRU have two matrices each, 6·n·d². convolution: k·n·d².
    attention: q, k, v and the output are projections, 4·n·d², which table 1 leaves out; q·k and weights·v, n²·d each.
    """
    if kind == "recurrent":
        return 6 * n * d**2
    return kernel * n * d**2 if kind == "convolution" else 4 * n * d**2 + 2 * n**2 * d


def sequential_steps(kind: Kind, n: Sizes) -> Sizes:
    """Steps that must wait for one another within a layer: n of a recurrence, otherwise one."""
    return n if kind == "recurrent" else n**0


def path_length(kind: Kind, n: Sizes, kernel: int = 3, *, dilated: bool = True) -> Sizes:
    """Layers (of a recurrence: states) between the first and the last of n positions, as in table 1.

    A stack of convolutions needs n/k of them; with gaps k times as wide from layer to layer, log_k(n). Never less
    than one. ValueError for a kernel that joins no positions.
    """
    if kind == "recurrent":
        return n
    if kind == "attention":
        return n**0
    if kernel < 2:
        raise ValueError(f"a kernel of {kernel} joins no two positions")
    return np.maximum(np.log(n) / np.log(kernel) if dilated else n / kernel, 1.0)


def parallel_width(kind: Kind, n: Sizes, d: Sizes, kernel: int = 3) -> Sizes:
    """Multiplications that need not wait for one another: those of a layer, per sequential step."""
    return products(kind, n, d, kernel) / sequential_steps(kind, n)


def crossing(kind: Kind, d: float, kernel: int = 3, *, counted: bool = False) -> float | None:
    """The n at which self-attention costs as much as the other layer; from there on it costs more.

    By table 1: d for a recurrence, k·d for a convolution. With every product `counted`: d for a GRU, (k - 4)·d/2 for a
    convolution; None where attention always costs more. ValueError for attention itself.
    """
    if kind == "attention":
        raise ValueError("attention costs as much as itself everywhere")
    if kind == "recurrent":
        return d
    if not counted:
        return kernel * d
    return (kernel - 4) * d / 2 if kernel > 4 else None
