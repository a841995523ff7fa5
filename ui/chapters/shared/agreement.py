"""A source with another word in one place, and what the model at hand makes of both: which words follow a noun."""

from dataclasses import dataclass

import numpy as np

from transformer_core.experiments.agreement import AgreementLook, agreement_looks, noun_swap
from transformer_core.tasks import Translation
from transformer_core.tasks.vocabulary import START
from ui.chapters.shared.word_choice import speaking_row
from ui.model import ModelAtHand, made, output_of, recorded

Tokens = tuple[int, ...]


@dataclass(frozen=True)
class OtherWord:
    """The first of each pair is of the source as it is, the second of that with another word."""

    place: int  # of the word that is replaced
    sources: tuple[list[str], list[str]]
    outputs: tuple[list[str], list[str]]  # the start symbol left out
    looks: tuple[AgreementLook, ...]  # at the noun, from where words are written that follow it; () if none does

    @property
    def noun(self) -> tuple[str, str]:
        """The word that is replaced, and the one that takes its place."""
        return self.sources[0][self.place], self.sources[1][self.place]

    @property
    def changed(self) -> list[int]:
        """The places where the outputs differ."""
        before, after = self.outputs
        longest = max(map(len, self.outputs))
        return [at for at in range(longest) if before[at : at + 1] != after[at : at + 1]]

    @property
    def follows(self) -> int:
        """The place in the output of the word that follows the noun, and from where a head looks most at it."""
        return self.looks[0].word - 1

    def most(self, kind: str) -> AgreementLook | None:
        """Of the looks of one kind of attention."""
        return next((look for look in self.looks if look.kind == kind), None)


def other_word(at_hand: ModelAtHand, src: Tokens, place: int) -> OtherWord:
    """With another noun, where the language has words that follow it; else with another word at a `place`."""
    return made(at_hand, ("other word", src, place), lambda _: _other_word(at_hand, src, place))


def words_that_follow(at_hand: ModelAtHand, src: Tokens) -> OtherWord | None:
    """The other noun that a word of the output follows; None where none does."""
    if not isinstance(at_hand.words, Translation):
        return None
    other = other_word(at_hand, src, len(src) // 2)
    return other if other.looks else None


def _other_word(at_hand: ModelAtHand, src: Tokens, place: int) -> OtherWord:
    swap = noun_swap(at_hand.words, src)
    if swap is None:
        other = _with_another(at_hand, src, place)
    else:
        place, other = swap.place, swap.source
    pair = src, other
    written = tuple(output_of(at_hand, one) for one in pair)
    looks: list[AgreementLook] = []
    if swap is not None and written == (swap.before, swap.after):
        looks = agreement_looks(recorded(at_hand, src, swap.before[:-1]), swap)
    sources, outputs = [at_hand.source.labels(one) for one in pair], [at_hand.target.labels(one)[1:] for one in written]
    return OtherWord(place, (sources[0], sources[1]), (outputs[0], outputs[1]), tuple(looks))


def _with_another(at_hand: ModelAtHand, src: Tokens, place: int) -> Tokens:
    """With the first word that the source has not: of a language, one that makes a sentence there, if there is one."""
    words = [token for token in range(START + 1, len(at_hand.source)) if token != at_hand.source.end]
    new = [token for token in words if token not in src] or words[-1:]
    sources = [(*src[:place], token, *src[place + 1 :]) for token in new]
    task = at_hand.words
    said = (source for source in sources if isinstance(task, Translation) and task.answer(source) is not None)
    return next(said, sources[0])


def told_of(at_hand: ModelAtHand, weights: np.ndarray, src: Tokens) -> tuple[int, int, int]:
    """(head, query, key) of the encoder's `weights` (h, S, S) that a story of one head is about: a word that looks at
    the noun which its translation follows, if a head looks at it most of all; else the noun of `speaking_noun`."""
    known = words_that_follow(at_hand, src)
    for look in known.looks if known else ():
        if look.kind == "encoder" and look.layer == 0 and int(weights[look.head, look.query].argmax()) == look.key:
            return look.head, look.query, look.key
    return speaking_noun(at_hand, weights, src)


def speaking_noun(at_hand: ModelAtHand, weights: np.ndarray, tokens: Tokens) -> tuple[int, int, int]:
    """`speaking_row` among the nouns, where the model's language has any in the sentence: a word that a reader takes
    for the name of a thing, whatever sentence it is quoted in."""
    return speaking_row(weights, tokens, nouns_in(at_hand, tokens))


def nouns_in(at_hand: ModelAtHand, tokens: Tokens) -> list[int]:
    """The places of the nouns, as far as the task knows them."""
    if not isinstance(at_hand.words, Translation):
        return []
    names, nouns = at_hand.source.names, at_hand.words.grammar.nouns
    return [place for place, token in enumerate(tokens) if names[token] in nouns]
