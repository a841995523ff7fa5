"""The learning rate of the paper (section 5.3, equation 3), drawn before it is computed."""

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from transformer_core.exercises.drawing.verdict import MOST_CAUSES, Cause, DrawingVerdict, furthest, rms
from transformer_core.schedule import noam_rate

PARTS = 20  # into which the steps are cut
WIDTHS = (64, 128, 256, 512, 1024)
WARMUPS = (400, 1000, 2000, 4000, 8000)
PEAKS = (4, 5, 8)  # the part at whose end the warm-up ends
NEAR = 0.1  # RMS up to which a drawing is right, in units of the highest rate
HIGH = 1.25  # times the true peak, up or down, that is still the same


class RateTask(NamedTuple):
    """What is asked: the rate at `last` steps and before."""

    d_model: int
    warmup: int
    last: int

    @property
    def x(self) -> np.ndarray:
        """(PARTS + 1,) steps."""
        return np.arange(PARTS + 1) * self.last // PARTS

    @property
    def top(self) -> float:
        """Where the sheet ends: a round number, from one and a half to four times the highest rate."""
        peak = noam_rate(self.warmup, self.d_model, warmup=self.warmup)
        unit = 10.0 ** np.floor(np.log10(1.5 * peak))
        return float(next(unit * by for by in (2, 4, 10) if unit * by >= 1.5 * peak))


def rates(d_model: int, warmup: int, last: int) -> np.ndarray:
    """(PARTS + 1, 2): steps, and the learning rate at each."""
    steps = [part * last // PARTS for part in range(PARTS + 1)]
    return np.array([(step, noam_rate(step, d_model, warmup=warmup)) for step in steps])


def asked(seed: int) -> RateTask:
    chance = random.Random(f"rate {seed}")
    warmup = chance.choice(WARMUPS)
    return RateTask(chance.choice(WIDTHS), warmup, warmup * PARTS // chance.choice(PEAKS))


def judged(rate: RateTask, drawn: np.ndarray) -> DrawingVerdict:
    right = rates(*rate)[:, 1]
    distance = rms(drawn, right)
    if distance <= NEAR * right.max():
        return DrawingVerdict(distance, True)
    return DrawingVerdict(distance, False, tuple(_causes(rate, drawn, right))[:MOST_CAUSES])


def _causes(rate: RateTask, drawn: np.ndarray, right: np.ndarray) -> Iterator[Cause]:
    steps, peak, high = rate.x, float(right.max()), float(drawn.max())
    if high < 0.01 * rate.top:
        yield Cause("zero", {"true": peak})
        return
    top = int(drawn.argmax())
    if drawn[0] > high / 2:
        yield Cause("no_warmup", {"drawn": float(drawn[0]), "warmup": rate.warmup})
    elif drawn[-1] >= 0.9 * high and top > 0:
        yield Cause("stays" if drawn[right.argmax()] >= 0.9 * high else "rises", {"warmup": rate.warmup})
    elif abs(steps[top] - rate.warmup) > 1.5 * rate.last / PARTS:
        name = "early" if steps[top] < rate.warmup else "late"
        yield Cause(name, {"drawn": float(steps[top]), "warmup": rate.warmup})
    if not 1 / HIGH < high / peak < HIGH:
        yield Cause(
            "high" if high > peak else "low", {"drawn": high, "true": peak, "times": max(high, peak) / min(high, peak)}
        )
    ends = drawn[-1] / high, right[-1] / peak
    if ends[0] < 0.6 * ends[1]:
        yield Cause("to_zero", {"drawn": float(drawn[-1]), "true": float(right[-1]), "last": rate.last})
    yield furthest(steps, drawn, right)
