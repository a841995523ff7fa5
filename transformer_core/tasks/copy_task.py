"""The copy task: the target is the source."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from transformer_core.devices import device_of
from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.task import EXAMINED
from transformer_core.tasks.vocabulary import PAD, START, Vocabulary


def copy_sequences(
    V: int, batch_size: int, length: int = 10, min_length: int | None = None, generator: torch.Generator | None = None
) -> Tensor:
    """Random sequences of tokens 1…V-1 that begin with START: (batch_size, length) int64, on the
    generator's device.

    With `min_length` each row has a random length from there up to `length` and is padded with PAD. ValueError if
    there are no such sequences.
    """
    if V < 2:
        raise ValueError(f"a vocabulary of {V} has no token besides padding")
    shortest = length if min_length is None else min_length
    if batch_size < 0 or not 1 <= shortest <= length:
        raise ValueError(f"there are no {batch_size} sequences of {shortest} to {length} tokens")
    where = device_of(generator)
    tokens = torch.randint(1, V, (batch_size, length), generator=generator, device=where)
    tokens[:, 0] = START
    if min_length is not None:
        lengths = torch.randint(min_length, length + 1, (batch_size, 1), generator=generator, device=where)
        tokens[torch.arange(length, device=tokens.device) >= lengths] = PAD
    return tokens


@dataclass(frozen=True)
class Copy:
    """The target is the source: the sequences of `copy_sequences`, bit for bit."""

    name = "copy"
    vocab: int = 11
    length: int = 10
    min_length: int | None = None

    @cached_property
    def source(self) -> Vocabulary:
        return Vocabulary.of_numbers(self.vocab)

    @property
    def target(self) -> Vocabulary:
        return self.source

    @property
    def longest(self) -> tuple[int, int]:
        return self.length, self.length

    def pairs(self, count: int, generator: torch.Generator | None = None) -> Pairs:
        rows = copy_sequences(self.vocab, count, self.length, self.min_length, generator)
        return Pairs(rows, rows)

    def held_out(self, count: int) -> Pairs:
        """From a stream of their own."""
        return self.pairs(count, torch.Generator().manual_seed(EXAMINED))

    def answer(self, source: Sequence[int]) -> list[int] | None:
        return list(source)

    def alignment(self, source: Sequence[int], target: Sequence[int]) -> list[tuple[int, ...]] | None:
        if list(source) != list(target):
            return None
        return [() if token == PAD else (place,) for place, token in enumerate(source)]
