"""The loss of a training run over its updates, drawn before the run is laid over it."""

import random
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from transformer_core.exercises.drawing.verdict import MOST_CAUSES, Cause, DrawingVerdict, furthest, rms
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import floor_of, guess_of

Recipe = Literal["plain", "slow", "hot", "noise", "order", "wide"]

PARTS = 20  # into which the updates are cut
NEAR = 0.1  # RMS up to which a drawing is right, in units of the loss of guessing
OFF = 0.25  # of the same: what is further off at the beginning or the end is told
STRAIGHT = 0.05  # of the same: what bends less is a straight line
TIMES = 1.3  # times the updates until half of the way down, more or fewer, that are told

# Runs of a second or two each, with which a loss does what it can do: the default's, and what is changed in it.
RECIPES: dict[Recipe, dict[str, Any]] = {
    "plain": {},  # learned
    "slow": {"rate": 1e-4},  # hardly begun
    "hot": {"rate": 0.03, "warmup": 0},  # never learned
    "noise": {"noise": 0.3},  # as far as it can be known
    "order": {"positions": False},  # which tokens, and not where
    "wide": {"vocab": 31},  # begins higher
}


def asked(seed: int) -> tuple[Recipe, TrainConfig]:
    chance = random.Random(f"loss {seed}")
    recipe = chance.choice(tuple(RECIPES))
    return recipe, TrainConfig(**RECIPES[recipe], seed=chance.randrange(10_000))


def places(steps: int) -> np.ndarray:
    """(PARTS + 1,) updates, at which a loss is drawn."""
    return np.arange(PARTS + 1) * steps // PARTS


def around(step: np.ndarray, loss: np.ndarray, last: int) -> np.ndarray:
    """(PARTS + 1,): the mean loss of the updates nearest to each place up to `last`; a single batch says little.

    The first is that of the untrained model alone. Where nothing was reported it is that of the nearest report.
    """
    at = places(last)
    nearest = np.abs(step[:, None] - at).argmin(1)
    nearest[step > 0] = np.maximum(nearest[step > 0], 1)
    means = [loss[nearest == part].mean() if (nearest == part).any() else np.nan for part in range(len(at))]
    lone = [float(loss[np.abs(step - here).argmin()]) for here in at]
    return np.where(np.isnan(means), lone, means)


def judged(config: TrainConfig, drawn: np.ndarray, truth: np.ndarray) -> DrawingVerdict:
    distance, guess = rms(drawn, truth), guess_of(config)
    if distance <= NEAR * guess:
        return DrawingVerdict(distance, True)
    return DrawingVerdict(distance, False, tuple(_causes(config, drawn, truth, guess))[:MOST_CAUSES])


def _causes(config: TrainConfig, drawn: np.ndarray, truth: np.ndarray, guess: float) -> Iterator[Cause]:
    updates, floor = places(config.steps), floor_of(config)
    if abs(drawn[0] - truth[0]) > OFF * guess:
        values = {"drawn": float(drawn[0]), "true": float(truth[0]), "guess": guess, "answers": config.tgt_vocab - 1}
        yield Cause("start", values)
    end, reached = float(drawn[-3:].mean()), float(truth[-3:].mean())
    ends = {"drawn": end, "true": reached, "guess": guess, "floor": floor}
    if drawn[-1] > drawn[0] + OFF * guess:
        yield Cause("rises", ends)
    elif floor > OFF and end < floor - OFF * guess / 2:
        yield Cause("below_floor", ends)
    elif end < reached - OFF * guess:
        yield Cause("hopeful", ends)
    elif end > reached + OFF * guess:
        yield Cause("doubtful", ends)
    elif truth[0] - reached > guess / 2:
        mine, its = _half_way(updates, drawn), _half_way(updates, truth)
        if _bend(updates, drawn) < STRAIGHT * guess < _bend(updates, truth) / 2:
            yield Cause("straight", {"true": its})
        elif not 1 / TIMES < mine / its < TIMES:
            yield Cause("early" if mine < its else "late", {"drawn": mine, "true": its})
    yield furthest(updates, drawn, truth)


def _bend(updates: np.ndarray, loss: np.ndarray) -> float:
    """How far a curve is from the straight line nearest to it (RMS)."""
    return rms(loss, np.polyval(np.polyfit(updates, loss, 1), updates))


def _half_way(updates: np.ndarray, loss: np.ndarray) -> float:
    """The first of these updates by which the loss has come down half of its way; at least the first but 0."""
    middle = (loss[0] + loss[-3:].mean()) / 2
    return float(updates[max(1, int((loss <= middle).argmax()))])
