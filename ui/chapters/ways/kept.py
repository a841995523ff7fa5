"""What drawing asks: how many tokens top-p keeps; why; and the same at another turn, or of another p."""

from typing import NamedTuple

import torch

from transformer_core import sampling_steps
from ui.chapters.shared.forced_prefix import Tokens
from ui.chapters.ways.values import greedy_of, logits_of
from ui.figures import number, percent
from ui.model import ModelAtHand
from ui.sections import Choice
from ui.sections.inquiry import Inquiry, Version, one_of, ranked

NUCLEUS = Choice("ask_nucleus", ("share", "varies", "fixed"), right="varies")
BOUNDS = (0.5, 0.8, 0.9, 0.95, 0.99)
TOLD = 4  # tokens whose probabilities are said


class SamplingSetup(NamedTuple):
    at_hand: ModelAtHand
    src: Tokens
    top_k: int


def at_another(of: SamplingSetup, seed: int) -> Version | None:
    """Where more than one token is kept, if there is such a turn."""
    output = greedy_of(of.at_hand, of.src)
    (logits,) = logits_of(of.at_hand, of.src, (tuple(output[:-1]),))
    log_probs = torch.from_numpy(logits).log_softmax(-1)
    every = [(turn, bound) for turn in range(1, len(log_probs) + 1) for bound in BOUNDS]
    several = [one for one in every if kept(log_probs[one[0] - 1], one[1]) > 1]
    return one_of(seed, several or every, lambda one: _at(log_probs[one[0] - 1], *one, of.top_k))


def kept(log_probs: torch.Tensor, top_p: float) -> int:
    """How many tokens may be drawn."""
    return int((sampling_steps(log_probs, 1.0, None, top_p).nucleus > 0).sum())


def _at(log_probs: torch.Tensor, turn: int, top_p: float, top_k: int) -> Version | None:
    count, size = kept(log_probs, top_p), len(log_probs)
    labels = ranked({"varies": count, "share": round(top_p * size), "fixed": top_k})
    first = log_probs.exp().sort(descending=True).values[:TOLD].tolist()
    said = {"turn": turn, "p": number(top_p), "size": size, "first": ", ".join(percent(one, 1) for one in first)}
    said |= {"sum": percent(float(log_probs.exp().sort(descending=True).values[:count].sum()), 1)}
    return Version("varies", said | {"count": count, "k": top_k}, labels) if labels and top_k <= size else None


KEPT = Inquiry(NUCLEUS, ("each", "adds", "tenth"), "adds", at_another)
