"""What the map says at each beat: a sentence with the words of what is read, true of the weights of the model at hand.

The words of whom it tells are found by a rule; where the weights say nothing, a sentence says less.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from transformer_core import PAD, START, Trace
from transformer_core.tasks import Letters, OwnPairs, Vocabulary
from ui.chapters.map.figures.figure_one import Block, Thumbnail, thumbnail
from ui.chapters.shared.agreement import OtherWord, words_that_follow
from ui.figures import percent
from ui.figures.markup import Markup, element, glossed, joined
from ui.model import ModelAtHand, made, output_of, recorded
from ui.sections import AnyChapter
from ui.text import is_han

ATTENTION = ("encoder", "masked", "cross")  # blocks, by their keys


class Play(NamedTuple):
    """Decoding turn by turn, as one recorded forward pass over what was written: no position of the decoder sees a
    later one, so that turn t is the first t rows of every tensor."""

    given: tuple[int, ...]  # what the decoder reads in the last turn: T tokens
    written: tuple[int, ...]  # T tokens, one per turn
    chances: np.ndarray  # (T,) their probabilities
    likeliest: np.ndarray  # (T, 3) the tokens of each turn with the highest probabilities
    probabilities: np.ndarray  # (T, 3) theirs
    score: float  # the logit of the first token that is written
    weights: Mapping[str, np.ndarray]  # of each of ATTENTION, (h, queries, keys)
    firing: Mapping[str, np.ndarray]  # of each side, (tokens,): hidden numbers of the feed-forward network above 0
    pictures: list[Thumbnail]  # one per block

    @property
    def looks(self) -> np.ndarray:
        """(T, S) weights of the last layer's cross-attention, mean of its heads."""
        return np.asarray(self.weights["cross"].mean(0))


def written_by(at_hand: ModelAtHand, src: tuple[int, ...]) -> tuple[int, ...]:
    """What the decoder reads: the output without its last token, if it has more than one."""
    output = output_of(at_hand, src)
    return output[:-1] or output


def play(at_hand: ModelAtHand, src: tuple[int, ...], drawn: Sequence[Block]) -> Play:
    given = written_by(at_hand, src)
    return made(at_hand, ("play", src), lambda _: _play(recorded(at_hand, src, given), given, drawn))


def _play(trace: Trace, given: tuple[int, ...], drawn: Sequence[Block]) -> Play:
    values = {path: trace[path][0].numpy() for path in (block.path for block in drawn)}
    values[drawn[-1].path] = probabilities = np.exp(values[drawn[-1].path])
    likeliest = np.argsort(-probabilities, axis=1, kind="stable")[:, :3]
    best = np.take_along_axis(probabilities, likeliest, 1)
    written = (*given[1:], int(likeliest[-1, 0]))
    (logits,) = [values[block.path] for block in drawn if block.key == "linear"]
    return Play(
        given=given,
        written=written,
        chances=probabilities[np.arange(len(written)), written],
        likeliest=likeliest,
        probabilities=best,
        score=float(logits[0, written[0]]),
        weights={block.key: values[block.path] for block in drawn if block.key in ATTENTION},
        firing={block.side: (values[block.path] > 0).sum(1) for block in drawn if block.key == "feed_forward"},
        pictures=[thumbnail(values[block.path], block.scale) for block in drawn],
    )


MOSTLY = 0.5  # more than from all others together
TWICE = 2  # an even share


class AttentionLink(NamedTuple):
    """The weight with which, in a head, one token attends to another; both by their places."""

    head: int
    query: int
    key: int
    weight: float


def strongest(weights: np.ndarray, tokens: Sequence[int], words: Sequence[int]) -> AttentionLink | None:
    """Of all heads (h, S, S) the word that attends most to one other word.

    `words` are the places of the tokens that are no symbols. A weight counts only if it is the largest of its query,
    symbols and the query itself included. None if every word attends most to itself, to a symbol or to its like.
    """
    found = [
        AttentionLink(head, query, key, float(rows[query, key]))
        for head, rows in enumerate(weights)
        for query in words
        if (key := int(rows[query].argmax())) in words and tokens[key] != tokens[query]
    ]
    return max(found, key=lambda link: link.weight, default=None)


def most_between(weights: np.ndarray, tokens: Sequence[int], words: Sequence[int]) -> float | None:
    """The largest weight of any head between two different words; None if there are no two."""
    pairs = [(i, j) for i in words for j in words if tokens[i] != tokens[j]]
    return max((float(weights[:, i, j].max()) for i, j in pairs), default=None)


