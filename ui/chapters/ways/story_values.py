"""What the story shows: a sentence on which there is something to draw, its least sure turn, and a beam over it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from transformer_core import Beam, sampling_steps
from transformer_core.decoding.sampling import drawn
from ui.chapters.shared.forced_prefix import Tokens
from ui.chapters.ways.candidates import Searching
from ui.chapters.ways.values import beam_of, greedy_of, logits_of, unsure
from ui.figures import number, percent
from ui.inputs.sequence import parse
from ui.model import ModelAtHand
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, one_of
from ui.sections.sequence_fields import typed
from ui.text import Words

OPEN = 0.9  # below which the likeliest token leaves something to draw: top-p, as the page begins, keeps others too
SEEDS = 12  # whose drops fall
COOL, WARM = 0.5, 2.0  # temperatures
TOP_P = 0.9
KEEPS = Searching().width
ALPHA = Searching().alpha


@dataclass(frozen=True)
class WaysStoryValues:
    say: Words
    at_hand: ModelAtHand
    glosses: Mapping[str, str]
    src: Tokens
    text: str  # of the source, where the story has chosen it; "" for the reader's own
    greedy: list[int]  # what the likeliest token each time comes to, the start symbol first
    turn: int  # counted from 1: the least sure one of that
    logits: np.ndarray  # (vocab,) of that turn
    greedy_score: float  # the sum of the log-probabilities of its tokens
    found: Beam

    @property
    def prefix(self) -> Tokens:
        """What is written before that turn, without the start symbol."""
        return tuple(self.greedy[1 : self.turn])

    @cached_property
    def order(self) -> list[int]:
        """The tokens, the likeliest first, as they lie on the strip."""
        return [int(token) for token in np.argsort(-self.shares(), kind="stable")]

    def shares(self, temperature: float = 1.0, top_p: float = 1.0) -> np.ndarray:
        """(vocab,): what each token has of the strip."""
        log_probs = torch.from_numpy(self.logits).log_softmax(-1)
        return np.asarray(sampling_steps(log_probs, temperature, None, top_p).nucleus.numpy())

    def number(self, seed: int) -> float:
        """That of a seed at this turn, as `sampled_turns` takes them."""
        generator = torch.Generator().manual_seed(seed)
        every = torch.rand(self.at_hand.most(self.src), generator=generator, dtype=torch.float64)
        return float(every[self.turn - 1])

    def falls_on(self, seed: int, temperature: float = 1.0) -> int:
        """The token on whose part of the strip it lands."""
        return drawn(torch.from_numpy(self.shares(temperature)), self.number(seed))

    def named(self, token: int) -> str:
        return self.at_hand.target.every[token]

    def link(self, **more: str) -> dict[str, str]:
        own = {"src": self.text, "tgt": ""} if self.text else {}
        begun = " ".join(map(self.named, self.prefix))
        whole = {"temperature": "1", "top_k": "999", "top_p": "1", "seed": "0"}
        return own | {"turn": str(self.turn), "prefix": begun} | whole | more


def values(chapter: AnyChapter) -> WaysStoryValues | None:
    """Of the reader's sentence where a turn of it is open; where none is, of the one of which the model is unsure, if
    it knows the words; else of the reader's all the same."""
    src, at_hand, text = typed(chapter, "src"), chapter.at_hand, ""
    if len(src) < 2:
        return None
    greedy, logits = _greedy(at_hand, src)
    other = unsure(at_hand, chapter.frame.src)
    if surest(logits).min() >= OPEN and other:
        src, text = parse(other, at_hand.source, len(other)), other
        greedy, logits = _greedy(at_hand, src)
    turn = int(surest(logits).argmin()) + 1
    found = beam_of(at_hand, src, KEEPS, ALPHA)
    log_probs = torch.from_numpy(logits).double().log_softmax(-1)
    score = float(log_probs.gather(1, torch.tensor(greedy[1:])[:, None]).sum())
    return WaysStoryValues(
        say=chapter.say,
        at_hand=at_hand,
        glosses=chapter.glosses,
        src=src,
        text=text,
        greedy=greedy,
        turn=turn,
        logits=logits[turn - 1],
        greedy_score=score,
        found=found,
    )


def _greedy(at_hand: ModelAtHand, src: Tokens) -> tuple[list[int], np.ndarray]:
    """What is written, and the logits (turns, vocab) of each of its turns."""
    output = greedy_of(at_hand, src)
    (logits,) = logits_of(at_hand, src, (tuple(output[:-1]),))
    return output, logits


def surest(logits: np.ndarray) -> np.ndarray:
    """(turns,): the largest probability of each."""
    return np.asarray(torch.from_numpy(logits).softmax(-1).amax(-1).numpy())


# What the story of drawing asks: what a temperature does to the largest share; and the same at another one.

SQUEEZE = Choice("story_squeeze", ("grows", "shrinks", "same"), right="grows")
TEMPERATURES = (0.25, 2.0, 0.8, 1.25, 4.0)


def at_another(v: WaysStoryValues, seed: int) -> Version | None:
    return one_of(seed, TEMPERATURES, lambda temperature: _at(v, temperature))


def _at(v: WaysStoryValues, temperature: float) -> Version | None:
    """None where nobody can see a change."""
    before, after = (float(v.shares(each).max()) for each in (1.0, temperature))
    said = {"T": number(temperature), "best": v.named(v.order[0]), "turn": v.turn, "times": number(1 / temperature, 3)}
    said |= {"share": percent(before), "after": percent(after)}
    return Version("grows" if after > before else "shrinks", said) if said["share"] != said["after"] else None


SQUEEZED = Inquiry(SQUEEZE, ("size", "noise", "leads"), "leads", at_another)
