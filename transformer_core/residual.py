"""The residual connection around every sub-layer (paper, sections 3.1 and 5.4)."""

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor, nn

from transformer_core.dropout import Dropout
from transformer_core.layer_norm import LayerNorm
from transformer_core.trace import Trace, tap

Norm = Callable[[int], nn.Module]  # LayerNorm or torch.nn.LayerNorm


class SublayerConnection(nn.Module):
    """Pre-norm: x + dropout(sublayer(norm(x))).  Post-norm, as the paper prints it: norm(x + dropout(sublayer(x))).

    (batch, length, size) -> the same shape. ValueError if the sub-layer returns another one.

    A recording holds, in either form and each (batch, length, size): `input`, the stream before; `given`, what enters
    the sub-layer; `branch`, what it adds; `skip`, the stream that it is added to; `sum`, the two together;
    `norm.input` and `norm.output`; and `output`, the stream after.
    """

    def __init__(self, size: int, dropout: float = 0.1, norm_first: bool = True, norm: Norm = LayerNorm) -> None:
        super().__init__()
        self.norm = norm(size)
        self.dropout = Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        x = tap(self, "input", x)
        given = tap(self, "given", self.normalised(x) if self.norm_first else x)
        added = sublayer(given)
        if added.shape != x.shape:
            raise ValueError(
                f"a sub-layer must return vectors like those it got, {tuple(x.shape)}: {tuple(added.shape)}"
            )
        branch = tap(self, "branch", self.dropout(added))
        total = tap(self, "sum", tap(self, "skip", x) + branch)
        return tap(self, "output", total if self.norm_first else self.normalised(total))

    def normalised(self, x: Tensor) -> Tensor:
        """The stream as the norm leaves it, recorded with what the norm was given, whichever norm it is."""
        return tap(self, "norm.output", self.norm(tap(self, "norm.input", x)))


class StreamNorms(NamedTuple):
    """What one sub-layer does to the residual stream: lengths of its vectors, position by position."""

    path: str  # of the SublayerConnection
    branch: Tensor  # (length,)  |what the sub-layer adds|
    output: Tensor  # (length,)  |what leaves the connection|


def stream_norms(trace: Trace, stack: str) -> list[StreamNorms]:
    """The stream through "encoder" or "decoder", sub-layer by sub-layer, from a recording of one sequence."""
    paths = [
        path.removesuffix(".branch") for path in trace if path.startswith(f"{stack}.") and path.endswith(".branch")
    ]
    return [
        StreamNorms(path, trace[f"{path}.branch"][0].norm(dim=-1), trace[f"{path}.output"][0].norm(dim=-1))
        for path in paths
    ]
