"""What every task is: pairs of sequences to learn from, pairs to be examined on, and names for their tokens."""

import random
import zlib
from collections.abc import Sequence
from typing import Protocol

import torch

from transformer_core.devices import device_of
from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.vocabulary import Vocabulary

HELD_OUT_OF = 20  # one source in so many is held out
EXAMINED = 3  # seed of the pairs that are held out


class Task(Protocol):
    """A source is to become its target. Sequences begin with START, and end as their vocabulary says."""

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> Vocabulary: ...

    @property
    def target(self) -> Vocabulary: ...

    @property
    def longest(self) -> tuple[int, int]:
        """Tokens of the longest source and of the longest target, all symbols included."""

    def pairs(self, count: int, generator: torch.Generator | None = None) -> Pairs:
        """Random pairs to learn from: src (count, S), tgt (count, T) int64, padded with PAD."""

    def held_out(self, count: int) -> Pairs:
        """Pairs to be examined on, the same ones each time; fewer, where a task has no more.

        `pairs` never gives one of them; in the copy task, whose every pair is fresh, it is merely unlikely to.
        """

    def answer(self, source: Sequence[int]) -> list[int] | None:
        """The target of a source, both with their symbols; None if the task does not say."""

    def alignment(self, source: Sequence[int], target: Sequence[int]) -> list[tuple[int, ...]] | None:
        """For each token of the target the places of the source tokens that it stands for, () for none.

        Both come with their symbols, and places count them. None if `target` is not the answer to `source`.
        """


def is_held_out(source: str) -> bool:
    """Whether a source is never trained on: the same on every machine, about one in HELD_OUT_OF."""
    return zlib.crc32(source.encode()) % HELD_OUT_OF == 0


def seeded(generator: torch.Generator | None) -> random.Random:
    """Python's random numbers from one number of PyTorch's."""
    return random.Random(int(torch.randint(2**62, (), generator=generator, device=device_of(generator))))
