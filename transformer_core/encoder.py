"""The encoder (paper, section 3.1, left half of figure 1)."""

from torch import Tensor, nn

from transformer_core.attention import MultiHeadedAttention
from transformer_core.copies import clones
from transformer_core.layer_norm import LayerNorm
from transformer_core.residual import Norm, SublayerConnection
from transformer_core.trace import tap


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each in a residual connection: (batch, S, size) -> the same shape."""

    def __init__(
        self,
        size: int,
        self_attn: MultiHeadedAttention,
        feed_forward: nn.Module,
        dropout: float,
        norm_first: bool = True,
        norm: Norm = LayerNorm,
    ) -> None:
        super().__init__()
        self.self_attn = self_attn
        self.feed_forward = feed_forward
        self.sublayer = clones(SublayerConnection(size, dropout, norm_first, norm), 2)
        self.size = size

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        first, second = self.sublayer
        x = first(x, lambda x: self.self_attn(x, x, x, mask))
        return tap(self, "output", second(x, self.feed_forward))


class Encoder(nn.Module):
    """N layers and, in the pre-norm form, a last normalisation. The output is the memory: (batch, S, size).

    `norm` is that last module: a fresh LayerNorm unless given; post-norm stacks pass nn.Identity().
    """

    def __init__(self, layer: EncoderLayer, N: int, norm: nn.Module | None = None) -> None:
        super().__init__()
        self.layers = clones(layer, N)
        self.norm = LayerNorm(layer.size) if norm is None else norm

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return tap(self, "output", self.norm(x))
