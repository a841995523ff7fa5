"""What the story of tokens is told of: the sentence at hand, looked up, and another one with a word twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from transformer_core import PAD, START, EncoderDecoder, Trace, record
from transformer_core.tasks import OwnPairs
from ui.chapters.shared.word_choice import SENTENCES, of_three
from ui.inputs.direction import direction_of, same_language
from ui.model import ModelAtHand, measured
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, short
from ui.sections.scene import breadth
from ui.sections.sequence_fields import typed

ROWS = 6  # of the table that are shown
WIDEST = 40  # of a padded row, in the chapter's first figure


@dataclass(frozen=True)
class LookedUp:
    """Tokens with what the model makes of them before any layer, all (tokens, d_model)."""

    tokens: tuple[int, ...]
    words: list[str]
    rows: np.ndarray  # of the table
    vectors: np.ndarray  # times √d_model
    code: np.ndarray  # of their positions, which is added to them


class TokensStoryValues:
    def __init__(self, chapter: AnyChapter, tokens: tuple[int, ...]) -> None:
        at_hand, source = chapter.at_hand, chapter.at_hand.source
        self.say, self.at_hand, self.glosses = chapter.say, at_hand, dict(chapter.glosses)
        self.of_numbers = source.of_numbers_alone  # whether words are called by their ids
        self.sentence = looked_up(at_hand, tokens)
        self.word = longest_word(self.sentence.words, tokens, source.end)  # its place in the sentence
        self.size = len(source)  # of the vocabulary
        first = self.first = max(0, min(tokens[self.word] - ROWS // 2, self.size - ROWS))  # row that is shown
        self.table = table_of(at_hand, first)  # (up to ROWS, d_model)
        self.names = [source.every[token] for token in range(first, min(first + ROWS, self.size))]  # of these rows
        text = self.twice_text = twice_of(at_hand, chapter.frame.src)  # as it is typed
        read = [int(one) for one in text.split()] if self.of_numbers else source.read(text)
        repeated = tuple(source.sequence(read))
        self.twice = looked_up(at_hand, repeated)
        self.twins = twins_of(repeated)  # where the same word stands in it
        self.origin, self.twice_origin = (
            at_hand.provenance("src_embed.0.output", len(one), at_hand.config.d_model) for one in (tokens, repeated)
        )

    @property
    def token(self) -> int:
        return self.sentence.tokens[self.word]

    @property
    def d_model(self) -> int:
        return int(self.table.shape[1])


def values(chapter: AnyChapter) -> TokensStoryValues | None:
    tokens = typed(chapter, "src")
    return TokensStoryValues(chapter, tokens) if tokens and len(chapter.at_hand.source) > START + 1 else None


def longest_word(words: Sequence[str], tokens: Sequence[int], end: int | None) -> int:
    """The place of the word that is told of: the one that is longest to read, the last of several; no
    symbol where there is anything else."""
    places = [at for at, token in enumerate(tokens) if token not in (PAD, end) and (at, token) != (0, START)]
    return max(places or [0], key=lambda at: (breadth(words[at]), at))


def twice_of(at_hand: ModelAtHand, src: str) -> str:
    """A sentence in which a word stands twice, in the language of `src`."""
    if at_hand.words is None:
        return " ".join(
            str(START + 1 + at) if START + 1 + at < len(at_hand.source) else str(START + 1) for at in (0, 1, 0)
        )
    if isinstance(at_hand.words, OwnPairs):
        return of_three(at_hand.source)
    return SENTENCES[direction_of(at_hand.words, src)]


def twins_of(tokens: Sequence[int]) -> tuple[int, int]:
    """The first token that comes again, and where."""
    return next(
        (at, again) for at, one in enumerate(tokens) for again in range(at + 1, len(tokens)) if tokens[again] == one
    )


def looked_up(at_hand: ModelAtHand, tokens: tuple[int, ...]) -> LookedUp:
    found = measured(at_hand, ("looked up", tokens), partial(_look_up, tokens))
    arrays = {name: found[name].numpy() for name in ("rows", "vectors", "code")}
    return LookedUp(tokens, at_hand.source.labels(tokens), **arrays)


def _look_up(tokens: tuple[int, ...], model: EncoderDecoder) -> dict[str, torch.Tensor]:
    with torch.inference_mode(), record(model) as trace:
        model.get_submodule("src_embed")(torch.tensor([tokens]))
    names = {"rows": "src_embed.0.rows", "vectors": "src_embed.0.output", "code": "src_embed.1.code"}
    return {name: trace[path][0] for name, path in names.items()}


def table_of(at_hand: ModelAtHand, first: int) -> np.ndarray:
    """(up to ROWS, d_model): the rows of the table from the token `first` on."""

    def rows(model: EncoderDecoder) -> Trace:
        table = model.get_submodule("src_embed.0.lut").get_parameter("weight").detach()
        return {"table": table[first : first + ROWS]}

    return measured(at_hand, ("rows of the table", first), rows)["table"].numpy()


# What the story of tokens asks: the two strips of a word that stands twice; and once their positions are added.

TWICE = Choice("story_twice", ("same", "neighbours", "places"), right="same")


def with_positions(v: TokensStoryValues, seed: int) -> Version | None:
    """Two words of the seed's, the first of them said again, in the script of the story's sentence."""
    source = v.at_hand.source
    words, own = v.at_hand.words, source.every[v.token]
    known = [
        token for token, name in enumerate(source.every)
        if token not in (PAD, START, source.end) and same_language(words, name, own)
    ]  # fmt: skip
    if len(known) < 2:
        return None
    at = 5 * seed % len(known)
    word, other = known[at], known[(at + 1 + seed % (len(known) - 1)) % len(known)]
    tokens = tuple(source.sequence([word, other, word]))
    found, (first, again) = looked_up(v.at_hand, tokens), twins_of(tokens)
    read = found.vectors + found.code
    difference = float(abs(read[first] - read[again]).max())
    text = " ".join(source.every[token] for token in (word, other, word))
    said = {"text": text, "word": source.every[word], "first": first, "again": again, "difference": short(difference)}
    return Version("places" if difference else "same", said)


LOOKED_UP = Inquiry(TWICE, ("trained", "id", "sentence"), "id", with_positions)
