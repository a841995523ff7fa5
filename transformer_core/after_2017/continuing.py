"""A row of tokens goes on: greedy decoding of a decoder-only model, with and without a cache of keys and values."""

from collections.abc import Iterable
from typing import cast

import torch
from torch import Tensor

from transformer_core.after_2017.grouped_attention import GroupedAttention
from transformer_core.after_2017.one_stack import DecoderOnly
from transformer_core.copies import direct
from transformer_core.decoding.greedy import most_probable
from transformer_core.decoding.loop import Outputs
from transformer_core.encoder import EncoderLayer


def continued(model: DecoderOnly, prompt: Tensor, max_len: int, end: int | None = None) -> Tensor:
    """The prompt (batch, P) and the most probable tokens after it, one at a time: (batch, ≤ max_len).

    It is over at `max_len` tokens, the prompt among them, or where all rows have an `end` after the prompt. The model's
    mode is left alone: call eval() before. No row may hold padding. ValueError for a prompt of no tokens, or one that
    leaves no room.
    """

    def predict(ys: Tensor) -> Tensor:
        with torch.no_grad():
            log_probs: Tensor = model.generator(model(ys, model.reach(ys.size(1), ys.device))[:, -1])
        return log_probs

    return most_probable(_Continued(prompt, max_len, end), predict)


def cached_continued(model: DecoderOnly, prompt: Tensor, max_len: int, end: int | None = None) -> Tensor:
    """The row of `continued`, (batch, ≤ max_len), for a model in evaluation mode: what was computed for a position is
    kept. ValueError in training mode, and as `continued`."""
    reader = CachedReader(model)

    def predict(ys: Tensor) -> Tensor:
        return reader.next(ys[:, reader.read :])

    return most_probable(_Continued(prompt, max_len, end), predict)


def sampled_continued(
    model: DecoderOnly, prompt: Tensor, max_len: int, generator: torch.Generator, end: int | None = None
) -> Tensor:
    """As `cached_continued`, but each token is drawn with its probability instead of being the most probable."""
    reader, rows = CachedReader(model), _Continued(prompt, max_len, end)
    for ys in rows:
        chances = reader.next(ys[:, reader.read :]).exp()
        rows.append(torch.multinomial(chances, 1, generator=generator).squeeze(1))
    return rows.ys


class _Continued(Outputs):
    """Outputs that begin with a prompt of their own each; an end symbol counts after it alone."""

    def __init__(self, prompt: Tensor, max_len: int, end: int | None) -> None:
        super().__init__(prompt, max_len, end=end)
        length = prompt.size(1)
        if not 0 < length < max_len:
            raise ValueError(f"a prompt of {length} tokens cannot go on within {max_len}: it needs 1…{max_len - 1}")
        self.ys, self.length = prompt, length

    def _ended(self) -> bool:
        return self.end is not None and bool((self.ys[:, self.length :] == self.end).any(dim=1).all())


class CachedReader:
    """A decoder-only model that reads on: keys and values of what it has read are kept, (batch, groups, length, d_k).

    Of a window no more is kept than it sees. No row may hold padding. ValueError for a model in training mode.
    """

    def __init__(self, model: DecoderOnly) -> None:
        if model.training:
            raise ValueError("what is kept would not be what dropout draws anew: call eval() before")
        self.model = direct(model)
        self.layers = [CachedLayerOfOneStack(each) for each in cast(Iterable[EncoderLayer], self.model.stack.layers)]
        self.read = 0  # tokens of each row

    def next(self, tokens: Tensor) -> Tensor:
        """Read more tokens of each row, (batch, n) -> log-probabilities (batch, vocab) of those that follow."""
        model, n = self.model, tokens.size(1)
        with torch.inference_mode():
            table, positions, *norm = model.embed._modules.values()
            x = positions(table(tokens), self.read)
            for each in norm:
                x = each(x)
            kept = self.read if self.model.shape.window is None else min(self.read, self.model.shape.window - 1)
            mask = model.reach(kept + n, tokens.device)[:, kept:]
            for layer in self.layers:
                x = layer.next(x, self.read, kept, mask)
            self.read += n
            log_probs: Tensor = model.generator(model.stack.norm(x)[:, -1])
        return log_probs.clone()

    @property
    def bytes(self) -> int:
        """What the cache takes."""
        return sum(each.nbytes for layer in self.layers for each in layer.written)


class CachedLayerOfOneStack:
    """A layer with the keys and values that it has computed."""

    def __init__(self, layer: EncoderLayer) -> None:
        self.layer = layer
        self.written: tuple[Tensor, ...] = ()

    def next(self, x: Tensor, first: int, kept: int, mask: Tensor) -> Tensor:
        """More positions, from `first` on: (batch, n, d_model) -> the same shape."""
        attention = self.layer.self_attn

        def to_itself(x: Tensor) -> Tensor:
            if isinstance(attention, GroupedAttention):
                query, new = attention.queries(x, first), attention.keys_and_values(x, x, first)
            else:
                query, new = attention.queries(x), attention.keys_and_values(x, x)
            if self.written:
                last = [each[:, :, each.size(2) - kept :] for each in self.written]
                new = torch.cat([last[0], new[0]], dim=2), torch.cat([last[1], new[1]], dim=2)
            self.written = new
            return attention.attend_and_merge(query, *new, mask)

        one, two = self.layer.sublayer
        return two(one(x, to_itself), self.layer.feed_forward)
