"""The classes of the notes' third document, a notebook: post-norm, each norm beside its sub-layer, no last norm.

Their parameters have the notebook's names, which `from_notes_names` and `load_any` translate. `record` names what they
compute, too: `encoder.layers.0.multi_head_attention.self_attention.weights`.

Source: sections 3.1 to 3.5 of the paper, in the notebook's order.
"""

import math

from torch import Tensor, nn

from transformer_core.attention import attention_steps
from transformer_core.devices import check_devices
from transformer_core.masks import create_masks
from transformer_core.notes.parts import NotesPositions
from transformer_core.trace import tap, tap_of

DROPOUT = 0.1  # the notebook's, which no argument changes


class NotebookEmbeddings(nn.Module):
    """ids (batch, length) -> (batch, length, d_model): the rows of the table times √d_model."""

    def __init__(self, d_model: int, vocab_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.d_model = d_model

    def forward(self, x: Tensor) -> Tensor:
        check_devices(token_ids=x, the_table_of_embeddings=self.embedding.weight)
        return self.embedding(x) * math.sqrt(self.d_model)


class NotebookAttention(nn.Module):
    """Q (batch, T, d_model), K and V (batch, S, d_model), mask (batch, 1, T or 1, S) -> (batch, T, d_model).

    A mask that is longer is cut. Source and target may differ in length; in the notebook's first version that is an
    error. ValueError if n_heads does not divide d_model.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(f"d_model = {d_model} cannot be cut into {n_heads} heads of equal size")
        self.d_model, self.n_heads, self.d_k = d_model, n_heads, d_model // n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = self._split(self.W_Q(Q)), self._split(self.W_K(K)), self._split(self.W_V(V))
        if mask is not None:
            mask = (mask.unsqueeze(1) if mask.dim() == 3 else mask)[..., : Q.size(1), : K.size(1)]
        steps = attention_steps(q, k, v, mask, keep=tap_of(self))
        heads = tap(self, "heads", steps.output)  # (batch, n_heads, T, d_k)
        return tap(self, "output", self.W_O(heads.transpose(1, 2).flatten(2)))

    def _split(self, x: Tensor) -> Tensor:
        """(batch, length, d_model) -> (batch, n_heads, length, d_k)."""
        return x.unflatten(-1, (self.n_heads, self.d_k)).transpose(1, 2)


class NotebookHeads(nn.Module):
    """norm(dropout(attention) + Q), the residual and the norm within: (batch, T, d_model) -> the same shape."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.self_attention = NotebookAttention(d_model, n_heads)
        self.dropout = nn.Dropout(DROPOUT)
        self.layer_norm = nn.LayerNorm(d_model)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.layer_norm(self.dropout(self.self_attention(Q, K, V, mask)) + Q)


class NotebookFeedForward(nn.Module):
    """norm(dropout(max(0, x W_1 + b_1) W_2 + b_2) + x): (batch, length, d_model) -> the same shape."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.linear_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(DROPOUT)
        self.layer_norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor) -> Tensor:
        hidden = tap(self, "hidden", self.linear_1(x).relu())
        return self.layer_norm(self.dropout(self.linear_2(hidden)) + x)


class NotebookEncoderLayer(nn.Module):
    """Self-attention, then feed-forward: (batch, S, d_model) -> the same shape."""

    def __init__(self, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.multi_head_attention = NotebookHeads(d_model, n_heads)
        self.feed_forward = NotebookFeedForward(d_model, d_ff)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return tap(self, "output", self.feed_forward(self.multi_head_attention(x, x, x, mask)))


class NotebookEncoder(nn.Module):
    """n_layers of them: (batch, S, d_model) -> the same shape."""

    def __init__(self, n_layers: int, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(NotebookEncoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return x


class NotebookDecoderLayer(nn.Module):
    """Masked self-attention, attention to the encoder's output, feed-forward: (batch, T, d_model) -> the same shape."""

    def __init__(self, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.masked_multi_head_attention = NotebookHeads(d_model, n_heads)
        self.encoder_decoder_attention = NotebookHeads(d_model, n_heads)
        self.feed_forward = NotebookFeedForward(d_model, d_ff)

    def forward(
        self, x: Tensor, encoder_output: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None
    ) -> Tensor:
        x = self.masked_multi_head_attention(x, x, x, tgt_mask)
        x = self.encoder_decoder_attention(x, encoder_output, encoder_output, src_mask)
        return tap(self, "output", self.feed_forward(x))


class NotebookDecoder(nn.Module):
    """n_layers of them: (batch, T, d_model) -> the same shape."""

    def __init__(self, n_layers: int, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(NotebookDecoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers))

    def forward(
        self, x: Tensor, encoder_output: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, encoder_output, src_mask, tgt_mask)
        return x


class NotebookTransformer(nn.Module):
    """src (batch, S), tgt (batch, T) and their masks -> logits (batch, T, tgt_vocab_size)."""

    def __init__(
        self,
        src_vocab_size: int,
        tgt_vocab_size: int,
        d_model: int,
        n_layers: int,
        n_heads: int,
        d_ff: int,
        max_len: int,
    ) -> None:
        super().__init__()
        self.encoder_input_embedding = NotebookEmbeddings(d_model, src_vocab_size)
        self.decoder_input_embedding = NotebookEmbeddings(d_model, tgt_vocab_size)
        self.positional_encoding = NotesPositions(d_model, max_len=max_len)
        self.encoder = NotebookEncoder(n_layers, d_model, n_heads, d_ff)
        self.decoder = NotebookDecoder(n_layers, d_model, n_heads, d_ff)
        self.projection = nn.Linear(d_model, tgt_vocab_size)

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None
    ) -> Tensor:
        memory = self.encoder(self.positional_encoding(self.encoder_input_embedding(src)), src_mask)
        x = self.positional_encoding(self.decoder_input_embedding(tgt))
        return tap(self, "logits", self.projection(self.decoder(x, memory, src_mask, tgt_mask)))


InputEmbeddings, PositionalEncoding = NotebookEmbeddings, NotesPositions
SelfAttention, MultiHeadAttention, FeedForward = NotebookAttention, NotebookHeads, NotebookFeedForward
EncoderLayer, Encoder = NotebookEncoderLayer, NotebookEncoder
DecoderLayer, Decoder = NotebookDecoderLayer, NotebookDecoder
Transformer = NotebookTransformer

__all__ = [
    "Decoder",
    "DecoderLayer",
    "Encoder",
    "EncoderLayer",
    "FeedForward",
    "InputEmbeddings",
    "MultiHeadAttention",
    "PositionalEncoding",
    "SelfAttention",
    "Transformer",
    "create_masks",
]
