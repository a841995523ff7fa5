"""The vocabulary of pairs that somebody has brought along: how their lines are cut into tokens, and read again.

In the vocabularies of the other tasks capital letters and punctuation count for nothing; here all of it is the reader's
own and may be what is to be learned.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from transformer_core.tasks.vocabulary import END, END_NAME, PAD, PAD_NAME, START, START_NAME, UnknownWord, Vocabulary

Unit = Literal["words", "letters"]

SPACE = "␣"  # the name of a space, where it is a token
SYMBOLS = {PAD_NAME: PAD, START_NAME: START, END_NAME: END}
_SYMBOL = re.compile("|".join(SYMBOLS))
JOINERS = "\u200c\u200d"  # between two letters that are written as one, or are not
_ISOLATED, _END_ISOLATED = "\u2068", "\u2069"  # around what runs in a direction of its own (Unicode, annex 9)


def clean(text: str) -> str:
    """A cell as it is cut: composed letters, single spaces, nothing that cannot be seen."""
    if text.isascii():
        return " ".join(text.split())
    composed = unicodedata.normalize("NFC", text)
    kept = (char for char in composed if char in JOINERS or unicodedata.category(char) != "Cf")
    return " ".join("".join(kept).split())


def cut(text: str, unit: Unit) -> list[str]:
    """The tokens of a cleaned text: its words, with punctuation before and after each by itself, or its letters."""
    if unit == "letters":
        return [SPACE if letter == " " else letter for letter in letters(text)]
    return [token for word in text.split() for token in _peeled(word)]


def letters(text: str) -> list[str]:
    """What a person takes for one letter: with the accents that follow it, a flag and a family of emoji whole.

    A plain form of the clusters of Unicode's annex 29.
    """
    if text.isascii():
        return list(text)
    found: list[str] = []
    for char in text:
        if found and (_clings(char) or _awaits(found[-1], char)):
            found[-1] += char
        else:
            found.append(char)
    return found


def _clings(char: str) -> bool:
    """A mark, a joiner or the colour of a skin belongs to what stands before it."""
    return unicodedata.category(char)[0] == "M" or char in JOINERS or "\U0001f3fb" <= char <= "\U0001f3ff"


def _awaits(letter: str, char: str) -> bool:
    """Whether a letter is only half of what is seen: the first sign of a flag, or what a joiner ends."""
    flag = len(letter) == 1 and _is_regional(letter) and _is_regional(char)
    return flag or (letter[-1] == "\u200d" and unicodedata.category(char) == "So")


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _peeled(word: str) -> list[str]:
    if word.isalnum():
        return [word]
    before, after = 0, len(word)
    while before < after and unicodedata.category(word[before])[0] == "P":
        before += 1
    while after > before and unicodedata.category(word[after - 1])[0] == "P":
        after -= 1
    return [*word[:before], *([word[before:after]] if before < after else []), *word[after:]]


@dataclass(frozen=True)
class OwnVocabulary(Vocabulary):
    """Names as somebody has written them. It is `by_letters` if each is one letter; then no space stands between them.

    What runs from right to left is shown isolated, so that `ספר → a` and a row of such words keep their order.
    """

    def __post_init__(self) -> None:
        if len(set(self.names)) < len(self.names):
            raise ValueError("two tokens have the same name")

    @cached_property
    def by_letters(self) -> bool:
        return all(len(letters(word)) == 1 for word in self.words)

    @property
    def unit(self) -> Unit:
        return "letters" if self.by_letters else "words"

    @cached_property
    def every(self) -> list[str]:
        return [isolated(name) for name in self.names]

    def names_of(self, tokens: Iterable[int]) -> list[str]:
        return [isolated(name) for name in super().names_of(tokens)]

    def tokens_of(self, names: Iterable[str]) -> list[int]:
        return [self._ids[name.strip(_ISOLATED + _END_ISOLATED)] for name in names]

    def text(self, tokens: Iterable[int]) -> str:
        """As one writes them, so that `read` gives the tokens again."""
        words = [self.names[token] for token in tokens if token not in (PAD, START, self.end)]
        return "".join(" " if word == SPACE else word for word in words) if self.by_letters else " ".join(words)

    def read(self, text: str) -> list[int]:
        """The ids of the words or letters in a text, symbols among them; no start symbol is added.

        A word in capitals, or in none, is the one that the vocabulary has, if it has one alone. A space between letters
        counts only where it is a token. UnknownWord if something is no token.
        """
        found = [self._id(token) for token in self._parts(text)]
        return [token for token in found if token is not None]

    def pieces(self, text: str) -> list[tuple[str, bool]]:
        return [(token, self._known(token) is not None) for token in self._parts(text) if self._counts(token)]

    def _parts(self, text: str) -> Iterator[str]:
        at = 0
        text = clean(text)
        for symbol in [*_SYMBOL.finditer(text), None]:
            between = text[at : symbol.start() if symbol else len(text)].strip()
            for word in [between] if self.by_letters else between.split():
                yield from [word] if word in self._ids and word else cut(word, self.unit)
            if symbol:
                yield symbol[0]
                at = symbol.end()

    def _id(self, token: str) -> int | None:
        """None for a space that counts for nothing."""
        known = self._known(token)
        if known is None and self._counts(token):
            raise self._unknown(token)
        return known

    def _counts(self, token: str) -> bool:
        """Whether this is to be a token: all but a space where the vocabulary has none."""
        return token != SPACE or SPACE in self._ids

    def _known(self, token: str) -> int | None:
        return self._ids.get(token, self._alike.get(token.casefold()))

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: token for token, name in enumerate(self.names)}

    @cached_property
    def _alike(self) -> dict[str, int]:
        """The words of which no other differs in its capitals alone."""
        folded = [name.casefold() for name in self.names]
        times = Counter(folded)
        return {name: token for token, name in enumerate(folded) if times[name] == 1}

    def _unknown(self, word: str) -> UnknownWord:
        return UnknownWord(word, ()) if self.by_letters else super()._unknown(word)


def isolated(name: str) -> str:
    """A name between two signs that are not seen, if it runs from right to left."""
    from_right = any(unicodedata.bidirectional(char) in ("R", "AL") for char in name)
    return f"{_ISOLATED}{name}{_END_ISOLATED}" if from_right else name
