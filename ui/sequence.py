"""A sequence typed by the reader: text -> token ids, or a sentence about what is wrong."""

import re

from ui.figures.tokens import START
from ui.mistyped import Mistyped


class NotASequence(Mistyped):
    """Its key is that of a text in `shell.toml`."""


def tokens(text: str, vocab: int, longest: int) -> tuple[int, ...]:
    """Numbers separated by spaces or commas, each in 0…vocab-1: 1 to `longest` of them.

    NotASequence for anything else: empty, letters, numbers outside the vocabulary, too long.
    """
    words = [word for word in re.split(r"[\s,，、;；]+", text.strip().strip("[]()")) if word]
    if not words:
        raise NotASequence("sequence.empty", highest=vocab - 1)
    for word in words:
        if not re.fullmatch(r"[0-9]{1,9}", word):
            raise NotASequence("sequence.letters", word=word[:20], highest=vocab - 1)
        if int(word) >= vocab:
            raise NotASequence("sequence.unknown", word=word, highest=vocab - 1)
    if len(words) > longest:
        raise NotASequence("sequence.long", length=len(words), longest=longest)
    return tuple(int(word) for word in words)


def parse(text: str, vocab: int, longest: int) -> tuple[int, ...]:
    """A sequence for the model: START is put in front where it is missing. NotASequence also if all is padding."""
    typed = tokens(text, vocab, longest)
    if not any(typed):
        raise NotASequence("sequence.padding", highest=vocab - 1)
    if typed[0] == START:
        return typed
    if len(typed) == longest:
        raise NotASequence("sequence.long_started", typed=longest, longest=longest)
    return (START, *typed)
