"""Translation between the English and the Chinese of a small invented language (the paper's task, section 5.1)."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

import torch

from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.grammar import CHINESE, ENGLISH, SIDES, Piece, alignment, english_chinese
from transformer_core.tasks.padding import padded
from transformer_core.tasks.task import EXAMINED, is_held_out, seeded
from transformer_core.tasks.vocabulary import Vocabulary

DIRECTIONS = {"en-zh": (ENGLISH,), "zh-en": (CHINESE,), "both": SIDES}  # the languages that a source may be in


@dataclass(frozen=True)
class Translation:
    """Sentences of one language and what they are in the other; of "both", every other pair goes the other way.

    A model of both directions has one vocabulary of all words on both sides, and needs no sign for the direction:
    no word belongs to both languages. A sentence is held out in both languages or in none. ValueError if there is no
    such direction.
    """

    direction: str = "en-zh"

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ValueError(f"the direction is one of {', '.join(DIRECTIONS)}, not {self.direction:.40}")

    @property
    def name(self) -> str:
        return f"translate {self.direction}"

    @cached_property
    def source(self) -> Vocabulary:
        return _vocabulary(DIRECTIONS[self.direction])

    @cached_property
    def target(self) -> Vocabulary:
        return _vocabulary(tuple(1 - side for side in reversed(DIRECTIONS[self.direction])))

    @property
    def longest(self) -> tuple[int, int]:
        words = english_chinese().longest
        sides = DIRECTIONS[self.direction]
        return 2 + max(words[side] for side in sides), 2 + max(words[1 - side] for side in sides)

    def pairs(self, count: int, generator: torch.Generator | None = None) -> Pairs:
        return self._pairs(_drawn(seeded(generator), held_out=False), count)

    def held_out(self, count: int) -> Pairs:
        """Those of the same number are one value: not to be changed."""
        return _held_out(self, count)

    def answer(self, source: Sequence[int]) -> list[int] | None:
        """None if the grammar has no such sentence."""
        tree, side = self._tree(source)
        return None if tree is None else self._target(tree, 1 - side)

    def alignment(self, source: Sequence[int], target: Sequence[int]) -> list[tuple[int, ...]] | None:
        tree, side = self._tree(source)
        if tree is None or list(target) != self._target(tree, 1 - side):
            return None
        words = [tuple(place + 1 for place in places) for places in alignment(tree, side, 1 - side)]
        return [(0,), *words, (len(source) - 1,)]

    def _tree(self, source: Sequence[int]) -> tuple[Piece | None, int]:
        words = self.source.names_of(source[1:-1])
        known = list(source) == self.source.sequence(source[1:-1])
        trees = [(_read(tuple(words), side) if known else None, side) for side in DIRECTIONS[self.direction]]
        return next((found for found in trees if found[0] is not None), (None, ENGLISH))

    def _target(self, tree: Piece, side: int) -> list[int]:
        return self.target.sequence(self.target.tokens_of(tree.words[side]))

    def _pairs(self, trees: Iterator[Piece], count: int) -> Pairs:
        sides = DIRECTIONS[self.direction]
        rows = [(tree.words, sides[index % len(sides)]) for index, tree in enumerate(islice(trees, count))]
        src = [self.source.sequence(self.source.tokens_of(words[side])) for words, side in rows]
        tgt = [self.target.sequence(self.target.tokens_of(words[1 - side])) for words, side in rows]
        return Pairs(padded(src), padded(tgt))


@lru_cache(maxsize=256)
def _read(words: tuple[str, ...], side: int) -> Piece | None:
    return english_chinese().read(words, side)


@lru_cache(maxsize=8)
def _held_out(task: Translation, count: int) -> Pairs:
    return task._pairs(iter(_examined(count)), count)


@lru_cache
def _vocabulary(sides: tuple[int, ...]) -> Vocabulary:
    return Vocabulary.of_words(word for side in sides for word in english_chinese().words(side))


def _drawn(random_: random.Random, held_out: bool) -> Iterator[Piece]:
    """Sentences that are held out, or that are not, without end."""
    grammar = english_chinese()
    while True:
        tree = grammar.draw(random_)
        if is_held_out(" ".join(tree.words[ENGLISH])) == held_out:
            yield tree


@lru_cache(maxsize=4)
def _examined(count: int) -> list[Piece]:
    """So many different sentences that no run trains on."""
    found: dict[tuple[tuple[str, ...], ...], Piece] = {}
    trees = _drawn(random.Random(EXAMINED), held_out=True)
    while len(found) < count:
        tree = next(trees)
        found.setdefault(tree.words, tree)
    return list(found.values())
