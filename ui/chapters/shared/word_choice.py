"""Which word a chapter is about: one that attention shows, one that stands twice, one that a model gets wrong."""

from collections.abc import Sequence
from copy import deepcopy

import numpy as np
import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, padding_mask, target_mask
from transformer_core.tasks import OwnPairs, Vocabulary
from transformer_core.tasks.vocabulary import END, START
from transformer_core.training.models import fresh_model
from ui import state
from ui.inputs.direction import direction_of
from ui.model import ModelAtHand
from ui.sections import AnyChapter

LEFT = 0.08  # of its attention a row leaves to the others, so that there is something to share out


def speaking_row(weights: np.ndarray, tokens: tuple[int, ...], queries: Sequence[int] = ()) -> tuple[int, int, int]:
    """(head, query, key) of the largest weight (heads, T, S) from a word to another word, among the rows that leave
    some of it to further tokens; where there is no such row, of all. Start, end and padding are no words, unless
    there are fewer than two others. Of `queries` at these places, if any are named."""
    at = np.arange(len(tokens))
    last = max((n for n, token in enumerate(tokens) if token != PAD), default=0)
    words = np.array([token not in (PAD, START) and (n, token) != (last, END) for n, token in enumerate(tokens)])
    if words.sum() < 2:
        words = np.array([token != PAD for token in tokens])
    other = np.where(words[:, None] & words, weights, -1.0)
    other[:, at, at] = -1.0
    if queries:
        other[:, np.setdiff1d(at, queries)] = -1.0
    open_rows = np.where(other <= 1.0 - LEFT, other, -1.0)
    chosen = open_rows if open_rows.max() > 0 else other
    head, query, key = np.unravel_index(int(chosen.argmax()), chosen.shape)
    return int(head), int(query), int(key)


# A field whose first text has a word that stands twice, in the words of the model at hand.

SENTENCES = {  # no model was trained on any of them
    "translate en-zh": "this cat likes this doctor",
    "translate zh-en": "这只猫喜欢这个医生",
    "translate en-es": "that doctor draws that cat today",
    "translate es-en": "ese médico dibuja ese gato hoy",
    "reverse": "g d b g d a",
    "sort": "g d b g d a",
}


def suit(chapter: AnyChapter, setting: str) -> None:
    """Until something is typed, `setting` is its default for a model of numbers, else the sentence for its words."""
    numbers, words, put = getattr(chapter.settings.default(), setting), chapter.at_hand.words, f"{setting}.suited"
    if getattr(chapter.settings, setting) in {numbers, *SENTENCES.values(), state.recall(put)}:
        own = of_three(chapter.at_hand.source) if isinstance(words, OwnPairs) else ""
        suited = own or (numbers if words is None else SENTENCES[direction_of(words, "")])
        chapter.put(setting, state.remember(put, suited))


def of_three(vocabulary: Vocabulary) -> str:
    """The first word, another one if there is one, and the first again."""
    first, *others = range(END + 1, len(vocabulary))
    return vocabulary.text([first, *others[:1], first])


# One wrong word of an early step: what a loss and its gradient are about.


def early(at_hand: ModelAtHand, model: EncoderDecoder) -> EncoderDecoder:
    """The model before its first update, where there is one; else a copy of itself."""
    return fresh_model(at_hand.run).eval() if at_hand.step is not None else deepcopy(model).eval()


def wrong_place(log_probs: Tensor, answers: Tensor) -> int:
    """The first word that the model gets wrong when it is given the right ones before, or the one that it is least
    sure of: log_probs (T, V), answers (T,)."""
    counted = answers != PAD
    wrong = ((log_probs.argmax(-1) != answers) & counted).nonzero()
    own = log_probs.gather(1, answers[:, None])[:, 0].masked_fill(~counted, 1.0)
    return int(wrong[0]) if len(wrong) else int(own.argmin())


def given_right(model: EncoderDecoder, src: tuple[int, ...], given: tuple[int, ...]) -> Tensor:
    """Log-probabilities after each of the tokens given: (len(given), V)."""
    sources, targets = torch.tensor([src]), torch.tensor([given])
    out = model(sources, targets, padding_mask(sources, PAD), target_mask(targets, PAD))
    log_probs: Tensor = model.generator(out)[0]
    return log_probs
