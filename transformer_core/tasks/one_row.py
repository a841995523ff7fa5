"""Translation as one row of words: a sentence, "=", and what it is in the other language.

A decoder-only model that has learned such rows writes them, and translates when it is given the row up to "=". An
encoder-only model fills in a word that is covered.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.padding import padded
from transformer_core.tasks.translation import Translation
from transformer_core.tasks.vocabulary import END, PAD, START, Vocabulary

EQUALS = "="
COVER = "⟨mask⟩"
COVERED = (
    0.4  # share of the words of a row that are covered in a lesson, at least one; in Devlin et al. 2018 it is 15 %
)
ALONE = 5  # every so many rows of such a lesson the sentence stands alone, so that several words may fit


class Covered(NamedTuple):
    """Rows with covered words, and the words: both (n, length) int64, the words PAD where nothing is covered."""

    rows: Tensor
    words: Tensor


@dataclass(frozen=True)
class OneRow:
    """The rows ⟨s⟩ source = target ⟨/s⟩ of a translation. ValueError if there is no such direction."""

    direction: str = "both"

    def __post_init__(self) -> None:
        _ = self.translation

    @cached_property
    def translation(self) -> Translation:
        return Translation(self.direction)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of both languages, "=" and the sign for a covered word."""
        words = dict.fromkeys((*self.translation.source.words, *self.translation.target.words))
        return Vocabulary.of_words((*words, EQUALS, COVER))

    @cached_property
    def equals(self) -> int:
        (token,) = self.vocabulary.tokens_of([EQUALS])
        return token

    @cached_property
    def cover(self) -> int:
        (token,) = self.vocabulary.tokens_of([COVER])
        return token

    @property
    def longest(self) -> int:
        """Tokens of the longest row."""
        source, target = self.translation.longest
        return source + target - 1

    def rows(self, count: int, generator: torch.Generator | None = None) -> Tensor:
        """Random rows to learn from, padded: (count, length) int64."""
        return self._joined(self.translation.pairs(count, generator))

    def held_out(self, count: int) -> Tensor:
        """Rows that `rows` never gives, the same ones each time: (count, length) int64."""
        return self._joined(self.translation.held_out(count))

    def prompt(self, text: str) -> list[int]:
        """The tokens up to "=" of a row that begins with this text, which need not have the sign itself; of an empty
        text the start alone. ValueError (UnknownWord) for a word that the task does not have.
        """
        tokens = self.vocabulary.read(text)
        return [START, *tokens, *([] if self.equals in tokens or not tokens else [self.equals])]

    def after_equals(self, rows: Tensor) -> Tensor:
        """Which tokens a model that translates has to give: those after "=", but no padding. As `rows`, bool."""
        return ((rows == self.equals).cumsum(1) > 0) & (rows != self.equals) & (rows != PAD)

    def words_in(self, rows: Tensor) -> Tensor:
        """Which tokens are words of the sentences: as `rows`, bool."""
        return (rows > END) & (rows != self.equals) & (rows != self.cover)

    def covered(self, rows: Tensor, generator: torch.Generator) -> Covered:
        """A lesson: of each row a few words are covered, and of some the target is taken away."""
        alone = rows.clone()
        at = torch.arange(len(rows)) % ALONE == 0
        equals = rows == self.equals
        alone[equals] = END
        alone[self.after_equals(rows)] = PAD
        rows = torch.where(at.unsqueeze(1), alone, rows)
        chance = torch.rand(rows.shape, generator=generator).masked_fill(~self.words_in(rows), 2.0)
        hidden = (chance < COVERED) | (chance == chance.amin(1, keepdim=True))
        return Covered(rows.masked_fill(hidden, self.cover), rows.masked_fill(~hidden, PAD))

    def covered_in_turn(self, rows: Tensor) -> Covered:
        """Each word of each row covered alone: a row for every word, (words, length)."""
        which, place = self.words_in(rows).nonzero(as_tuple=True)
        one = torch.zeros(len(which), rows.size(1), dtype=torch.bool)
        one[torch.arange(len(which)), place] = True
        rows = rows[which]
        return Covered(rows.masked_fill(one, self.cover), rows.masked_fill(~one, PAD))

    def _joined(self, pairs: Pairs) -> Tensor:
        source, target = (
            torch.tensor([0, START, END, *self.vocabulary.tokens_of(side.words)])
            for side in (self.translation.source, self.translation.target)
        )
        rows = []
        for src, tgt in zip(source[pairs.src].tolist(), target[pairs.tgt].tolist()):
            rows.append([*src[: src.index(END)], self.equals, *tgt[1 : tgt.index(END) + 1]])
        return padded(rows)
