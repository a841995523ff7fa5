"""A synchronous grammar: a sentence is one tree of pieces, written in two languages, that knows which word made which.

Aho and Ullman 1969, "Syntax directed translations and the pushdown assembler". What follows from the rules: random
sentences, their number, the tree of a sentence that somebody wrote, its translation, and the alignment of the two.
"""

import tomllib
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from transformer_core.tasks.rules import Rule, RuleWord, measure_words_of, nouns_of, rules_of

SIDES = ENGLISH, CHINESE = 0, 1
SPANISH = 1  # each language stands beside English in a file of its own
FILES = {
    "zh": Path(__file__).with_name("english_chinese.toml"),
    "es": Path(__file__).with_name("english_spanish.toml"),
}
LISTED = 300  # a symbol with no more ways to be written than this is drawn from their list, at once


class Piece(NamedTuple):
    """A rule and how its symbols are written: a node of the tree of a sentence."""

    rule: Rule
    parts: tuple["Piece", ...]
    words: tuple[tuple[str, ...], ...]  # English, the other language: the whole piece, written


class Grammar:
    """The sentences of a data file's `values`. ValueError if a rule names a symbol that has none."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.start: str = values["start"]
        english, other = values["longest"].values()
        self.longest: tuple[int, int] = english, other  # words
        self.rules = rules_of(values)
        self.measures = frozenset(measure_words_of(values))
        self.nouns = frozenset(nouns_of(values))
        self._words: dict[int, tuple[str, ...]] = {}
        self._counts: dict[str, Counter[tuple[int, int]]] = {}
        self._lists: dict[str, tuple[list[Piece], list[float]]] = {}  # empty ones: too many ways to list

    def draw(self, random: Random) -> Piece:
        """A random sentence: one rule after the other, each as likely as its rivals; again if it became too long."""
        while not self._allows(tree := self._drawn(self.start, random)):
            pass
        return tree

    def read(self, words: Sequence[str], side: int) -> Piece | None:
        """The tree of a sentence in the language `side`; None if the grammar has no such sentence."""
        if len(words) > self.longest[side]:
            return None
        found = _Reader(self.rules, words, side).pieces(self.start, 0)
        return next((tree for end, tree in found if end == len(words) and self._allows(tree)), None)

    def words(self, side: int) -> tuple[str, ...]:
        """Every word of a language that a sentence may use, in the order of their characters."""
        if side not in self._words:
            self._words[side] = tuple(sorted(self._reached(side)))
        return self._words[side]

    def _reached(self, side: int) -> set[str]:
        reached, todo, found = set[str](), [self.start], set[str]()
        while todo:
            if (symbol := todo.pop()) not in reached:
                reached.add(symbol)
                for rule in self.rules[symbol]:
                    todo += rule.symbols
                    found |= {part.text for part in rule.sides[side] if isinstance(part, RuleWord)}
        return found

    @cached_property
    def sentences(self) -> int:
        """How many sentences there are: as many as trees, for none has two."""
        lengths = self._lengths(self.start).items()
        return sum(number for (a, b), number in lengths if a <= self.longest[0] and b <= self.longest[1])

    def _allows(self, tree: Piece) -> bool:
        return all(len(words) <= longest for words, longest in zip(tree.words, self.longest))

    def _drawn(self, symbol: str, random: Random) -> Piece:
        if symbol not in self._lists:
            found = list(self._all(symbol)) if self._lengths(symbol).total() <= LISTED else []
            self._lists[symbol] = [piece for piece, _ in found], list(accumulate(share for _, share in found))
        pieces, upto = self._lists[symbol]
        if pieces:
            return pieces[bisect(upto, random.random() * upto[-1], 0, len(upto) - 1)]
        rules = self.rules[symbol]
        rule = rules[int(random.random() * len(rules))]
        return _piece(rule, [self._drawn(part, random) for part in rule.symbols])

    def _all(self, symbol: str) -> Iterator[tuple[Piece, float]]:
        """Every way to write a symbol, and how likely it is."""
        for rule in self.rules[symbol]:
            for chosen in product(*(list(self._all(part)) for part in rule.symbols)):
                share = 1 / len(self.rules[symbol])
                for _, less in chosen:
                    share *= less
                yield _piece(rule, [piece for piece, _ in chosen]), share

    def _lengths(self, symbol: str) -> Counter[tuple[int, int]]:
        """How many ways there are to write a symbol in so many English words and so many of the other language."""
        if symbol not in self._counts:
            total: Counter[tuple[int, int]] = Counter()
            for rule in self.rules[symbol]:
                english, other = (sum(isinstance(part, RuleWord) for part in side) for side in rule.sides)
                ways = Counter({(english, other): 1})
                for part in rule.symbols:
                    longer: Counter[tuple[int, int]] = Counter()
                    for ((a, b), n), ((c, d), m) in product(ways.items(), self._lengths(part).items()):
                        longer[a + c, b + d] += n * m
                    ways = longer
                total += ways
            self._counts[symbol] = total
        return self._counts[symbol]


def alignment(tree: Piece, source: int, target: int) -> list[tuple[int, ...]]:
    """For each word of the target sentence the places, from 0, of the source words that it stands for; () for none."""
    places: dict[int, tuple[int, ...]] = {}
    for place, owner in enumerate(_owners(tree, source)):
        places[owner] = (*places.get(owner, ()), place)
    return [places.get(owner, ()) if owner else () for owner in _owners(tree, target)]


def values_of(other: str) -> dict[str, Any]:
    """What the data file of English and another language says. KeyError if there is no such file."""
    return tomllib.loads(FILES[other].read_text(encoding="utf-8"))


@lru_cache
def beside_english(other: str) -> Grammar:
    """The sentences of English and another language, "zh" or "es"."""
    return Grammar(values_of(other))


def english_chinese() -> Grammar:
    return beside_english("zh")


def english_spanish() -> Grammar:
    return beside_english("es")


def _piece(rule: Rule, parts: Sequence[Piece]) -> Piece:
    words = []
    for side, order in enumerate(rule.sides):
        line: tuple[str, ...] = ()
        for part in order:
            line += parts[part].words[side] if isinstance(part, int) else (part.text,)
        words.append(line)
    return Piece(rule, tuple(parts), tuple(words))


def _owners(piece: Piece, side: int, path: int = 1) -> Iterator[int]:
    """The piece that each word of a sentence belongs to, as a number; 0 for a word without counterpart."""
    for part in piece.rule.sides[side]:
        if isinstance(part, int):
            yield from _owners(piece.parts[part], side, 8 * path + part)
        else:
            yield path if part.paired else 0


class _Reader:
    """All trees of a sentence, found once for each symbol and place. No symbol may begin with itself."""

    def __init__(self, rules: Mapping[str, Sequence[Rule]], words: Sequence[str], side: int) -> None:
        self.rules, self.words, self.side = rules, list(words), side
        self._known: dict[tuple[str, int], list[tuple[int, Piece]]] = {}

    def pieces(self, symbol: str, place: int) -> list[tuple[int, Piece]]:
        """The pieces that may begin at a place, each with the place after its last word."""
        if (symbol, place) not in self._known:
            self._known[symbol, place] = [
                (end, _piece(rule, [parts[index] for index in range(len(rule.symbols))]))
                for rule in self.rules[symbol]
                for end, parts in self._fitting(rule, place)
            ]
        return self._known[symbol, place]

    def _fitting(self, rule: Rule, place: int) -> list[tuple[int, dict[int, Piece]]]:
        begun: list[tuple[int, dict[int, Piece]]] = [(place, {})]
        for part in rule.sides[self.side]:
            if isinstance(part, RuleWord):
                begun = [(at + 1, parts) for at, parts in begun if self.words[at : at + 1] == [part.text]]
            else:
                following = [(at, parts, self.pieces(rule.symbols[part], at)) for at, parts in begun]
                begun = [(end, {**parts, part: piece}) for at, parts, found in following for end, piece in found]
        return begun
