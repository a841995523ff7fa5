"""What a model of the copy task does at a length it may never have met in training."""

from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.model import EncoderDecoder
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.copy_task import copy_sequences


class LengthScore(NamedTuple):
    """Shares between 0 and 1 over fresh random sequences of one length."""

    exact: float  # of sequences copied to the last token
    tokens: Tensor  # (length - 1,) of sequences right at each predicted token, given the right ones before it


def length_score(model: EncoderDecoder, vocab: int, length: int, count: int, seed: int = 0) -> LengthScore:
    """Copy `count` fresh sequences of `length` tokens, the start symbol included, and compare them with the source.

    All tokens are predicted at once, each after the right ones. For whole sequences that comes to the same as greedy
    decoding: as long as every token was right, greedy decoding has the very same input.
    """
    sequences = copy_sequences(vocab, count, length, generator=torch.Generator().manual_seed(seed))
    batch = Batch(sequences, sequences)
    with torch.no_grad():
        out = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        right = model.generator(out).argmax(-1) == batch.tgt_y  # (count, length - 1)
    return LengthScore(right.all(1).float().mean().item(), right.float().mean(0))
