"""One step of AdamW by hand: the second, where the bias correction differs between the moments and the first step.

The moments' β are the paper's (section 5.3); rate and weight decay are large, so that two decimals show them.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import NamedTuple

import torch

from transformer_core.adamw import BETAS, EPS, adamw_steps
from transformer_core.exercises.worksheet.exercise import Blanks, ExerciseKind, row

RATE, DECAY = 0.5, 0.1
STEP = 2


class AdamWGivens(NamedTuple):
    w: float
    g: float  # the gradient of this step
    before: float  # that of the first step, of which m and v are left

    @property
    def m(self) -> float:
        return (1 - BETAS[0]) * self.before

    @property
    def v(self) -> float:
        return (1 - BETAS[1]) * self.before**2


class Step(NamedTuple):
    m: float
    v: float
    m_hat: float  # m / (1 − β₁ᵗ)
    v_hat: float  # v / (1 − β₂ᵗ)
    w: float


@lru_cache(64)
def steps(givens: AdamWGivens) -> Step:
    w, g, m, v = (torch.tensor(number, dtype=torch.float64) for number in (givens.w, givens.g, givens.m, givens.v))
    found = adamw_steps(w, g, m, v, STEP, rate=RATE, weight_decay=DECAY)
    after = found.m, found.v, found.m_hat, found.v_hat, w + found.step
    return Step(*(number.item() for number in after))


def draw(chance: Random) -> AdamWGivens:
    w = chance.choice([-1, 1]) * chance.randint(2, 6)
    g, before = (chance.choice([-1, 1]) * chance.randint(2, 5) for _ in range(2))
    return AdamWGivens(float(w), float(g), float(before))


def right(givens: AdamWGivens) -> Blanks:
    return _blanks(*steps(givens))


def slips(givens: AdamWGivens) -> Mapping[str, Blanks]:
    w, g, (m, v, m_hat, v_hat, _) = givens.w, givens.g, steps(givens)
    first, second = BETAS
    kept = DECAY * w

    def instead(m: float, v: float) -> Blanks:
        """With other moments, correctly used."""
        m_hat, v_hat = m / (1 - first**STEP), v / (1 - second**STEP)
        return _blanks(m, v, m_hat, v_hat, w - RATE * (m_hat / (v_hat**0.5 + EPS) + kept))

    def moved(by: float) -> Blanks:
        return _blanks(None, None, None, None, w - RATE * by)

    step = m_hat / (v_hat**0.5 + EPS)
    once = m / (1 - first), v / (1 - second)
    pulled = _moments(givens, g + kept)  # the decay as a part of the gradient, as in Adam with an L2 penalty
    return {
        "swapped": instead((1 - first) * givens.m + first * g, (1 - second) * givens.v + second * g * g),
        "no_memory": instead((1 - first) * g, (1 - second) * g * g),
        "not_squared": _blanks(None, second * givens.v + (1 - second) * g, None, None, None),
        # At the second step the two corrections all but cancel: of w alone neither this nor an L2 penalty can be told.
        "not_corrected": _blanks(None, None, m, v, None),
        "l2": _blanks(*pulled, pulled[0] / (1 - first**STEP), pulled[1] / (1 - second**STEP), None),
        "first_power": _blanks(None, None, *once, w - RATE * (once[0] / (once[1] ** 0.5 + EPS) + kept)),
        "no_root": moved(m_hat / (v_hat + EPS) + kept),
        "no_decay": moved(step),
        "ascent": moved(-step + kept),
    }


def _moments(givens: AdamWGivens, g: float) -> tuple[float, float]:
    first, second = BETAS
    return first * givens.m + (1 - first) * g, second * givens.v + (1 - second) * g * g


def _blanks(
    m: float | None, v: float | None, m_hat: float | None, v_hat: float | None, w: float | None
) -> dict[tuple[str, str], float]:
    numbers = [math.nan if value is None else value for value in (m, v, m_hat, v_hat, w)]
    return {
        **row("moments", ("m", "v"), numbers[:2]),
        **row("corrected", ("m̂", "v̂"), numbers[2:4]),
        **row("weight", ("w",), numbers[4:]),
    }


# Two decimals of m and v are divided by 0.19 and 0.0396.
ADAMW = ExerciseKind("adamw", draw, right, slips, tolerance={"m̂": 0.03, "v̂": 0.13})
