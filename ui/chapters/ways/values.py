"""What is drawn and what is searched, kept for every model, source and choice that was asked for before."""

from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
import torch

from transformer_core import (
    PAD,
    START,
    Beam,
    EncoderDecoder,
    beam_search,
    padding_mask,
    record,
    sampled_turns,
    subsequent_mask,
)
from ui import state
from ui.chapters.shared.forced_prefix import Tokens
from ui.chapters.shared.model_program import decoding_snippet
from ui.inputs.direction import direction_of
from ui.model import ModelAtHand, made
from ui.sections import AnyChapter
from ui.settings.chapters import IN_CHINESE, INTO_CHINESE, INTO_SPANISH

# A sentence of which the translator is unsure: draws of it differ, and greedy decoding takes a worse way than a beam.

SENTENCES = {
    "translate en-zh": INTO_CHINESE["ways"]["src"],
    "translate zh-en": IN_CHINESE["ways"]["src"],
    "translate en-es": INTO_SPANISH["ways"]["src"],  # greedy decoding takes the wrong gender
    "translate es-en": "yo dibujo una biblioteca blanca tras el árbol",
}


def unsure(at_hand: ModelAtHand, src: str) -> str:
    """That of the language of what is read, if the model at hand translates it; "" if it knows no such words."""
    return "" if at_hand.words is None else SENTENCES.get(direction_of(at_hand.words, src), "")


def unsure_sentence(chapter: AnyChapter) -> None:
    """A button that puts it into the source, if the model at hand knows its words."""
    sentence = unsure(chapter.at_hand, chapter.frame.src)
    if not sentence or chapter.hides("src"):
        return
    icon, key = ":material/contact_support:", f"ways.unsure.{chapter.here}"
    st.button(
        chapter.say("unsure"), icon=icon, type="tertiary", key=key, on_click=chapter.then(_take), args=(sentence,)
    )


def _take(sentence: str) -> None:
    for name, value in {"src": sentence, "tgt": ""}.items():
        state.put(state.FRAME, name, value)


class How(NamedTuple):
    temperature: float
    top_k: int
    top_p: float
    seed: int


class SamplingStep(NamedTuple):
    """One turn, for a single source."""

    given: list[int]  # the tokens that the decoder reads
    logits: np.ndarray  # (vocab,)
    steps: np.ndarray  # (4, vocab): the model's probabilities, after temperature, after top-k, after top-p
    number: float  # the random number
    choice: int  # what it draws
    written: int  # the token that comes next: the choice, unless the reader has put another there

    @property
    def output(self) -> list[int]:
        return [*self.given, self.written]


def draws_of(at_hand: ModelAtHand, src: Tokens, how: How, prefix: Tokens = ()) -> list[SamplingStep]:
    """All turns, to the end symbol or until there is no room for more."""
    return made(at_hand, ("draws", src, how, prefix), partial(_draws, at_hand, src, how, prefix))


def _draws(at_hand: ModelAtHand, src: Tokens, how: How, prefix: Tokens, model: EncoderDecoder) -> list[SamplingStep]:
    sources, generator = torch.tensor([src]), torch.Generator().manual_seed(how.seed)
    turns = sampled_turns(
        model, sources, padding_mask(sources, PAD), at_hand.most(src), generator, *how[:3],
        end=at_hand.target.end, prefix=prefix,
    )  # fmt: skip
    draws: list[SamplingStep] = []
    with record(model) as trace:  # it has the values of the last turn
        for at, turn in enumerate(turns):
            written = prefix[at] if at < len(prefix) else turn.choice
            steps = torch.stack([turn.log_probs.exp(), *turn.steps]).numpy()
            logits = trace["generator.logits"][0].numpy()
            draws.append(SamplingStep(turn.ys[0].tolist(), logits, steps, turn.number, turn.choice, written))
    return draws


def beam_of(at_hand: ModelAtHand, src: Tokens, width: int, alpha: float, prefix: Tokens = ()) -> Beam:
    """The search for what the source becomes; ValueError if all of it is forced already."""
    return made(at_hand, ("beam", src, width, alpha, prefix), partial(_beam, at_hand, src, width, alpha, prefix))


def _beam(at_hand: ModelAtHand, src: Tokens, width: int, alpha: float, prefix: Tokens, model: EncoderDecoder) -> Beam:
    sources = torch.tensor([src])
    room, end = at_hand.most(src), at_hand.target.end
    mask = padding_mask(sources, PAD)
    return beam_search(model, sources, mask, room, width, alpha, end=end, prefix=prefix)


def all_forced(at_hand: ModelAtHand, src: Tokens, prefix: Tokens) -> bool:
    """Whether the reader has written the whole output, and left nothing to search."""
    return len(prefix) + 1 >= at_hand.most(src) or at_hand.target.end in prefix


def greedy_of(at_hand: ModelAtHand, src: Tokens, prefix: Tokens = ()) -> list[int]:
    """What the likeliest token each time comes to, which is a beam of one; its start symbol first."""
    if all_forced(at_hand, src, prefix):
        return [START, *prefix]
    beam = beam_of(at_hand, src, 1, 0.0, prefix)
    return beam.output(beam.finished(0.0)[0])


def logits_of(at_hand: ModelAtHand, src: Tokens, outputs: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """(b, t, vocab): what the model says after each token of b outputs of one length, as in decoding: a padding that it
    writes itself is a token like others."""
    return made(at_hand, ("logits", src, outputs), partial(_logits, src, outputs))


def _logits(src: Tokens, outputs: tuple[tuple[int, ...], ...], model: EncoderDecoder) -> np.ndarray:
    sources, ys = torch.tensor([src] * len(outputs)), torch.tensor(outputs)
    with torch.inference_mode(), record(model) as trace:
        model.generator(model(sources, ys, padding_mask(sources, PAD), subsequent_mask(ys.size(1))))
    return np.asarray(trace["generator.logits"].numpy())


def draws_program(at_hand: ModelAtHand, src: Tokens, how: How, prefix: Tokens, turn: int) -> str:
    cut = f"temperature={how.temperature:g}", f"top_k={how.top_k}", f"top_p={how.top_p:g}"
    given = f"torch.Generator().manual_seed({how.seed})", *cut, f"end={at_hand.target.end}"
    return (
        f"{decoding_snippet(at_hand, 'sampled_turns', src, prefix, *given)}"
        f"turn = list(found)[{turn - 1}]\n"
        "shown = torch.stack([turn.log_probs.exp(), *turn.steps])\n"
        "print(shown, turn.number, turn.choice)\n"
    )
