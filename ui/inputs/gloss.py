"""What stands under a word for a reader who does not know its language."""

from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from transformer_core.tasks import Vocabulary
from transformer_core.tasks.gloss import glosses
from ui.text import is_han


@lru_cache(maxsize=64)
def glosses_for(lang: str, *vocabularies: Vocabulary) -> Mapping[str, str]:
    """The words of the vocabularies that are not of the reader's language, each with its gloss.

    None of symbols, nor of letters and numbers: those belong to tasks that translate nothing.
    """
    words = {word for vocabulary in vocabularies for word in _translated(vocabulary)}
    return MappingProxyType({word: glosses()[word] for word in sorted(words) if is_han(word) != (lang == "zh")})


def gloss(word: str, vocabulary: Vocabulary, lang: str) -> str:
    """That of one word; "" if it needs none."""
    return glosses_for(lang, vocabulary).get(word, "")


def segmented(run: str, words: Container[str]) -> list[str]:
    """The words of which a text without spaces is made, the longest first; none if a part of it is no word."""
    found = []
    while run:
        word = next((run[:end] for end in range(len(run), 0, -1) if run[:end] in words), None)
        if word is None:
            return []
        found.append(word)
        run = run[len(word) :]
    return found


def _translated(vocabulary: Vocabulary) -> Iterable[str]:
    return vocabulary.words if glosses().keys() >= set(vocabulary.words) else ()
