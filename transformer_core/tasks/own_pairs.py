"""Pairs that somebody has brought along, as a task like any other: any lines of source and target, a few tokens each.

Nobody knows which token of such a target stands for which of its source.
"""

import hashlib
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple
from unicodedata import category

import torch
from torch import Tensor

from transformer_core.devices import device_of
from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.own_vocabulary import JOINERS, SYMBOLS, OwnVocabulary
from transformer_core.tasks.padding import padded
from transformer_core.tasks.vocabulary import PAD

MOST_BYTES = 2**20  # of all lines, their tokens apart: the file of a model has room for them
FEWEST = 10  # different sources
HELD_OUT_OF = 10  # one source in so many is held out
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp")  # signs that control, halves of signs, private ones, spaces

Row = tuple[Sequence[str], Sequence[str]]


class NotPairs(ValueError):
    """Lines that nothing can be learned from. `reason` and `values` let the app say the same in another language."""

    def __init__(self, reason: str, message: str, **values: object) -> None:
        super().__init__(message)
        self.reason = reason
        self.values = values


class PairLimits(NamedTuple):
    """How many pairs are taken, and how large ones: whoever reads them says so. There is no limit that is not said."""

    pairs: int = sys.maxsize
    tokens: int = sys.maxsize  # different ones, on either side
    longest: int = sys.maxsize  # tokens of one side of a pair
    longest_token: int = sys.maxsize  # signs
    text: int = sys.maxsize  # bytes of a text that pairs are drawn from


UNLIMITED = PairLimits()


class _Read(NamedTuple):
    source: OwnVocabulary
    target: OwnVocabulary
    src: list[list[int]]  # of each line, from start to end: one long line takes no room in the others
    tgt: list[list[int]]
    trained: Tensor  # (m,) int64: the rows that are trained on
    examined: Tensor  # (k,) int64: of each source held out the first row; of every source, where none could be
    held_out: int  # sources


