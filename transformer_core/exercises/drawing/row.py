"""A row of attention, drawn before it is computed: which row a seed asks for, and what a drawing of it is worth."""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from transformer_core.exercises.drawing.verdict import MOST_CAUSES, Cause, DrawingVerdict, total_variation

NEAR = 0.1  # total variation up to which a drawing is right
SPEAKS = 2.0  # times the even share: a row whose heaviest weight has so much says something
SEEN = 0.03  # share on masked keys that is no slip of the hand
NEARLY = 0.05  # what two weights may differ by and still be as heavy as each other
CLEAR = 0.15  # by so much the heaviest bar must be heavier than another to be called that


class AttentionRow(NamedTuple):
    """A row of attention in the model: `kind` is encoder, decoder or cross, as the places of attention are called."""

    kind: str
    layer: int
    head: int
    row: int


class Attention(NamedTuple):
    """One attention of the model on a sentence."""

    kind: str
    layer: int
    weights: np.ndarray  # (h, T, S)
    mask: np.ndarray  # (T, S) True where a query may look


def rows(attention: Attention, least: float) -> Iterator[AttentionRow]:
    """Each row with at least two keys to look at whose heaviest weight has at `least` so many even shares."""
    keys = attention.mask.sum(-1)  # (T,)
    shares = np.where(attention.mask, attention.weights, 0.0).max(-1) * keys  # (h, T)
    for head, row in np.argwhere((shares >= least) & (keys > 1)).tolist():
        yield AttentionRow(attention.kind, attention.layer, head, row)


def asked(every: Sequence[Attention], seed: int) -> AttentionRow | None:
    """The row that a seed asks for, of those that say something where there are any; None where no row has two keys.

    Of a model that has learned nothing all rows are nearly even, and any may be asked for.
    """
    for least in (SPEAKS, 0.0):
        found = [place for attention in every for place in rows(attention, least)]
        if found:
            return random.Random(f"row {seed}").choice(found)
    return None


def judged(drawn: np.ndarray, truth: np.ndarray, allowed: np.ndarray, own: int | None) -> DrawingVerdict:
    """Both (S,) and summing to 1; `own` is the place of the query among the keys, None in cross-attention."""
    distance = total_variation(drawn, truth)
    causes = [*_causes(drawn, truth, allowed, own)]
    masked = causes[:1] if causes and causes[0].name == "masked" else []
    if distance <= NEAR:
        return DrawingVerdict(distance, not masked, tuple(masked))
    return DrawingVerdict(distance, False, tuple(causes[:MOST_CAUSES]))


def _causes(drawn: np.ndarray, truth: np.ndarray, allowed: np.ndarray, own: int | None) -> Iterator[Cause]:
    hidden = np.where(allowed, 0.0, drawn)
    if hidden.sum() > SEEN:
        yield Cause("masked", {"best": int(hidden.argmax()), "share": float(hidden.sum())})
    guess, best, even = int(drawn.argmax()), int(truth.argmax()), 1 / int(allowed.sum())
    flat = drawn.max() < SPEAKS * even and drawn.max() - np.median(drawn) < CLEAR
    if flat and truth.max() >= SPEAKS * even:
        yield Cause("even", {"best": best, "share": float(truth[best])})
    elif not flat and allowed[guess] and truth[best] - truth[guess] > NEARLY:
        name = "itself" if guess == own else "elsewhere"
        yield Cause(name, {"guess": guess, "given": float(truth[guess]), "best": best, "share": float(truth[best])})
    elif drawn.max() - truth.max() > CLEAR:
        yield Cause("sharp", {"best": guess, "drawn": float(drawn[guess]), "share": float(truth[guess])})
    elif truth.max() - drawn.max() > CLEAR:
        yield Cause("blunt", {"best": best, "drawn": float(drawn[best]), "share": float(truth[best])})
    gap = truth - drawn
    less, more = int(gap.argmax()), int(gap.argmin())
    yield Cause(
        "moved",
        {
            "less": less, "less_drawn": float(drawn[less]), "less_true": float(truth[less]),
            "more": more, "more_drawn": float(drawn[more]), "more_true": float(truth[more]),
        },
    )  # fmt: skip
