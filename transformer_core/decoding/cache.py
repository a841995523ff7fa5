"""Greedy decoding with a cache of keys and values: what a turn has computed, no later turn computes again.

Under the look-ahead mask position t sees positions 0…t alone (paper, section 3.1), so nothing that the decoder has
computed for a position changes as the output grows. Each layer keeps the keys and values of what is written; those of
the memory are computed once, before the first turn. A turn then computes one row, where `greedy_decode` computes all.
"""

from collections.abc import Iterable
from typing import cast

import torch
from torch import Tensor, nn

from transformer_core.copies import direct
from transformer_core.decoder import DecoderLayer
from transformer_core.decoding.greedy import most_probable
from transformer_core.decoding.loop import Outputs
from transformer_core.masks import boolean_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import START


class CachedDecoder:
    """A model's own decoder and generator, one position at a time.

    memory (batch, S, d_model) and src_mask as for `EncoderDecoder.decode`. Its modules are `direct` copies, which share
    the model's parameters. ValueError for a model in training mode, where dropout draws anew at each turn and nothing
    could be kept.
    """

    @torch.inference_mode()
    def __init__(self, model: EncoderDecoder, memory: Tensor, src_mask: Tensor | None) -> None:
        if model.training:
            raise ValueError("what is kept would not be what dropout draws anew: call eval() before")
        self.model = model = direct(model)
        if src_mask is not None and boolean_mask(src_mask).all():
            src_mask = None  # nothing is hidden
        self.embeddings, self.positions = cast(nn.Sequential, model.tgt_embed)
        self.layers = [
            CachedLayer(layer, memory, src_mask) for layer in cast(Iterable[DecoderLayer], model.decoder.layers)
        ]
        self.read = 0  # tokens of each output

    def next(self, tokens: Tensor) -> Tensor:
        """Read one more token of each output, (batch,) -> log-probabilities (batch, vocab) of those that follow.

        No gradient may meet them. ValueError where the position code has ended.
        """
        with torch.inference_mode():
            x = self.positions(self.embeddings(tokens.unsqueeze(1)), self.read)  # (batch, 1, d_model)
            self.read += 1
            for layer in self.layers:
                x = layer.next(x)
            log_probs: Tensor = self.model.generator(self.model.decoder.norm(x)[:, 0])
        return log_probs


class CachedLayer:
    """A layer of the decoder with the keys and values that it has computed, (batch, h, length, d_k) each."""

    def __init__(self, layer: DecoderLayer, memory: Tensor, src_mask: Tensor | None) -> None:
        self.layer = layer
        self.memory = layer.src_attn.keys_and_values(memory, memory)
        self.src_mask = src_mask
        self.written: tuple[Tensor, Tensor] | None = None

    def next(self, x: Tensor) -> Tensor:
        """One more position: (batch, 1, d_model) -> the same shape."""
        return self.layer.connected(x, self._to_itself, self._to_memory)

    def _to_itself(self, x: Tensor) -> Tensor:
        """Attention to all that is written. Without a mask: of what may not be seen there are no keys yet."""
        attn = self.layer.self_attn
        key, value = attn.keys_and_values(x, x)
        if self.written is not None:
            key, value = torch.cat([self.written[0], key], dim=2), torch.cat([self.written[1], value], dim=2)
        self.written = key, value
        return attn.attend_and_merge(attn.queries(x), key, value, None)

    def _to_memory(self, x: Tensor) -> Tensor:
        """Attention to the source, whose keys and values are the same at every turn."""
        attn = self.layer.src_attn
        return attn.attend_and_merge(attn.queries(x), *self.memory, self.src_mask)


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
        model = direct(model)
        decoder = CachedDecoder(model, model.encode(src, src_mask), src_mask)
        ys = most_probable(Outputs(src, max_len, start_symbol, end), lambda ys: decoder.next(ys[:, -1]))
    return ys.clone()  # one that gradients may meet