def clarity(weight: float, keys: int) -> Literal["most", "some", "even"]:
    """What can be said of the largest weight of a query that may attend to so many `keys`."""
    return "most" if weight > MOSTLY else "some" if weight >= TWICE / keys else "even"


LISTED = 4  # unknown words that are named
_TOKEN = re.compile("\ue000(encoder|decoder|wrong)\ue002([^\ue001]*)\ue001")

_NO_MARKS = dict.fromkeys(map(ord, "\ue000\ue001\ue002"))


class Tale(NamedTuple):
    """A sentence for each moment of the player: the start, the blocks of turn 1, the later turns and the whole. `still`
    are those of the decoder's blocks that hold in every turn. `link` is what the encoder's sentence tells of; of each
    block of attention `told` has the query and key that each turn's sentence tells of, -1 for none."""

    beats: list[Markup]
    still: dict[str, Markup]
    link: AttentionLink | None
    told: dict[str, list[tuple[int, int]]]


def tale(chapter: AnyChapter, drawn: Sequence[Block], played: Play, src: tuple[int, ...]) -> Tale:
    at_hand, say = chapter.at_hand, chapter.say
    config, T = at_hand.config, len(played.given)
    words = words_of(at_hand.source, src)
    other = words_that_follow(at_hand, src)
    fits = _clear(_at_the_noun(other, played, config.N - 1), src)
    link = fits or _clear(strongest(played.weights["encoder"], src, words), src)
    follow = (
        {look.word - 1 for look in other.looks} if other else set()
    )  # places in the output of words that must fit a noun
    looked = [_looked(row, src, words) for row in played.looks]
    hero = link.query if link else next(iter(words), 0)
    sources = [_token("encoder", label) for label in at_hand.source.labels(src)]
    read = [_token("decoder", label) for label in at_hand.target.labels(played.given)]
    names = at_hand.target.every
    every = [_token("decoder", name) for name in names]
    known = {
        "one": say(f"tale.one_{_kind(at_hand)}"),
        "d_model": config.d_model,
        "d_ff": config.d_ff,
        "vocab": config.tgt_vocab,
    }

    def told(sentence: str, **values: object) -> Markup:
        return spoken(say(f"tale.{sentence}", **known, **values), chapter.glosses)

    def looks(sentence: str, row: int, **values: object) -> Markup:
        at = looked[row]
        if at < 0:
            return told(f"{sentence}_even", **values)
        return told(sentence, other=sources[at], share=percent(float(played.looks[row, at]), 0), **values)

    def first(block: Block) -> Markup:
        encodes = block.side == "encoder"
        word, place, token = (sources[hero], hero, src[hero]) if encodes else (read[0], 0, played.given[0])
        match block.key:
            case "encoder":
                return _collects(told, played, src, words, link, sources, fits is not None)
            case "cross":
                return looks("cross", 0, word=word)
            case "feed_forward":
                return told("feed_forward", word=word, firing=int(played.firing[block.side][place]))
            case "linear":
                return told("linear", word=every[played.written[0]], score=f"{played.score:.1f}")
            case "softmax":
                key = "softmax" if T > 1 else "softmax_only"
                return told(key, word=every[played.written[0]], chance=percent(played.chances[0], 1))
            case "norm_1" | "norm_2" | "norm_3":
                scaled = "pre" if config.norm_first else "post"
                return told(f"{block.side}_{block.key}", word=word, scaled=say(f"tale.scaled_{scaled}"))
            case key:
                return told(key, word=word, id=token, place=place)

    def later(turn: int) -> Markup:
        word, last = every[played.written[turn - 1]], read[turn - 1]
        values = {"word": word, "last": last, "chance": percent(played.chances[turn - 1], 1)}
        if played.written[turn - 1] == at_hand.target.end:
            return told("later_end", **values)
        if other and turn - 1 in follow and looked[turn - 1] >= 0:
            return looks("later_fits", turn - 1, noun=sources[other.place], **values)
        return looks("later", turn - 1, **values)

    whole = (
        _sentence("encoder", [at_hand.source.names[src[at]] for at in words]),
        _sentence("decoder", [names[token] for token in played.written if token not in (PAD, at_hand.target.end)]),
    )
    wrote = "whole" if whole[1] else "whole_nothing"
    beats = [
        told("start"),
        *map(first, drawn),
        *map(later, range(2, T + 1)),
        told(wrote, source=whole[0], output=whole[1]),
    ]
    still = {block.key: told(f"still_{block.key}") for block in drawn if block.side == "decoder"}
    pairs = {
        "encoder": [(link.query, link.key) if link else (-1, -1)],
        "masked": [(0, 0)],
        "cross": list(enumerate(looked)),
    }
    return Tale(beats, still, link, pairs)


