"""Two tasks on rows of letters: turn a row round, put it in order."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from string import ascii_lowercase
from typing import Literal

import torch

from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.padding import padded
from transformer_core.tasks.task import EXAMINED, is_held_out, seeded
from transformer_core.tasks.vocabulary import END, Vocabulary

FEWEST = 1000  # rows there must be


@dataclass(frozen=True)
class Letters:
    """Rows of `shortest` to `letters` of the first letters of the alphabet become their mirror image, or are sorted.

    ValueError if there are no such rows, or too few.
    """

    name: Literal["reverse", "sort"]
    alphabet: int = 10
    letters: int = 8
    shortest: int = 4

    def __post_init__(self) -> None:
        if not (2 <= self.alphabet <= len(ascii_lowercase) and 1 <= self.shortest <= self.letters):
            raise ValueError(f"no rows of {self.shortest} to {self.letters} out of {self.alphabet} letters")
        if self.alphabet**self.letters < FEWEST:
            raise ValueError(f"{self.letters} of {self.alphabet} letters give too few rows to hold some out")

    @cached_property
    def source(self) -> Vocabulary:
        return Vocabulary.of_words(ascii_lowercase[: self.alphabet])

    @property
    def target(self) -> Vocabulary:
        return self.source

    @property
    def longest(self) -> tuple[int, int]:
        return self.letters + 2, self.letters + 2

    def pairs(self, count: int, generator: torch.Generator | None = None) -> Pairs:
        return self._pairs(self._drawn(seeded(generator), held_out=False), count)

    def held_out(self, count: int) -> Pairs:
        return self._pairs(self._drawn(random.Random(EXAMINED), held_out=True), count)

    def answer(self, source: Sequence[int]) -> list[int] | None:
        row = list(source[1:-1])
        if list(source) != self.source.sequence(row) or any(token <= END for token in row):
            return None
        return self.source.sequence([row[place] for place in self._order(row)])

    def alignment(self, source: Sequence[int], target: Sequence[int]) -> list[tuple[int, ...]] | None:
        """Of equal letters the first comes first."""
        if self.answer(source) != list(target):
            return None
        places = [(place + 1,) for place in self._order(source[1:-1])]
        return [(0,), *places, (len(source) - 1,)]

    def _order(self, row: Sequence[int]) -> list[int]:
        places = range(len(row))
        return list(reversed(places)) if self.name == "reverse" else sorted(places, key=lambda place: row[place])

    def _drawn(self, random_: random.Random, held_out: bool) -> Iterator[list[int]]:
        """Rows that are held out, or that are not, without end."""
        tokens = range(END + 1, END + 1 + self.alphabet)
        while True:
            row = random_.choices(tokens, k=random_.randint(self.shortest, self.letters))
            if is_held_out(" ".join(self.source.names_of(row))) == held_out:
                yield row

    def _pairs(self, rows: Iterator[list[int]], count: int) -> Pairs:
        drawn = list(islice(rows, count))
        src = [self.source.sequence(row) for row in drawn]
        tgt = [self.target.sequence([row[place] for place in self._order(row)]) for row in drawn]
        return Pairs(padded(src), padded(tgt))
