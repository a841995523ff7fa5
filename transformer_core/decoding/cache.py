"""Greedy decoding with a cache of keys and values: what a turn has computed, no later turn computes again.

Under the look-ahead mask position t sees positions 0…t alone (paper, section 3.1), so nothing that the decoder has
computed for a position changes as the output grows. Each layer keeps the keys and values of what is written; those of
the memory are computed once, before the first turn. A turn then computes one row, where `greedy_decode` computes all.
"""

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from transformer_core.attention import MultiHeadedAttention, attention_steps
from transformer_core.decoding.greedy import ended
from transformer_core.embeddings import Embeddings
from transformer_core.feed_forward import PositionwiseFeedForward
from transformer_core.layer_norm import LayerNorm
from transformer_core.model import EncoderDecoder
from transformer_core.positions import PositionalEncoding
from transformer_core.residual import SublayerConnection
from transformer_core.tasks.vocabulary import START

Row = Callable[[Tensor], Tensor]  # what becomes of one position's vectors, (batch, 1, d_model) -> the same shape


class CachedDecoder:
    """A model's decoder and generator, one position at a time, with the model's own weights.

    memory (batch, S, d_model) and src_mask as for `EncoderDecoder.decode`. The modules themselves are not called: for a
    single row their bookkeeping takes longer than their sums. ValueError for a model in training mode, where dropout
    draws anew at each turn and nothing could be kept.
    """

    @torch.inference_mode()
    def __init__(self, model: EncoderDecoder, memory: Tensor, src_mask: Tensor | None) -> None:
        if model.training:
            raise ValueError("what is kept would not be what dropout draws anew: call eval() before")
        embeddings, position = cast(nn.Sequential, model.tgt_embed)
        assert isinstance(embeddings, Embeddings)
        assert isinstance(position, PositionalEncoding)
        self.table = embeddings.lut.weight * math.sqrt(embeddings.d_model)  # (vocab, d_model)
        self.code = position.pe[0]  # (max_len, d_model)
        self.read = 0  # tokens of each output
        self.sublayers: list[Row] = []
        for layer in cast(Iterable[Any], model.decoder.layers):
            back, across, forward = layer.sublayer
            self.sublayers += [
                _connected(back, _to_itself(layer.self_attn)),
                _connected(across, _to_memory(layer.src_attn, memory, src_mask)),
                _connected(forward, _network(layer.feed_forward)),
            ]
        self.norm = _norm(model.decoder.norm)
        self.logits = _linear(model.generator.proj)

    @torch.inference_mode()
    def next(self, tokens: Tensor) -> Tensor:
        """Read one more token of each output, (batch,) -> log-probabilities (batch, vocab) of those that follow.

        ValueError where the position code has ended.
        """
        if self.read == len(self.code):
            raise ValueError(f"the position code covers {self.read} positions, and all of them have been read")
        x = (self.table[tokens] + self.code[self.read]).unsqueeze(1)  # (batch, 1, d_model)
        self.read += 1
        for sublayer in self.sublayers:
            x = sublayer(x)
        return self.logits(self.norm(x)).squeeze(1).log_softmax(dim=-1)


def cached_decode(
    model: EncoderDecoder,
    src: Tensor,
    src_mask: Tensor | None,
    max_len: int,
    start_symbol: int = START,
    end: int | None = None,
) -> Tensor:
    """The output of `greedy_decode`, (batch, ≤ max_len), start symbol first, for a model in evaluation mode."""
    with torch.inference_mode():
        decoder = CachedDecoder(model, model.encode(src, src_mask), src_mask)
    ys = src.new_full((src.size(0), 1), start_symbol)
    while ys.size(1) < max_len and not ended(ys, end):
        choice = decoder.next(ys[:, -1]).argmax(-1)
        ys = torch.cat([ys, choice.unsqueeze(1)], dim=1)
    return ys


def _to_itself(attn: MultiHeadedAttention) -> Row:
    """Attention to all that is written: the key and the value of a row are kept for the rows to come."""
    to_query, to_key, to_value, to_output = map(_linear, attn.linears)
    kept: list[Tensor] = []  # keys and values, (batch, h, t, d_k) each

    def row(x: Tensor) -> Tensor:
        new = [_heads(to_key(x), attn.h), _heads(to_value(x), attn.h)]
        kept[:] = [torch.cat(both, dim=2) for both in zip(kept, new)] or new
        key, value = kept
        # Without a mask: of what may not be seen there are no keys yet.
        steps = attention_steps(_heads(to_query(x), attn.h), key, value, scale=attn.scale)
        return to_output(steps.output.transpose(1, 2).flatten(2))

    return row


def _to_memory(attn: MultiHeadedAttention, memory: Tensor, src_mask: Tensor | None) -> Row:
    """Attention to the source, whose keys and values are the same at every turn."""
    to_query, to_key, to_value, to_output = map(_linear, attn.linears)
    key, value = _heads(to_key(memory), attn.h), _heads(to_value(memory), attn.h)  # (batch, h, S, d_k)
    mask = None if src_mask is None or src_mask.all() else src_mask.unsqueeze(1) if src_mask.dim() == 3 else src_mask

    def row(x: Tensor) -> Tensor:
        steps = attention_steps(_heads(to_query(x), attn.h), key, value, mask, scale=attn.scale)
        return to_output(steps.output.transpose(1, 2).flatten(2))

    return row


def _network(feed_forward: PositionwiseFeedForward) -> Row:
    """Equation (2)."""
    w_1, w_2 = _linear(feed_forward.w_1), _linear(feed_forward.w_2)
    return lambda x: w_2(w_1(x).relu())


def _connected(connection: SublayerConnection, sublayer: Row) -> Row:
    """The residual connection around a sub-layer, pre-norm or post-norm."""
    norm = _norm(connection.norm)
    if connection.norm_first:
        return lambda x: x + sublayer(norm(x))
    return lambda x: norm(x + sublayer(x))


def _norm(norm: nn.Module) -> Row:
    """`layer_norm_steps` with fewer calls, or the module where it has another formula."""
    if not isinstance(norm, LayerNorm):
        return norm
    a_2, b_2, eps = norm.a_2, norm.b_2, norm.eps

    def row(x: Tensor) -> Tensor:
        std, mean = torch.std_mean(x, dim=-1, keepdim=True)
        return a_2 * (x - mean) / (std + eps) + b_2

    return row


def _linear(module: Any) -> Row:
    """The product with a linear layer's own matrix: (…, in) -> (…, out)."""
    return partial(linear, weight=module.weight, bias=module.bias)


def _heads(x: Tensor, h: int) -> Tensor:
    """(batch, length, d_model) -> (batch, h, length, d_k)"""
    return x.unflatten(-1, (h, -1)).transpose(1, 2)
