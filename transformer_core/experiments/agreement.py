"""Which words of a translation follow a noun: another noun is put in its place, and the translation is read again.

In "dos flores rojas" the ending of "rojas" follows "flores": of books, it is "rojos". In 两朵红色的花 the measure word
朵 follows 花: of books, it is 本. Such a word is written with what its position knows of the noun, and from other
positions only attention brings anything.
"""

from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from transformer_core.tasks import Translation
from transformer_core.trace import Trace


class NounSwap(NamedTuple):
    """A sentence with another noun in one place. Both translations have T tokens, symbols included."""

    place: int  # of the noun in the source
    source: tuple[int, ...]  # (S,) with the other noun
    before: tuple[int, ...]  # (T,) the translation
    after: tuple[int, ...]  # (T,) that of the other source
    stands_for: tuple[tuple[int, ...], ...]  # (T,) the places in the source of what a word of the translation means
    noun: int  # the place of the noun in the translation
    agree: tuple[int, ...]  # the places of the words that follow it


class AgreementLook(NamedTuple):
    """The head that looks most from a word that follows a noun to that noun, in one of both languages."""

    kind: str  # encoder, decoder, cross
    layer: int
    head: int
    query: int
    key: int
    weight: float
    word: int  # the place in the translation of the word that follows the noun


def noun_swap(task: object, source: Sequence[int]) -> NounSwap | None:
    """The other noun that most words follow; of several the first in the order of their characters.

    None if the task translates nothing, the grammar has no such sentence, or no other noun leaves it as long.
    """
    if not isinstance(task, Translation):
        return None
    before = task.answer(source)
    stands_for = None if before is None else task.alignment(source, before)
    if before is None or stands_for is None:
        return None
    nouns = {token for token, name in enumerate(task.source.names) if name in task.grammar.nouns}
    found = [
        swap
        for place, token in enumerate(source)
        for other in sorted(nouns - {token})
        if token in nouns and (swap := _swapped(task, source, place, other, before, stands_for))
    ]
    return max(found, key=lambda swap: len(swap.agree), default=None)


def _swapped(
    task: Translation,
    source: Sequence[int],
    place: int,
    other: int,
    before: Sequence[int],
    stands_for: Sequence[tuple[int, ...]],
) -> NounSwap | None:
    swapped = (*source[:place], other, *source[place + 1 :])
    after = task.answer(swapped)
    names, nouns = task.target.names, task.grammar.nouns
    own = [at for at, places in enumerate(stands_for) if place in places and names[before[at]] in nouns]
    if after is None or len(after) != len(before) or not own or task.alignment(swapped, after) != list(stands_for):
        return None
    changed = (at for at, (one, two) in enumerate(zip(before, after)) if one != two)
    agree = tuple(at for at in changed if at not in own)
    return NounSwap(place, swapped, tuple(before), tuple(after), tuple(stands_for), own[0], agree)


def agreement_looks(trace: Trace, swap: NounSwap) -> list[AgreementLook]:
    """Where the words that follow the noun look at it, the largest weight first: of a pass that was given the
    translation as far as its last token. A word is written by the row before it, which may look at the noun's own
    translation once that is there."""
    found = []
    for word in swap.agree:
        pairs = [("cross", word - 1, swap.place)]
        pairs += [("decoder", word - 1, swap.noun)] if swap.noun < word else []
        pairs += [("encoder", of, swap.place) for of in swap.stands_for[word] if of != swap.place]
        found += [look for kind, query, key in pairs for look in _looks(trace, kind, query, key, word)]
    return sorted(found, key=lambda look: -look.weight)


PATHS = {
    "encoder": "encoder.layers.{}.self_attn",
    "decoder": "decoder.layers.{}.self_attn",
    "cross": "decoder.layers.{}.src_attn",
}


def _looks(trace: Trace, kind: str, query: int, key: int, word: int) -> list[AgreementLook]:
    found, layer = [], 0
    while (path := f"{PATHS[kind].format(layer)}.weights") in trace:
        weights: Tensor = trace[path][0, :, query, key]  # (h,)
        found += [AgreementLook(kind, layer, head, query, key, one, word) for head, one in enumerate(weights.tolist())]
        layer += 1
    return found
