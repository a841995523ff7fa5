"""The known sentence that is most like what was typed."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import islice, product

from transformer_core.tasks import UnknownWord, Vocabulary
from transformer_core.training.state_dict import ModelConfig
from ui.inputs.direction import same_language
from ui.inputs.sequence import NotASequence, example, parse, pieces
from ui.text import is_han

OFFERED = 200  # sentences that the nearest is looked for among
TRIED = 64  # ways to mend what was typed


def nearest(text: str, config: ModelConfig, otherwise: str, longest: int, lang: str) -> str:
    """A source that the model can read, and to which the task has an answer where it has one to any: what was typed
    with its unknown words replaced or left out, or else one of its sentences; without words, `otherwise`'s numbers."""
    known = [one for one in _mended(text, config.vocabularies[0], longest) if _readable(one, config, longest)]
    answered = [one for one in known if config.words is None or _answered(one, config, longest)]
    if answered:
        return answered[0]
    typed = "zh" if is_han(text.strip()) else "en" if any(map(str.isalpha, text)) else lang
    own = example(config, otherwise, typed, text)
    if config.words is None:
        return own
    held_out = config.words.held_out(OFFERED).src.tolist()
    offered = dict.fromkeys([own, *(config.vocabularies[0].text(row) for row in held_out)])
    fitting = [one for one in offered if same_language(config.words, one, own) and _readable(one, config, longest)]
    return max(fitting, key=lambda one: SequenceMatcher(None, text.casefold(), one.casefold()).ratio(), default=own)


def _mended(text: str, vocabulary: Vocabulary, longest: int) -> Iterator[str]:
    """With a word like it in the place of each unknown one, or with none."""
    found = [[word] if known else [*_like(word, vocabulary), ""] for word, known in pieces(text, vocabulary)]
    for picked in islice(product(*found), TRIED):
        words = list(filter(None, picked))[:longest]
        if words:
            yield " ".join(words) if vocabulary.of_numbers_alone else vocabulary.text(vocabulary.read(" ".join(words)))


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
