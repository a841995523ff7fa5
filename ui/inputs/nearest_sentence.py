"""The known sentence, and the known words, that are most like what was typed."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice, product
from typing import NamedTuple

from transformer_core.tasks import UnknownWord, Vocabulary
from transformer_core.training.state_dict import ModelConfig
from ui.inputs.direction import same_language
from ui.inputs.sequence import NotASequence, example, parse, pieces
from ui.text import is_han

OFFERED = 200  # sentences that the nearest is looked for among
TRIED = 64  # ways to mend what was typed
SLIP = 0.8  # of their letters two words share that differ by a slip of the finger


def nearest(text: str, config: ModelConfig, otherwise: str, longest: int, lang: str) -> str:
    """A source that the model can read: what was typed, with a word like it in the place of each unknown one, or
    without that. One to which the task has an answer, where it has one to any; for a lone unknown word any word of the
    list may stand there. Else what was typed with the words most like its own, or else one of the task's sentences;
    without words, `otherwise`'s numbers."""
    found = _words(text, config.vocabularies[0])
    known = [one for one in _mended(found, config.vocabularies[0], longest) if _readable(one, config, longest)]
    answered = [one for one in known if config.words is None or _answered(one, config, longest)]
    if not answered and config.words is not None:
        answered = [one for one in _of_the_list(found, config, longest) if _answered(one, config, longest)][:1]
    if answered:
        return answered[0]
    if known and any(one.slip for one in found) and all(one.known or one.slip for one in found):
        return known[0]
    typed = "zh" if is_han(text.strip()) else "en" if any(map(str.isalpha, text)) else lang
    own = example(config, otherwise, typed, text)
    if config.words is None:
        return own
    held_out = config.words.held_out(OFFERED).src.tolist()
    offered = dict.fromkeys([own, *(config.vocabularies[0].text(row) for row in held_out)])
    fitting = [one for one in offered if same_language(config.words, one, own) and _readable(one, config, longest)]
    return max(fitting, key=lambda one: _alike(text, one), default=own)


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio()


def nearest_words(text: str, vocabulary: Vocabulary, longest: int) -> str:
    """What was typed, with the known word most like it in the place of each unknown one, and without those that are
    like none; "" if nothing is left."""
    return next(_mended(_words(text, vocabulary), vocabulary, longest), "")


class _TypedWord(NamedTuple):
    word: str
    known: bool
    near: tuple[str, ...]  # the known words most like an unknown one, if any are

    @property
    def slip(self) -> bool:
        """Whether it is hardly another word than the known one that is most like it."""
        return bool(self.near) and _alike(self.word, self.near[0]) > SLIP


def _words(text: str, vocabulary: Vocabulary) -> list[_TypedWord]:
    found = pieces(text, vocabulary)
    return [_TypedWord(word, known, () if known else _like(word, vocabulary)) for word, known in found]


def _mended(found: Sequence[_TypedWord], vocabulary: Vocabulary, longest: int) -> Iterator[str]:
    """With a word like it in the place of each unknown one, or with none."""
    choices = [[one.word] if one.known else [*one.near, ""] for one in found]
    for picked in islice(product(*choices), TRIED):
        words = list(filter(None, picked))[:longest]
        if words:
            yield _written(words, vocabulary)


def _of_the_list(found: Sequence[_TypedWord], config: ModelConfig, longest: int) -> Iterator[str]:
    """With each word of the list in the place of the only unknown one, the most like it first."""
    unknown = [at for at, one in enumerate(found) if not one.known]
    if len(unknown) != 1 or not 1 < len(found) <= longest:
        return
    vocabulary, (at,) = config.vocabularies[0], unknown
    typed = found[at].word
    for word in sorted(vocabulary.words, key=lambda word: -_alike(typed, word)):
        yield _written([*(one.word for one in found[:at]), word, *(one.word for one in found[at + 1 :])], vocabulary)


def _written(words: Sequence[str], vocabulary: Vocabulary) -> str:
    joined = " ".join(words)
    return joined if vocabulary.of_numbers_alone else vocabulary.text(vocabulary.read(joined))


def _like(word: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    if not vocabulary.of_numbers_alone:
        try:
            vocabulary.read(word)
        except UnknownWord as unknown:
            return unknown.nearest
    return ()


def _readable(text: str, config: ModelConfig, longest: int) -> bool:
    try:
        return bool(parse(text, config.vocabularies[0], longest))
    except NotASequence:
        return False


def _answered(text: str, config: ModelConfig, longest: int) -> bool:
    return config.answer(parse(text, config.vocabularies[0], longest)) is not None
