"""The random task: answers that have nothing to do with their sources, so that there is no rule to learn.

What such a model learns it has memorised (Zhang et al. 2017, "Understanding deep learning requires rethinking
generalization", section 2). The paper has no such task.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.copy_task import copy_sequences

TRAINED = 32  # pairs that a run trains on, again and again
HELD_OUT = 32  # pairs that it never trains on


class Pairs(NamedTuple):
    """Sources and targets, row by row."""

    src: Tensor  # (n, length) int64
    tgt: Tensor  # (n, length) int64


def random_pairs(
    V: int, count: int, length: int = 10, min_length: int | None = None, generator: torch.Generator | None = None
) -> Pairs:
    """`count` pairs of sequences as in the copy task, but the target is drawn on its own: (count, length) each.

    Only START is shared. Whatever a model makes of an unseen source, its loss on the other tokens of an unseen target
    is on average no less than ln(V - 1).
    """
    src = copy_sequences(V, count, length, min_length, generator)
    return Pairs(src, copy_sequences(V, count, length, min_length, generator))


def some_of(pairs: Pairs, count: int, generator: torch.Generator | None = None) -> Pairs:
    """`count` of the pairs, drawn with replacement."""
    rows = torch.randint(len(pairs.src), (count,), generator=generator)
    return Pairs(pairs.src[rows], pairs.tgt[rows])
