"""The tasks of the lecture notes on rows of numbers: copy them, or learn random answers by heart."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from transformer_core.copy_task import PAD, copy_sequences
from transformer_core.random_task import HELD_OUT, TRAINED, Pairs, random_pairs, some_of
from transformer_core.tasks.task import EXAMINED
from transformer_core.tasks.vocabulary import Vocabulary


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


class RandomAnswers:
    """A few pairs without a rule, learned again and again, and as many that are never seen.

    Both are drawn when the task is made, the first from `generator`, the others from `unseen`.
    """

    name = "random"

    def __init__(
        self,
        vocab: int,
        length: int = 10,
        min_length: int | None = None,
        generator: torch.Generator | None = None,
        unseen: torch.Generator | None = None,
    ) -> None:
        self.source = self.target = Vocabulary.of_numbers(vocab)
        self.longest = length, length
        self.trained = random_pairs(vocab, TRAINED, length, min_length, generator)
        self.unseen = random_pairs(vocab, HELD_OUT, length, min_length, unseen)

    def pairs(self, count: int, generator: torch.Generator | None = None) -> Pairs:
        return some_of(self.trained, count, generator)

    def held_out(self, count: int) -> Pairs:
        """ValueError if there are fewer."""
        if count > HELD_OUT:
            raise ValueError(f"{HELD_OUT} pairs are held out, not {count}")
        return Pairs(self.unseen.src[:count], self.unseen.tgt[:count])

    def answer(self, source: Sequence[int]) -> list[int] | None:
        return None

    def alignment(self, source: Sequence[int], target: Sequence[int]) -> list[tuple[int, ...]] | None:
        return None
