"""The names of a model's tokens: names to ids and back, and what a reader types to ids."""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Self

from transformer_core.tasks.traditional import simplified

PAD = 0  # fills a sequence up to the length of its batch, and is masked
START = 1  # first token of every sequence: the decoder's first input, in training and in decoding alike
END = 2  # the last token of every target, in the tasks whose targets end by themselves
PAD_NAME, START_NAME, END_NAME = "⟨pad⟩", "⟨s⟩", "⟨/s⟩"

_WIDE = r"\u3400-\u9fff"  # Chinese characters: no spaces between words
MARKS = "¿?="  # of a question, and between two languages: words, where a vocabulary has them
_CHUNK = re.compile(rf"[{MARKS}]|[<⟨]/?\w+[>⟩]|[{_WIDE}]+|[^\W{_WIDE}]+(?:['’][^\W{_WIDE}]+)*")


class UnknownWord(ValueError):
    """A word that the vocabulary lacks; `nearest` are the known words most like it, the nearest first, if any are."""

    def __init__(self, word: str, nearest: tuple[str, ...]) -> None:
        super().__init__(f"{word:.40} is none of the words" + (f"; near it: {', '.join(nearest)}" if nearest else ""))
        self.word = word
        self.nearest = nearest


@dataclass(frozen=True)
class Vocabulary:
    """Token i is drawn as names[i]; the first names are padding's and the start symbol's, `end` is the end symbol.

    ValueError if a name occurs twice.
    """

    names: tuple[str, ...]
    end: int | None = END  # None: sequences just stop

    def __post_init__(self) -> None:
        if len(set(map(str.casefold, self.names))) < len(self.names):
            raise ValueError("two tokens have the same name")

    @classmethod
    def of_words(cls, words: Iterable[str]) -> Self:
        """Padding, start and end, then the words."""
        return cls((PAD_NAME, START_NAME, END_NAME, *words))

    @classmethod
    @lru_cache(maxsize=8)
    def of_numbers(cls, size: int) -> "Vocabulary":
        """Tokens that are called by their ids, but for padding and start; there is no end symbol."""
        return cls((PAD_NAME, START_NAME, *map(str, range(START + 1, size))), end=None)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def of_numbers_alone(self) -> bool:
        """Whether tokens are called by their ids."""
        return self.end is None

    @cached_property
    def every(self) -> list[str]:
        """What a figure calls the tokens where all of them stand in a row."""
        return list(map(str, range(len(self)))) if self.of_numbers_alone else list(self.names)

    @property
    def words(self) -> tuple[str, ...]:
        """The names without padding, start and end."""
        return tuple(name for token, name in enumerate(self.names) if token not in (PAD, START, self.end))

    def sequence(self, tokens: Sequence[int]) -> list[int]:
        """The tokens between start and end symbol, as a model is trained on them."""
        return [START, *tokens, *([] if self.end is None else [self.end])]

    def until_end(self, tokens: Sequence[int]) -> list[int]:
        """The tokens before the first end symbol; all if there is none."""
        tokens = list(tokens)
        return tokens[: tokens.index(self.end)] if self.end in tokens else tokens

    def names_of(self, tokens: Iterable[int]) -> list[str]:
        """ValueError if a token lies outside the vocabulary."""
        tokens = list(tokens)
        for token in tokens:
            if not 0 <= token < len(self.names):
                raise ValueError(f"tokens must lie in 0…{len(self.names) - 1}, not be {token}")
        return [self.names[token] for token in tokens]

    def labels(self, tokens: Iterable[int], *, ids: bool = False) -> list[str]:
        """What a figure calls each token of a whole sequence; with `ids`, where those are the subject, beside its id.

        Where tokens are numbers the start symbol is one at the front, and elsewhere a token like any other.
        """
        tokens = list(tokens)
        if self.of_numbers_alone:
            front = f"{START_NAME} {START}" if ids else START_NAME
            return [front if at == 0 and token == START else str(token) for at, token in enumerate(tokens)]
        return [f"{name} {token}" if ids else name for name, token in zip(self.names_of(tokens), tokens)]

    def tokens_of(self, names: Iterable[str]) -> list[int]:
        """KeyError if the vocabulary lacks a name."""
        return [self._ids[name.casefold()] for name in names]

    def text(self, tokens: Iterable[int]) -> str:
        """The words as one writes them, without padding, start and end: with spaces, but not between Chinese words, nor
        inside question marks."""
        words = self.names_of(token for token in tokens if token not in (PAD, START, self.end))
        return re.sub(rf"(?<=[{_WIDE}]) (?=[{_WIDE}])|(?<=¿) | (?=\?)", "", " ".join(words))

    def read(self, text: str) -> list[int]:
        """The ids of the words, symbols or ids in a text; no start symbol is added.

        Capital letters and punctuation count for nothing, but for question marks where they are names; nor do accents,
        where no other word has the same letters. Chinese may come without spaces: from its first character on, the
        longest known word is taken each time; traditional characters are read as simplified ones. A number that is no
        name is an id, and "don't" is "do not".
        UnknownWord if a word is none.
        """
        return [token for chunk in self._chunks(text) for token in self._tokens(chunk)]

    def pieces(self, text: str) -> list[tuple[str, bool]]:
        """The words of a text as they stand in it, each with whether it is known, by the rules of `read`."""
        return [piece for chunk in self._chunks(text) for piece in self._pieces(chunk)]

    def _chunks(self, text: str) -> Iterator[str]:
        text = unicodedata.normalize("NFC", text)
        return (found[0] for found in _CHUNK.finditer(text) if found[0] not in MARKS or found[0] in self._ids)

    @cached_property
    def _ids(self) -> dict[str, int]:
        ids = {name.casefold(): token for token, name in enumerate(self.names)}
        plain = {_without_accents(name): token for name, token in ids.items()}
        return plain | ids | {name.replace("⟨", "<").replace("⟩", ">"): token for name, token in ids.items()}

    def _tokens(self, chunk: str) -> list[int]:
        word = chunk.casefold()
        if word in self._ids:
            return [self._ids[word]]
        if word.isdecimal() and len(word) < 10 and int(word) < len(self.names):
            return [int(word)]
        shortened = re.fullmatch(r"(\w+)n['’]t", word)
        if shortened and {shortened[1], "not"} <= self._ids.keys():
            return self.tokens_of([shortened[1], "not"])
        if re.match(f"[{_WIDE}]", word):
            return self._segmented(simplified(word))
        raise self._unknown(chunk)

    def _segmented(self, run: str) -> list[int]:
        for word, known in self._cut(run):
            if not known:
                raise self._unknown(word)
        return [self._ids[word] for word, _ in self._cut(run)]

    def _pieces(self, chunk: str) -> Iterator[tuple[str, bool]]:
        if re.match(f"[{_WIDE}]", chunk):
            place = 0
            for word, known in self._cut(simplified(chunk)):  # each character as one
                yield chunk[place : place + len(word)], known
                place += len(word)
            return
        try:
            yield chunk, bool(self._tokens(chunk))
        except UnknownWord:
            yield chunk, False

    def _cut(self, run: str) -> Iterator[tuple[str, bool]]:
        """Chinese without spaces as words, each with whether it is known; what lies between two known ones is one."""
        place = 0
        while place < len(run):
            length = self._longest(run, place)
            after = place + (length or 1)
            while not length and after < len(run) and not self._longest(run, after):
                after += 1
            yield run[place:after], length > 0
            place = after

    def _longest(self, run: str, place: int) -> int:
        """Characters of the longest known word at a place; 0 if there is none."""
        return next((end - place for end in range(len(run), place, -1) if run[place:end] in self._ids), 0)

    def _unknown(self, word: str) -> UnknownWord:
        names = {name.casefold(): name for name in self.words}
        alike = 0.5 if re.match(f"[{_WIDE}]", word) else 0.6  # of two characters one, of letters more than half
        near = difflib.get_close_matches(word.casefold()[:40], names, n=3, cutoff=alike)
        return UnknownWord(word, tuple(names[name] for name in near))


def _without_accents(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))