@dataclass(frozen=True)
class OwnPairs:
    """The pairs of a `text`: a line each, its sides apart by a tab, the tokens of a side by spaces.

    So that they can be a setting of a run: they are a function of one text, told from others by its `digest`. One
    source in ten is held out with all its targets, the same ones on every machine, but for those with a token that no
    other line has. NotPairs if the text is none of pairs, or above MOST_BYTES, or the same target stands in every line.
    """

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        _ = self._read

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "OwnPairs":
        """Of tokens, line by line; a line that is there already counts once."""
        lines = dict.fromkeys("\t".join(" ".join(side) for side in row) for row in rows)
        return cls("\n".join(lines))

    def check(self, limits: PairLimits) -> None:
        """NotPairs, which says by what, if these pairs are beyond a limit."""
        if self.count > limits.pairs:
            message = f"{self.count} pairs; at most {limits.pairs}"
            raise NotPairs("many", message, count=self.count, most=limits.pairs)
        for vocabulary, longest, many in zip((self.source, self.target), self.longest, ("many_source", "many_target")):
            if (count := longest - len(vocabulary.sequence([]))) > limits.longest:
                message = f"a line has {count} tokens on one side; at most {limits.longest}"
                raise NotPairs("long", message, count=count, most=limits.longest)
            word = max(vocabulary.words, key=len)
            if len(word) > limits.longest_token:
                most = limits.longest_token
                message = f"{word:.40}… has {len(word)} signs; a token has at most {most}"
                raise NotPairs("long_token", message, word=word[:most], count=len(word), most=most)
            if (count := len(vocabulary.words)) > limits.tokens:
                message = f"{count} different tokens on one side; at most {limits.tokens}"
                raise NotPairs(many, message, count=count, most=limits.tokens)

    @cached_property
    def digest(self) -> str:
        """Twelve signs that no other pairs have."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @property
    def name(self) -> str:
        return f"pairs {self.digest}"

    @property
    def source(self) -> OwnVocabulary:
        return self._read.source

    @property
    def target(self) -> OwnVocabulary:
        return self._read.target

    @property
    def longest(self) -> tuple[int, int]:
        return max(map(len, self._read.src)), max(map(len, self._read.tgt))

    @property
    def count(self) -> int:
        """Lines."""
        return len(self._read.src)

    @property
    def trained(self) -> int:
        """Lines that are trained on."""
        return len(self._read.trained)

    @property
    def unseen(self) -> int:
        """Sources that are held out; 0 where each line has a token of its own, and every line is trained on."""
        return self._read.held_out

    @property
    def ambiguous(self) -> int:
        """Sources that have several targets. The first is taken for the answer, and all are trained on."""
        sources = Counter(line.partition("\t")[0] for line in self.text.split("\n"))
        return sum(times > 1 for times in sources.values())

    def pairs(self, count: int, generator: torch.Generator | None = None) -> Pairs:
        """Drawn with replacement."""
        drawn = torch.randint(self.trained, (count,), generator=generator, device=device_of(generator)).cpu()
        return self._rows(self._read.trained[drawn])

    def held_out(self, count: int) -> Pairs:
        """As many as there are, if those are fewer; where none are held out, the first of those that are trained on."""
        return self._rows(self._read.examined[:count])

    def answer(self, source: Sequence[int]) -> list[int] | None:
        """None for what is the source of no line."""
        row = self._first.get(tuple(token for token in source if token != PAD))
        return None if row is None else list(self._read.tgt[row])

    def alignment(self, source: Sequence[int], target: Sequence[int]) -> list[tuple[int, ...]] | None:
        return None

    def _rows(self, rows: Tensor) -> Pairs:
        numbers: list[int] = rows.tolist()
        return Pairs(*(padded([side[number] for number in numbers]) for side in (self._read.src, self._read.tgt)))

    @cached_property
    def _first(self) -> dict[tuple[int, ...], int]:
        """The first line of each source."""
        found: dict[tuple[int, ...], int] = {}
        for number, row in enumerate(self._read.src):
            found.setdefault(tuple(row), number)
        return found

    @cached_property
    def _read(self) -> _Read:
        if not self.text:
            raise NotPairs("empty", "there are no pairs", least=FEWEST)
        if len(self.text.encode(errors="replace")) > MOST_BYTES:
            raise NotPairs("large", f"the lines have more than {MOST_BYTES / 2**20:g} MB", most=MOST_BYTES / 2**20)
        rows = [_checked(line, number) for number, line in enumerate(self.text.split("\n"), 1)]
        sides = [[row[at] for row in rows] for at in (0, 1)]
        source, target = map(_vocabulary, sides)
        groups: dict[str, list[int]] = {}
        for number, tokens in enumerate(sides[0]):
            groups.setdefault(" ".join(tokens), []).append(number)
        if len(groups) < FEWEST:
            message = f"{len(groups)} different sources; at least {FEWEST} are needed"
            raise NotPairs("few", message, count=len(groups), least=FEWEST)
        if len(set(map(tuple, sides[1]))) < 2:
            only = " ".join(sides[1][0])
            raise NotPairs("one_target", f"every target is {only:.40}", target=only)
        held = _held_out(groups, rows)
        trained = [number for source_, numbers in groups.items() if source_ not in held for number in numbers]
        examined = [groups[source_][0] for source_ in held or groups]
        src, tgt = (
            [vocabulary.sequence(vocabulary.tokens_of(tokens)) for tokens in side]
            for vocabulary, side in zip((source, target), sides)
        )
        return _Read(source, target, src, tgt, torch.tensor(sorted(trained)), torch.tensor(examined), len(held))


def _checked(line: str, number: int) -> tuple[list[str], list[str]]:
    """The tokens of both sides of a line. NotPairs if it has not two of them."""
    cells = line.split("\t")
    sides = [cell.split(" ") if cell else [] for cell in cells]
    if len(sides) != 2:
        message = f"line {number} has {len(cells)} columns instead of a source and a target"
        raise NotPairs("columns", message, line=number, count=len(cells))
    for side in sides:
        if not all(side) or not side:
            raise NotPairs("empty_cell", f"line {number} has an empty side", line=number)
    return sides[0], sides[1]


def _vocabulary(side: list[list[str]]) -> OwnVocabulary:
    """Of one side."""
    words = sorted({token for tokens in side for token in tokens})
    for word in words:
        if any(category(sign) in UNSEEN and sign not in JOINERS for sign in word):
            raise NotPairs("unseen", f"{word!r:.40} has signs that cannot be seen", word=ascii(word)[1:-1])
        if word in SYMBOLS:
            raise NotPairs("symbol", f"{word} is a sign of the model's own", word=word)
    return OwnVocabulary.of_words(words)


def _held_out(groups: dict[str, list[int]], rows: Sequence[Row]) -> dict[str, None]:
    """The sources that are never trained on, in an order of their own. Each token of theirs is in others that are."""
    tokens = {
        source: [{token for number in numbers for token in rows[number][at]} for at in (0, 1)]
        for source, numbers in groups.items()
    }
    left = [Counter(token for of in tokens.values() for token in of[at]) for at in (0, 1)]
    held: dict[str, None] = {}
    for source in sorted(groups, key=lambda text: (zlib.crc32(text.encode()), text)):
        if len(held) == max(1, len(groups) // HELD_OUT_OF):
            break
        if all(left[at][token] > 1 for at in (0, 1) for token in tokens[source][at]):
            held[source] = None
            for at in (0, 1):
                left[at].subtract(tokens[source][at])
    return held
