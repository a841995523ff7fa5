"""Models of one stack: the right half of figure 1 without its attention to a memory, or the left half alone.

The decoder-only model (Radford et al. 2018, "GPT") reads one row of tokens and predicts at each place the next one. The
encoder-only model (Devlin et al. 2018, "BERT") sees the whole row and predicts what was covered. Both are a stack of
this package's `EncoderLayer`s; the mask is the difference.
"""

from typing import cast

import torch
from torch import Tensor, nn

from transformer_core.after_2017.shape import OneStackShape
from transformer_core.after_2017.window import window_mask
from transformer_core.embeddings import Embeddings
from transformer_core.encoder import Encoder
from transformer_core.masks import padding_mask, subsequent_mask
from transformer_core.model import Generator


class OneStack(nn.Module):
    """tokens (batch, length), mask (batch or 1, length or 1, length) -> (batch, length, d_model).

    The output goes through `generator` to become log-probabilities, as in `EncoderDecoder`. Without a mask the model
    takes its own: `own_mask`. Stack and embeddings bear the names they have in `EncoderDecoder`, in a recording too.
    """

    STACK, EMBED = "", ""

    def __init__(self, shape: OneStackShape, stack: Encoder, embed: nn.Module, generator: Generator) -> None:
        super().__init__()
        self.shape = shape
        self.add_module(self.EMBED, embed)
        self.add_module(self.STACK, stack)
        self.generator = generator

    @property
    def stack(self) -> Encoder:
        return cast(Encoder, getattr(self, self.STACK))

    @property
    def embed(self) -> nn.Sequential:
        return cast(nn.Sequential, getattr(self, self.EMBED))

    @property
    def table(self) -> nn.Embedding:
        """The rows of the tokens: weight (vocab, d_model)."""
        return cast(Embeddings, self.embed[0]).lut

    def forward(self, tokens: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.stack(self.embed(tokens), self.own_mask(tokens) if mask is None else mask)

    def own_mask(self, tokens: Tensor) -> Tensor | None:
        """What each position may attend to: what is within its reach, but no padding. None hides nothing."""
        reach = self.reach(tokens.size(1), tokens.device)
        if self.shape.pad is None:
            return reach
        real = padding_mask(tokens, self.shape.pad)
        return real if reach is None else real & reach

    def reach(self, length: int, device: torch.device | None = None) -> Tensor | None:
        """Where a position looks, whatever stands there: (1, length, length). None is everywhere."""
        return None if self.shape.window is None else window_mask(length, self.shape.window, device)


class DecoderOnly(OneStack):
    """As GPT: each position sees those before it, and its output predicts the token after it.

    tokens (batch, length) -> (batch, length, d_model), which `generator` turns into log-probabilities.
    """

    STACK, EMBED = "decoder", "tgt_embed"
    decoder: Encoder
    tgt_embed: nn.Module

    def reach(self, length: int, device: torch.device | None = None) -> Tensor:
        ahead, near = subsequent_mask(length, device), super().reach(length, device)
        return ahead if near is None else ahead & near


class EncoderOnly(OneStack):
    """As BERT: each position sees the whole row, and its output predicts the token that stood there.

    tokens (batch, length) -> (batch, length, d_model), which `generator` turns into log-probabilities.
    """

    STACK, EMBED = "encoder", "src_embed"
    encoder: Encoder
    src_embed: nn.Module