def words_of(vocabulary: Vocabulary, tokens: Sequence[int]) -> tuple[int, ...]:
    """The places of those that are no symbols; where tokens are numbers, START is one at the front alone."""
    numbers = vocabulary.of_numbers_alone
    symbols = {PAD, vocabulary.end} | (set() if numbers else {START})
    return tuple(
        at for at, token in enumerate(tokens) if token not in symbols and not (numbers and at == 0 and token == START)
    )


def unread(chapter: AnyChapter, typed: Sequence[tuple[str, bool]]) -> Markup:
    """Why nothing goes in: the words that the model does not know, if it is that."""
    say, source = chapter.say, chapter.at_hand.source
    unknown = list(dict.fromkeys(word[:40] for word, known in typed if not known))
    if not unknown:
        return spoken(say("tale.unread"))
    named = say("tale.and").join(_token("wrong", word) for word in unknown[:LISTED])
    if len(unknown) > LISTED:
        named += say("tale.and_more", count=len(unknown) - LISTED)
    if source.of_numbers_alone:
        return spoken(say("tale.unread_numbers", unknown=named, highest=len(source) - 1))
    return spoken(say("tale.unread_words", unknown=named, count=len(source.words)))


def spoken(text: str, glosses: Mapping[str, str] = MappingProxyType({})) -> Markup:
    """A sentence whose tokens are in the colour of their side, with what they mean."""
    parts = _TOKEN.split(text)  # text, side, token, text, …
    whole: list[object] = [*parts]
    for at in range(1, len(parts), 3):
        whole[at : at + 2] = [element("b", glossed(parts[at + 1], glosses), class_=parts[at]), ""]
    return joined(whole)


def _token(side: str, label: str) -> str:
    return f"\ue000{side}\ue002{label.translate(_NO_MARKS)}\ue001"


def _sentence(side: str, words: Sequence[str]) -> str:
    """Words as one writes them: Chinese ones without spaces."""
    spaces = ["", *("" if all(map(is_han, pair)) else " " for pair in pairwise(words))]
    return "".join(space + _token(side, word) for space, word in zip(spaces, words))


def _kind(at_hand: ModelAtHand) -> str:
    if at_hand.source.of_numbers_alone:
        return "number"
    by_letters = isinstance(at_hand.words, Letters) or (
        isinstance(at_hand.words, OwnPairs) and at_hand.words.source.by_letters
    )
    return "letter" if by_letters else "word"


def _collects(
    told: Callable[..., Markup],
    played: Play,
    src: Sequence[int],
    words: Sequence[int],
    link: AttentionLink | None,
    sources: Sequence[str],
    fits: bool,
) -> Markup:
    weights = played.weights["encoder"]
    if link:
        names = {"query": sources[link.query], "other": sources[link.key], "head": link.head}
        clear = "fits" if fits else clarity(link.weight, _keys(src))
        return told(f"encoder_{clear}", share=percent(link.weight, 0), **names)
    most = most_between(weights, src, words)
    return told("encoder_alone") if most is None else told("encoder_even", share=percent(most, 0))


def _at_the_noun(other: OtherWord | None, played: Play, layer: int) -> AttentionLink | None:
    """A word whose translation follows a noun, in the head that looks at that noun most of all words."""
    for look in other.looks if other else ():
        of_map = (look.kind, look.layer) == ("encoder", layer)
        if of_map and int(played.weights["encoder"][look.head, look.query].argmax()) == look.key:
            return AttentionLink(look.head, look.query, look.key, look.weight)
    return None


def _clear(link: AttentionLink | None, src: Sequence[int]) -> AttentionLink | None:
    return None if link is None or clarity(link.weight, _keys(src)) == "even" else link


def _looked(weights: np.ndarray, src: Sequence[int], words: Sequence[int]) -> int:
    """The word of the source that most of the weights (S,) fall on; -1 if that is a symbol, or hardly more than any."""
    best = int(weights.argmax())
    return best if best in words and clarity(float(weights[best]), _keys(src)) != "even" else -1


def _keys(src: Sequence[int]) -> int:
    return sum(token != PAD for token in src)
