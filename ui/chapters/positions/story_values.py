"""What the story of order is told of: three words and the same ones with the outer two changed, through one encoder."""

import math
from functools import cache
from typing import Any

import numpy as np
import torch

from transformer_core import START
from transformer_core.positions import frequencies, position_steps
from transformer_core.tasks import OwnPairs
from transformer_core.tasks.vocabulary import END
from ui.chapters.positions.order import SHOWN, Order, memories, reordering
from ui.figures import number
from ui.inputs.direction import direction_of
from ui.model import ModelAtHand
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, first_of

SENTENCES = {  # of three words, which say something else the other way round
    "translate en-zh": "dog likes cat",
    "translate zh-en": "狗喜欢猫",
    "translate en-es": "dogs watch cats",
    "translate es-en": "perros miran gatos",
    "reverse": "g d b",
    "sort": "g d b",
}
LAST = 12  # the place up to which the waves run
TURNS = (1.0, 0.5, 0.25, 0.125)  # radians from place to place: the clocks that are shown turn at most so far


class PositionsStoryValues:
    """Vectors (places, SHOWN) of both sentences, as the encoder hands them over; `text` is the first as it is typed."""

    def __init__(self, chapter: AnyChapter, text: str) -> None:
        at_hand, source = chapter.at_hand, chapter.at_hand.source
        self.say, self.at_hand, self.glosses, self.text = chapter.say, at_hand, dict(chapter.glosses), text
        of_numbers = source.of_numbers_alone
        self.tokens = tuple(source.sequence([int(one) for one in text.split()] if of_numbers else source.read(text)))
        self.words = source.labels(self.tokens)  # with the symbols, a word for each place
        order = self.order = list(range(len(self.tokens)))  # which of them stands at each place in the second sentence
        order[1], order[3] = 3, 1
        other = " ".join(text.split()[::-1]) if of_numbers else source.text([self.tokens[at] for at in order])
        self.said = text, other  # both sentences
        self.seed = next(seed for seed in range(*seeds()) if reordering(len(self.tokens), seed).tolist() == order)
        found = memories(at_hand, self.tokens, self.seed)  # "with" and "without" the position code
        self.first = {name: of["expected"][torch.tensor(order)][:, :SHOWN].numpy() for name, of in found.items()}
        self.second = {name: of["reordered"][:, :SHOWN].numpy() for name, of in found.items()}
        # The largest difference of the same word's vectors, in any dimension; and the ends of the vectors.
        self.largest = {name: of["gap"].abs().max().item() for name, of in found.items()}
        self.ends = {name: of["expected"].abs().max().item() for name, of in found.items()}
        self.d_model = at_hand.config.d_model
        omega = frequencies(self.d_model).numpy()
        self.pairs = pairs_shown(omega)  # the clocks that are shown
        self.turns = omega[list(self.pairs)]  # radians from place to place, of each
        self.origin = at_hand.provenance(f"encoder.output[:, :{SHOWN}]", len(self.tokens), min(SHOWN, self.d_model))

    @property
    def end(self) -> float:
        """Of the colours of vectors and of their differences, with the code and without it."""
        return max(self.ends.values())

    @property
    def told_apart(self) -> bool:
        """Whether the position code makes a difference that can be seen, and is no rounding."""
        return self.largest["with"] > max(0.01 * self.end, 100 * self.largest["without"])

    def hands(self, place: int) -> np.ndarray:
        """(clocks, 2): sine and cosine of each, at a place."""
        return _code(self.d_model)[place].reshape(-1, 2)[list(self.pairs)]


@cache
def _code(d_model: int) -> np.ndarray:
    """Shared, never changed."""
    return position_steps(LAST + 1, d_model).code.numpy()


def values(chapter: AnyChapter) -> PositionsStoryValues | None:
    text, config = sentence_of(chapter.at_hand, chapter.frame.src), chapter.at_hand.config
    clocks = config.d_model > 1 and not config.learned_positions
    return PositionsStoryValues(chapter, text) if text and clocks else None


def sentence_of(at_hand: ModelAtHand, src: str) -> str:
    """Three words that the model knows, in the language of `src`; "" where it does not know three numbers, or words of
    a reader's own."""
    if isinstance(at_hand.words, OwnPairs):
        first = list(range(END + 1, len(at_hand.source)))[:3]
        return at_hand.source.text(first) if len(first) == 3 else ""
    if at_hand.words is not None:
        return SENTENCES[direction_of(at_hand.words, src)]
    known = list(range(START + 1, len(at_hand.source)))
    return " ".join(map(str, known[1::2][:3] if len(known) > 5 else known[:3])) if len(known) > 2 else ""


def pairs_shown(omega: np.ndarray) -> tuple[int, ...]:
    """For each of TURNS the first pair that turns no further, as far as there is one."""
    found = [int(np.argmax(omega <= turn * (1 + 1e-6))) for turn in TURNS if (omega <= turn * (1 + 1e-6)).any()]
    return tuple(sorted(set(found)))


def degrees(turn: float) -> str:
    return f"{math.degrees(turn):.0f}°"


def seeds() -> tuple[int, int]:
    seeds: Any = Order.kinds()["order_seed"]
    return seeds.low, seeds.high + 1


# What the story of order asks: what another order makes of the vectors; and the same of a third one.

ORDER = Choice("story_order", ("moved", "changed", "stayed"), right="moved")
INNER = 1, 4  # the three words' places, between the symbols


def of_a_third(v: PositionsStoryValues, seed: int) -> Version | None:
    """The words alone change places, neither as they stood nor as the story has them."""
    length, inner = len(v.tokens), range(*INNER)
    known = [list(range(length)), v.order]
    found = {tuple(reordering(length, each).tolist()): each for each in range(*seeds())}
    other = [
        (order, each) for order, each in found.items()
        if list(order) not in known and all(order[at] == at for at in range(length) if at not in inner)
    ]  # fmt: skip
    return first_of(seed, other, lambda one: _of(v, *one))


def _of(v: PositionsStoryValues, order: tuple[int, ...], seed: int) -> Version | None:
    """Where the vector of the first word that moves comes out is found, not supposed: the nearest one."""
    of = memories(v.at_hand, v.tokens, seed)["without"]
    to = next(at for at, before in enumerate(order) if before != at)
    away = (of["reordered"] - of["expected"][to]).norm(dim=-1)
    if int(away.argmin()) != to:
        return None
    names = [v.words[at] for at in order]
    said = {"order": " ".join(names[slice(*INNER)]), "word": names[to], "to": to, "from": order[to]}
    return Version("moved", said | {"off": number(float(away[to]), 1)})


ORDERED = Inquiry(ORDER, ("short", "sum", "trained"), "sum", of_a_third)
