"""Translation between English and another language, of a few words and rules (the paper's task, section 5.1)."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

import torch

from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.grammar import ENGLISH, SIDES, Grammar, Piece, alignment, beside_english
from transformer_core.tasks.padding import padded
from transformer_core.tasks.task import EXAMINED, is_held_out, seeded
from transformer_core.tasks.vocabulary import Vocabulary

OTHER = 1 - ENGLISH
DIRECTIONS = {  # the language beside English, and the sides that a source may be of
    "en-zh": ("zh", (ENGLISH,)),
    "zh-en": ("zh", (OTHER,)),
    "both": ("zh", SIDES),
    "en-es": ("es", (ENGLISH,)),
    "es-en": ("es", (OTHER,)),
    "both-es": ("es", SIDES),
}


@dataclass(frozen=True)
class Translation:
    """Sentences of one language and what they are in the other; of "both", every other pair goes the other way.

    "zh" is Chinese, "es" is Spanish. A model of both directions has one vocabulary of all words on both sides, and
    needs no sign for the direction: no word belongs to both languages, but for a question mark. A sentence is held out
    in both languages or in none. ValueError if there is no such direction.
    """

    direction: str = "en-zh"

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ValueError(f"the direction is one of {', '.join(DIRECTIONS)}, not {self.direction:.40}")

    @property
    def language(self) -> str:
        """The one beside English."""
        return DIRECTIONS[self.direction][0]

    @property
    def sides(self) -> tuple[int, ...]:
        """Those that a source may be of: `ENGLISH`, the other one, or both."""
        return DIRECTIONS[self.direction][1]

    @property
    def grammar(self) -> Grammar:
        return beside_english(self.language)

    @property
    def name(self) -> str:
        return f"translate {self.direction}"

    @cached_property
    def source(self) -> Vocabulary:
        return _vocabulary(self.language, self.sides)

    @cached_property
    def target(self) -> Vocabulary:
        return _vocabulary(self.language, tuple(1 - side for side in reversed(self.sides)))

    @property
    def longest(self) -> tuple[int, int]:
        words = self.grammar.longest
        return 2 + max(words[side] for side in self.sides), 2 + max(words[1 - side] for side in self.sides)

    def side_of(self, text: str) -> int:
        """The language of a source: that of most of its words, the first one of the direction if none is known."""
        known = [word for word, is_known in self.source.pieces(text) if is_known]
        names = set(self.source.names_of(token for word in known for token in self.source.read(word)))
        return max(self.sides, key=lambda side: len(names.intersection(self.grammar.words(side))))

    def direction_of(self, text: str) -> str:
        """What becomes of a source: "en-zh" of an English one."""
        return f"en-{self.language}" if self.side_of(text) == ENGLISH else f"{self.language}-en"

    def pairs(self, count: int, generator: torch.Generator | None = None) -> Pairs:
        return self._pairs(_drawn(self.language, seeded(generator), held_out=False), count)

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
        trees = [(_read(self.language, tuple(words), side) if known else None, side) for side in self.sides]
        return next((found for found in trees if found[0] is not None), (None, ENGLISH))

    def _target(self, tree: Piece, side: int) -> list[int]:
        return self.target.sequence(self.target.tokens_of(tree.words[side]))

    def _pairs(self, trees: Iterator[Piece], count: int) -> Pairs:
        sides = self.sides
        rows = [(tree.words, sides[index % len(sides)]) for index, tree in enumerate(islice(trees, count))]
        src = [self.source.sequence(self.source.tokens_of(words[side])) for words, side in rows]
        tgt = [self.target.sequence(self.target.tokens_of(words[1 - side])) for words, side in rows]
        return Pairs(padded(src), padded(tgt))


@lru_cache(maxsize=256)
def _read(language: str, words: tuple[str, ...], side: int) -> Piece | None:
    return beside_english(language).read(words, side)


@lru_cache(maxsize=8)
def _held_out(task: Translation, count: int) -> Pairs:
    return task._pairs(iter(_examined(task.language, count)), count)


@lru_cache
def _vocabulary(language: str, sides: tuple[int, ...]) -> Vocabulary:
    grammar = beside_english(language)
    return Vocabulary.of_words(dict.fromkeys(word for side in sides for word in grammar.words(side)))


def _drawn(language: str, random_: random.Random, held_out: bool) -> Iterator[Piece]:
    """Sentences that are held out, or that are not, without end."""
    grammar = beside_english(language)
    while True:
        tree = grammar.draw(random_)
        if is_held_out(" ".join(tree.words[ENGLISH])) == held_out:
            yield tree


@lru_cache(maxsize=4)
def _examined(language: str, count: int) -> list[Piece]:
    """So many different sentences that no run trains on."""
    found: dict[tuple[tuple[str, ...], ...], Piece] = {}
    trees = _drawn(language, random.Random(EXAMINED), held_out=True)
    while len(found) < count:
        tree = next(trees)
        found.setdefault(tree.words, tree)
    return list(found.values())
