"""What stands under a word for a reader who does not know its language."""

from collections.abc import Container, Mapping
from functools import lru_cache
from types import MappingProxyType

from transformer_core.tasks import Vocabulary
from transformer_core.tasks.gloss import OR, glosses
from transformer_core.tasks.grammar import ENGLISH, FILES, beside_english
from transformer_core.tasks.vocabulary import MARKS
from ui.text import is_han


@lru_cache(maxsize=64)
def glosses_for(lang: str, *vocabularies: Vocabulary) -> Mapping[str, str]:
    """The words of the vocabularies that are not of the reader's language, each with its gloss.

    None of symbols, nor of letters and numbers: those belong to tasks that translate nothing. A Chinese reader has
    Spanish words by way of English ones, as far as the small languages know them.
    """
    found: dict[str, str] = {}
    for vocabulary in vocabularies:
        other = next((other for other in FILES if glosses(other).keys() >= set(vocabulary.words)), None)
        if other is not None:
            found |= {word: _meant(word, other, lang) for word in vocabulary.words if _foreign(word, other, lang)}
    return MappingProxyType(dict(sorted(found.items())))


def _foreign(word: str, other: str, lang: str) -> bool:
    """Whether a word of English and another language is not of the reader's; a question mark is of all."""
    if word in MARKS:
        return False
    return not is_han(word) if lang == "zh" else word not in beside_english(other).words(ENGLISH)


def _meant(word: str, other: str, lang: str) -> str:
    meant = glosses(other)[word]
    if (other, lang) != ("es", "zh"):
        return meant
    english = word if word in beside_english(other).words(ENGLISH) else meant
    return OR.join(glosses().get(one, one) for one in english.split(OR))


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
