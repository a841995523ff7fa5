"""Pairs that somebody has brought along, as a task like any other: any lines of source and target, a few tokens each.

Nobody knows which token of such a target stands for which of its source.
"""

import hashlib
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

MOST_PAIRS = 5000
MOST_TOKENS = 200  # different ones, on either side
LONGEST = 24  # tokens of one side of a pair
LONGEST_TOKEN = 24  # signs
MOST_BYTES = 2**20  # of all lines, their tokens apart
MOST_FILE = 8 * MOST_BYTES  # of a text that pairs are drawn from: 50,000 lines of 160 bytes; a second of one core
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


class _Read(NamedTuple):
    source: OwnVocabulary
    target: OwnVocabulary
    src: Tensor  # (n, S) int16, padded
    tgt: Tensor  # (n, T) int16
    trained: Tensor  # (m,) int64: the rows that are trained on
    examined: Tensor  # (k,) int64: of each source held out the first row; of every source, where none could be
    held_out: int  # sources


@dataclass(frozen=True)
class OwnPairs:
    """The pairs of a `text`: a line each, its sides apart by a tab, the tokens of a side by spaces.

    So that they can be a setting of a run: they are a function of one text, told from others by its `digest`. One
    source in ten is held out with all its targets, the same ones on every machine, but for those with a token that no
    other line has. NotPairs if the text is beyond one of the limits above, or the same target stands in every line.
    """

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        _ = self._read

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "OwnPairs":
        """Of tokens, line by line; a line that is there already counts once."""
        lines = dict.fromkeys("\t".join(" ".join(side) for side in row) for row in rows)
        return cls("\n".join(lines))

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
        return self._read.src.size(1), self._read.tgt.size(1)

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
        src = self._read.src
        if len(source) > src.size(1):
            return None
        row = torch.tensor([*source, *[PAD] * (src.size(1) - len(source))], dtype=src.dtype)
        found = (src == row).all(1).nonzero()
        return [token for token in self._read.tgt[found[0, 0]].tolist() if token != PAD] if len(found) else None

    def alignment(self, source: Sequence[int], target: Sequence[int]) -> list[tuple[int, ...]] | None:
        return None

    def _rows(self, rows: Tensor) -> Pairs:
        sides = (side[rows].long() for side in (self._read.src, self._read.tgt))
        return Pairs(*(side[:, : int((side != PAD).any(0).sum())] for side in sides))

    @cached_property
    def _read(self) -> _Read:
        if not self.text:
            raise NotPairs("empty", "there are no pairs", least=FEWEST)
        if len(self.text.encode(errors="replace")) > MOST_BYTES:
            raise NotPairs("large", f"the lines have more than {MOST_BYTES / 2**20:g} MB", most=MOST_BYTES / 2**20)
        rows = [_checked(line, number) for number, line in enumerate(self.text.split("\n"), 1)]
        if len(rows) > MOST_PAIRS:
            raise NotPairs("many", f"{len(rows)} pairs; at most {MOST_PAIRS}", count=len(rows), most=MOST_PAIRS)
        sides = [[row[at] for row in rows] for at in (0, 1)]
        source, target = (_vocabulary(side, many) for side, many in zip(sides, ("many_source", "many_target")))
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
            padded([vocabulary.sequence(vocabulary.tokens_of(tokens)) for tokens in side]).short()
            for vocabulary, side in zip((source, target), sides)
        )
        return _Read(source, target, src, tgt, torch.tensor(sorted(trained)), torch.tensor(examined), len(held))


def _checked(line: str, number: int) -> tuple[list[str], list[str]]:
    """The tokens of both sides of a line. NotPairs if it has not two of them, or too many tokens."""
    cells = line.split("\t")
    sides = [cell.split(" ") if cell else [] for cell in cells]
    if len(sides) != 2:
        message = f"line {number} has {len(cells)} columns instead of a source and a target"
        raise NotPairs("columns", message, line=number, count=len(cells))
    for side in sides:
        if not all(side) or not side:
            raise NotPairs("empty_cell", f"line {number} has an empty side", line=number)
        if len(side) > LONGEST:
            message = f"line {number} has {len(side)} tokens on one side; at most {LONGEST}"
            raise NotPairs("long", message, line=number, count=len(side), most=LONGEST)
    return sides[0], sides[1]


def _vocabulary(side: list[list[str]], many: str) -> OwnVocabulary:
    """Of one side; `many` is the reason where it has too many tokens."""
    words = sorted({token for tokens in side for token in tokens})
    for word in words:
        if len(word) > LONGEST_TOKEN:
            message = f"{word:.40}… has {len(word)} signs; a token has at most {LONGEST_TOKEN}"
            raise NotPairs("long_token", message, word=word[:LONGEST_TOKEN], count=len(word), most=LONGEST_TOKEN)
        if any(category(sign) in UNSEEN and sign not in JOINERS for sign in word):
            raise NotPairs("unseen", f"{word!r:.40} has signs that cannot be seen", word=ascii(word)[1:-1])
        if word in SYMBOLS:
            raise NotPairs("symbol", f"{word} is a sign of the model's own", word=word)
    if len(words) > MOST_TOKENS:
        message = f"{len(words)} different tokens on one side; at most {MOST_TOKENS}"
        raise NotPairs(many, message, count=len(words), most=MOST_TOKENS)
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
