"""Sequences of different lengths become one rectangular batch (paper, section 5.1: sentences are batched together)."""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad as pad_edges

from transformer_core.devices import device_of
from transformer_core.tasks.vocabulary import PAD


def random_sequences(lengths: Sequence[int], vocab: int, generator: torch.Generator | None = None) -> list[Tensor]:
    """One sequence of tokens 1…vocab-1 per length, each (length,) int64; 0 is kept for padding."""
    if vocab < 2:
        raise ValueError(f"a vocabulary of {vocab} has no token besides padding")
    return [torch.randint(1, vocab, (length,), generator=generator, device=device_of(generator)) for length in lengths]


def pad_sequences(sequences: Sequence[Tensor], width: int, pad: int = PAD) -> Tensor:
    """Fill each sequence up to `width` on its right and stack them: lengths ≤ width -> (batch, width) int64.

    ValueError if there is no sequence, or one longer than `width`: padding never cuts.
    """
    if not sequences:
        raise ValueError("a batch needs at least one sequence")
    longest = max(len(sequence) for sequence in sequences)
    if longest > width:
        raise ValueError(f"a sequence of {longest} tokens does not fit into a width of {width}")
    return torch.stack([pad_edges(sequence, (0, width - len(sequence)), value=pad) for sequence in sequences])


def padded(rows: Iterable[Sequence[int]]) -> Tensor:
    """Rows of tokens side by side, filled up with PAD: (n, longest) int64."""
    rows = list(rows)
    width = max(map(len, rows), default=0)
    return torch.tensor([[*row, *[PAD] * (width - len(row))] for row in rows], dtype=torch.long).view(len(rows), width)
