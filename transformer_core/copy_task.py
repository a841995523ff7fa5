"""The copy task: the target is the source. And a batch with its masks and shifted targets."""

import torch
from torch import Tensor

from transformer_core.masks import padding_mask, target_mask

PAD = 0
START = 1  # first token of every sequence: the decoder's first input, in training and in decoding alike


class Batch:
    """Source, target shifted for teacher forcing, and their masks.

    src (batch, S); tgt (batch, L) becomes the decoder's input `tgt` = tgt[:, :-1] and its answers `tgt_y` = tgt[:, 1:];
    src_mask (batch, 1, S), tgt_mask (batch, L-1, L-1); `ntokens` counts the answers that are not padding.
    """

    def __init__(self, src: Tensor, tgt: Tensor | None = None, pad: int = PAD) -> None:
        self.src = src
        self.src_mask = padding_mask(src, pad)
        if tgt is not None:
            if tgt.size(-1) < 2:
                raise ValueError(f"a target of {tgt.size(-1)} token(s) leaves nothing to predict; it needs at least 2")
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = target_mask(self.tgt, pad)
            self.ntokens = int((self.tgt_y != pad).sum())


def copy_sequences(
    V: int, batch_size: int, length: int = 10, min_length: int | None = None, generator: torch.Generator | None = None
) -> Tensor:
    """Random sequences of tokens 1…V-1 that begin with START: (batch_size, length) int64.

    With `min_length` each row has a random length from there up to `length` and is padded with PAD.
    """
    if V < 2:
        raise ValueError(f"a vocabulary of {V} has no token besides padding")
    shortest = length if min_length is None else min_length
    if batch_size < 0 or not 1 <= shortest <= length:
        raise ValueError(f"there are no {batch_size} sequences of {shortest} to {length} tokens")
    tokens = torch.randint(1, V, (batch_size, length), generator=generator)
    tokens[:, 0] = START
    if min_length is not None:
        lengths = torch.randint(min_length, length + 1, (batch_size, 1), generator=generator)
        tokens[torch.arange(length) >= lengths] = PAD
    return tokens
