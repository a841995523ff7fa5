"""The layers of table 1 as they are really built, and what each takes: time, and memory for the backward pass."""

import time
from collections.abc import Iterator
from statistics import median
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.functional import scaled_dot_product_attention

from transformer_core.attention import MultiHeadedAttention
from transformer_core.experiments.complexity import Kind

Layer = Literal["explicit", "fused", "recurrent", "convolution"]
LAYERS: dict[Layer, Kind] = {
    "explicit": "attention",
    "fused": "attention",
    "recurrent": "recurrent",
    "convolution": "convolution",
}
SIZES = (16, 32, 64, 128, 256, 512, 1024)
REPEATS = 5  # at least
SHORT = 512  # tokens: shorter sequences are repeated until as many have been read


class Point(NamedTuple):
    """One layer over one sequence of n vectors of size d, float32; PyTorch should be left one thread."""

    layer: Layer
    n: int
    forward: float  # processor seconds of the thread that measures, the median of the repeats
    backward: float
    saved: int  # bytes that the forward pass keeps for the backward pass, weights not counted


class SelfAttention(nn.Module):
    """Our multi-head attention with one head: all n·n weights are written down. (1, n, d) -> the same"""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.attention = MultiHeadedAttention(1, d, dropout=0.0)

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, x, x)


class FusedAttention(SelfAttention):
    """The same numbers by PyTorch's fused function, which never holds all weights at once."""

    def forward(self, x: Tensor) -> Tensor:
        to_query, to_key, to_value, to_output = self.attention.linears
        q, k, v = (linear(x).unsqueeze(1) for linear in (to_query, to_key, to_value))  # (1, 1, n, d)
        return to_output(scaled_dot_product_attention(q, k, v).squeeze(1))


class Recurrence(nn.Module):
    """A GRU. (1, n, d) -> the same"""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.gru = nn.GRU(d, d, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.gru(x)[0]


class Convolution(nn.Module):
    """A convolution over `kernel` neighbouring positions. (1, n, d) -> the same"""

    def __init__(self, d: int, kernel: int) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(d, d, kernel, padding="same")

    def forward(self, x: Tensor) -> Tensor:
        return self.convolution(x.transpose(1, 2)).transpose(1, 2)


def build(layer: Layer, d: int, kernel: int = 3) -> nn.Module:
    """The layer, in evaluation mode: (1, n, d) -> (1, n, d)."""
    if layer == "recurrent":
        return Recurrence(d).eval()
    if layer == "convolution":
        return Convolution(d, kernel).eval()
    return (SelfAttention(d) if layer == "explicit" else FusedAttention(d)).eval()


def saved_bytes(layer: nn.Module, x: Tensor) -> int:
    """Bytes that a forward pass keeps for the backward pass: every stretch of memory once, weights not counted."""
    weights = {parameter.untyped_storage().data_ptr() for parameter in layer.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with saved_tensors_hooks(keep, lambda tensor: tensor):
        y = layer(x)  # held until all is counted, so that no memory is used twice
    total = sum(kept.values())
    del y
    return total


def measure(d: int, kernel: int = 3, sizes: tuple[int, ...] = SIZES, repeats: int = REPEATS) -> Iterator[Point | None]:
    """A point for every n and layer, small n first. None = a good moment to interrupt, after each pass there and back.

    A first pass, in which memory is claimed, is not timed.
    """
    generator = torch.Generator().manual_seed(0)
    layers = {name: build(name, d, kernel) for name in LAYERS}
    for n in sizes:
        x = torch.randn(1, n, d, generator=generator, requires_grad=True)
        for name, layer in layers.items():
            saved = saved_bytes(layer, x)
            _pass(layer, x)
            yield None
            times = []
            for _ in range(max(repeats, SHORT // n)):
                times.append(_pass(layer, x))
                yield None
            forward, backward = (median(column) for column in zip(*times))
            yield Point(name, n, forward, backward, saved)


def _pass(layer: nn.Module, x: Tensor) -> tuple[float, float]:
    """Processor seconds of this thread: there, and back to the input and to every weight."""
    started = time.thread_time()
    y = layer(x)
    turned = time.thread_time()
    torch.autograd.grad(y.sum(), [x, *layer.parameters()])
    return turned - started, time.thread_time() - turned
