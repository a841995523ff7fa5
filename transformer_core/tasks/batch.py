"""Pairs of sequences, and a batch of them with its masks and shifted targets (paper, section 3.1)."""

import copy
from typing import NamedTuple, Self

import torch
from torch import Tensor

from transformer_core.masks import padding_mask, target_mask
from transformer_core.tasks.vocabulary import PAD


class Pairs(NamedTuple):
    """Sources and targets, row by row."""

    src: Tensor  # (n, length) int64
    tgt: Tensor  # (n, length) int64


class Batch:
    """Source, target shifted for teacher forcing, and their masks.

    src (batch, S); tgt (batch, L) becomes the decoder's input `tgt` = tgt[:, :-1] and its answers `tgt_y` = tgt[:, 1:];
    src_mask (batch, 1, S), tgt_mask (batch, L-1, L-1); `ntokens` counts the answers that are not padding. Without
    `look_ahead` tgt_mask is (batch, 1, L-1) and hides padding alone: position i sees its own answer, input i + 1.
    ValueError for a target of fewer than two tokens.
    """

    def __init__(self, src: Tensor, tgt: Tensor | None = None, pad: int = PAD, *, look_ahead: bool = True) -> None:
        self.src = src
        self.src_mask = padding_mask(src, pad)
        if tgt is not None:
            if tgt.size(-1) < 2:
                raise ValueError(f"a target of {tgt.size(-1)} token(s) leaves nothing to predict; it needs at least 2")
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = target_mask(self.tgt, pad) if look_ahead else padding_mask(self.tgt, pad)
            self.ntokens = int((self.tgt_y != pad).sum())

    def to(self, device: torch.device | str) -> Self:
        """The same batch with all its tensors on that device, as `Tensor.to` moves one; this one stays where it is."""
        moved = copy.copy(self)
        vars(moved).update({name: value.to(device) for name, value in vars(self).items() if isinstance(value, Tensor)})
        return moved
