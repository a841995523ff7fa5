"""The decoder (paper, section 3.1, right half of figure 1)."""

from collections.abc import Callable

from torch import Tensor, nn

from transformer_core.attention import MultiHeadedAttention
from transformer_core.copies import clones
from transformer_core.feed_forward import PositionwiseFeedForward
from transformer_core.layer_norm import LayerNorm
from transformer_core.residual import Norm, SublayerConnection
from transformer_core.trace import tap

Sublayer = Callable[[Tensor], Tensor]  # (batch, T, size) -> the same shape


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the memory, feed-forward: (batch, T, size) -> the same shape.

    In `src_attn` the queries come from the decoder, the keys and values from the encoder.
    """

    def __init__(
        self,
        size: int,
        self_attn: MultiHeadedAttention,
        src_attn: MultiHeadedAttention,
        feed_forward: PositionwiseFeedForward,
        dropout: float,
        norm_first: bool = True,
        norm: Norm = LayerNorm,
    ) -> None:
        super().__init__()
        self.size = size
        self.self_attn = self_attn
        self.src_attn = src_attn
        self.feed_forward = feed_forward
        self.sublayer = clones(SublayerConnection(size, dropout, norm_first, norm), 3)

    def forward(self, x: Tensor, memory: Tensor, src_mask: Tensor | None, tgt_mask: Tensor | None) -> Tensor:
        return self.connected(
            x, lambda x: self.self_attn(x, x, x, tgt_mask), lambda x: self.src_attn(x, memory, memory, src_mask)
        )

    def connected(self, x: Tensor, to_itself: Sublayer, to_memory: Sublayer) -> Tensor:
        """The three sub-layers in their residual connections, however the two attentions come by keys and values."""
        first, second, third = self.sublayer
        x = second(first(x, to_itself), to_memory)
        return tap(self, "output", third(x, self.feed_forward))


class Decoder(nn.Module):
    """N layers and, in the pre-norm form, a last normalisation: (batch, T, size) -> the same shape."""

    def __init__(self, layer: DecoderLayer, N: int, norm: nn.Module | None = None) -> None:
        super().__init__()
        self.layers = clones(layer, N)
        self.norm = LayerNorm(layer.size) if norm is None else norm

    def forward(self, x: Tensor, memory: Tensor, src_mask: Tensor | None, tgt_mask: Tensor | None) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, src_mask, tgt_mask)
        return tap(self, "output", self.norm(x))
