"""A sequence typed by the reader: text -> token ids, or a sentence about what is wrong."""

import re
from dataclasses import dataclass
from itertools import takewhile

from transformer_core import PAD, START
from transformer_core.tasks import OwnPairs, UnknownWord, Vocabulary
from transformer_core.training.state_dict import ModelConfig
from ui.inputs.direction import direction_of
from ui.inputs.typed_numbers import Mistyped, apart

EXAMPLES = {
    "translate en-zh": "I buy two red flowers every day",  # no model was trained on it: it is held out
    "translate zh-en": "我每天买两朵红色的花",
    "translate en-es": "I buy two red flowers every day",
    "translate es-en": "yo compro dos flores rojas cada día",
    "reverse": "g d b a h c",
    "sort": "g d b a h c",
}


class NotASequence(Mistyped):
    """Its key is that of a text in `shell.toml`."""


def example(config: ModelConfig, otherwise: str, lang: str = "en", text: str = "") -> str:
    """What a model reads before anybody has typed anything: its own words, those of the reader's language if it knows
    them, or of the language of a `text`; of a reader's own pairs the first source that it is examined on, or what of
    `otherwise` it knows."""
    if isinstance(config.words, OwnPairs):
        return config.vocabularies[0].text(config.words.held_out(1).src[0].tolist())
    if config.words is not None:
        both = (config.words.name, lang) == ("translate both", "zh")
        return EXAMPLES["translate zh-en" if both else direction_of(config.words, text)]
    return " ".join(number for number in otherwise.split() if int(number) < config.vocab)


def numbers(text: str, vocab: int, longest: int) -> tuple[int, ...]:
    """Numbers separated by spaces or commas, each in 0…vocab-1: 1 to `longest` of them.

    NotASequence for anything else: empty, letters, numbers outside the vocabulary, too long.
    """
    words = apart(text)
    if not words:
        raise NotASequence("sequence.empty", highest=vocab - 1)
    for word in words:
        if not re.fullmatch(r"[0-9]{1,9}", word):
            raise NotASequence("sequence.letters", word=word[:20], highest=vocab - 1)
        if int(word) >= vocab:
            raise NotASequence("sequence.unknown", word=word, highest=vocab - 1)
    return _short(tuple(int(word) for word in words), longest)


def tokens(text: str, vocabulary: Vocabulary, longest: int) -> tuple[int, ...]:
    """What was typed, and nothing else: names or ids, 1 to `longest` of them. NotASequence for anything else."""
    if vocabulary.of_numbers_alone:
        return numbers(text, len(vocabulary), longest)
    try:
        read = vocabulary.read(text)
    except UnknownWord as unknown:
        key = "sequence.unknown_near" if unknown.nearest else "sequence.unknown_word"
        count, nearest = len(vocabulary.words), ", ".join(unknown.nearest)
        raise NotASequence(key, word=unknown.word[:40], count=count, nearest=nearest) from None
    if not read:
        raise NotASequence("sequence.no_words", count=len(vocabulary.words))
    return _short(tuple(read), longest)


def pieces(text: str, vocabulary: Vocabulary) -> list[tuple[str, bool]]:
    """What was typed, word by word, each with whether it is a token."""
    if not vocabulary.of_numbers_alone:
        return vocabulary.pieces(text)
    return [
        (word, re.fullmatch(r"[0-9]{1,9}", word) is not None and int(word) < len(vocabulary)) for word in apart(text)
    ]


def parse(text: str, vocabulary: Vocabulary, longest: int) -> tuple[int, ...]:
    """A sequence for the model: its symbols are put around it where they are missing, the end before the padding.

    NotASequence also if there is nothing but symbols. What is put around it is not counted against `longest`.
    """
    typed = tokens(text, vocabulary, longest)
    if vocabulary.of_numbers_alone:
        if not any(typed):
            raise NotASequence("sequence.padding", highest=len(vocabulary) - 1)
        return typed if typed[0] == START else (START, *typed)
    inner = typed[1:] if typed[0] == START else typed
    said = list(takewhile(lambda token: token != vocabulary.end, inner))
    after = inner[len(said) + 1 :]
    while said and said[-1] == PAD:
        after = (said.pop(), *after)
    if not any(token not in (PAD, START) for token in said):
        raise NotASequence("sequence.no_words", count=len(vocabulary.words))
    return (*vocabulary.sequence(said), *after)


def _short(typed: tuple[int, ...], longest: int) -> tuple[int, ...]:
    if len(typed) > longest:
        raise NotASequence("sequence.long", length=len(typed), longest=longest)
    return typed


UNKNOWN = "?"


@dataclass(frozen=True)
class TypedSequences:
    """Source tokens, what the decoder is given, and what it has to predict at each of its positions."""

    src: tuple[int, ...]
    given: tuple[int, ...]
    predicted: tuple[int, ...]
    source: Vocabulary
    target: Vocabulary

    @property
    def sources(self) -> list[str]:
        return self.source.labels(self.src)

    @property
    def targets(self) -> list[str]:
        return self.target.labels(self.given)

    @property
    def answers(self) -> list[str]:
        return self.target.labels((*self.given[:1], *self.predicted))[1:] or [UNKNOWN]

    @property
    def steps(self) -> list[str]:
        """The decoder's rows: `given → predicted`."""
        return [f"{token} → {next_one}" for token, next_one in zip(self.targets, self.answers)]


def shifted(src: tuple[int, ...], tgt: tuple[int, ...], vocabularies: tuple[Vocabulary, Vocabulary]) -> TypedSequences:
    return TypedSequences(src, tgt[:-1] or tgt, tgt[1:], *vocabularies)
