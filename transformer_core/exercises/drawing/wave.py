"""The position code (paper, section 3.5), drawn before it is computed: a dimension over positions, or the other way."""

import math
import random
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
import torch

from transformer_core.exercises.drawing.verdict import MOST_CAUSES, Cause, DrawingVerdict, furthest, rms
from transformer_core.positions import BASE, concatenated, position_code, wavelengths

Over = Literal["positions", "dimensions"]

LENGTH = 25  # positions of a wave
WIDTHS = {"positions": (8, 16, 32, 64), "dimensions": (8, 12, 16)}
SHORTEST, LONGEST = 5.0, 40.0  # wavelengths that can be drawn over so many positions
NEAR = 0.15  # RMS up to which a drawing is right; the code runs from −1 to 1
LIKE = 0.2  # RMS up to which a drawing is that of a known slip
APART = 0.3  # RMS from the truth by which a slip can be told at all
TIMES = np.geomspace(0.25, 4.0, 129)  # frequencies that a drawing may have, in units of the true one
SAME = 1.15  # times the true frequency, up or down, that is still the same
FITS = 0.35  # RMS of a drawing from the nearest wave, beyond which it is none


class Wave(NamedTuple):
    """What is asked: with `over` "positions" the dimension `at`, else the code of the position `at`."""

    over: Over
    d_model: int
    at: int

    @property
    def x(self) -> np.ndarray:
        """The places of the points."""
        return np.arange(LENGTH if self.over == "positions" else self.d_model)

    @property
    def pair(self) -> int:
        """Of the dimension: i in 2i and 2i + 1."""
        return self.at // 2

    @property
    def wavelength(self) -> float:
        """Of the dimension, in positions."""
        return float(wavelengths(self.d_model)[self.pair])

    def of(self, code: torch.Tensor) -> np.ndarray:
        """What is asked for of a code (LENGTH, d_model), as float64."""
        return (code[:, self.at] if self.over == "positions" else code[self.at]).double().numpy()


def code_of(over: Over, d_model: int, at: int) -> torch.Tensor:
    """Dimension `at` of the position code at LENGTH positions, or over its dimensions the code of position `at`."""
    code = position_code(LENGTH, d_model)
    return code[:, at] if over == "positions" else code[at]


def asked(seed: int) -> Wave:
    """A wave of between SHORTEST and LONGEST positions, or the code of one of the first positions but 0."""
    chance = random.Random(f"wave {seed}")
    over: Over = chance.choice(("positions", "dimensions"))
    d_model = chance.choice(WIDTHS[over])
    if over == "dimensions":
        return Wave(over, d_model, chance.randrange(1, 10))
    lengths = wavelengths(d_model).tolist()
    fitting = [at for at in range(d_model) if SHORTEST <= lengths[at // 2] <= LONGEST]
    return Wave(over, d_model, chance.choice(fitting))


def slips(wave: Wave) -> dict[str, np.ndarray]:
    """What known misreadings of the formula give, as far as they can be told from the truth and from a level line."""
    positions = torch.arange(LENGTH, dtype=torch.float64).unsqueeze(1)
    dimension = torch.arange(wave.d_model)
    right = position_code(LENGTH, wave.d_model, dtype=torch.float64)

    def code(exponent: torch.Tensor, turn: float = 1.0) -> torch.Tensor:
        angles = turn * positions * BASE ** (-exponent.double() / wave.d_model)
        return torch.where(dimension % 2 == 0, angles.sin(), angles.cos())

    pairs = dimension // 2 * 2
    found = {
        "swapped": right.unflatten(1, (-1, 2)).flip(-1).flatten(1),
        "upside_down": -right,
        "own_power": code(dimension),
        "twice_the_power": code(2 * dimension),
        "turns": code(pairs, 2 * math.pi),
        "halves": concatenated(right),
    }
    curves = {name: wave.of(wrong) for name, wrong in found.items()}
    return {name: curve for name, curve in curves.items() if min(rms(curve, wave.of(right)), np.ptp(curve)) > APART}


def judged(wave: Wave, drawn: np.ndarray) -> DrawingVerdict:
    right = code_of(*wave).double().numpy()
    distance = rms(drawn, right)
    if distance <= NEAR:
        return DrawingVerdict(distance, True)
    return DrawingVerdict(distance, False, tuple(_causes(wave, drawn, right))[:MOST_CAUSES])


def _causes(wave: Wave, drawn: np.ndarray, right: np.ndarray) -> Iterator[Cause]:
    if np.ptp(drawn) < APART:
        yield Cause("flat")
        return
    off = {name: rms(drawn, curve) for name, curve in slips(wave).items()}
    like = min(off, key=off.__getitem__, default="")
    if like and off[like] <= LIKE and off[like] < rms(drawn, right):
        yield Cause(like)
    elif wave.over == "positions":
        yield from _of_a_wave(wave, drawn, right)
    elif rms(drawn[wave.d_model // 2 :], right[wave.d_model // 2 :]) > APART:
        yield Cause("late", {"at": float(wave.d_model // 2)})
    yield furthest(wave.x, drawn, right)


def _of_a_wave(wave: Wave, drawn: np.ndarray, right: np.ndarray) -> Iterator[Cause]:
    """Another frequency than that of the truth, another height, another beginning; or no wave at all."""
    times, height, off = nearest_wave(wave, drawn)
    if abs(drawn[0] - right[0]) > 2 * APART:
        yield Cause("start", {"drawn": float(drawn[0]), "true": float(right[0])})
    elif off > FITS:
        yield Cause("no_wave")
    elif not 1 / SAME < times < SAME:
        values = {"drawn": wave.wavelength / times, "true": wave.wavelength, "times": max(times, 1 / times)}
        yield Cause("fast" if times > 1 else "slow", values)
    if off <= FITS and height < 1 - APART:
        yield Cause("low", {"drawn": height})


def nearest_wave(wave: Wave, drawn: np.ndarray) -> tuple[float, float, float]:
    """Of the sine or cosine that a drawing is nearest to: its frequency in units of the true one, its height up to 1,
    and how far the drawing is from it (RMS)."""
    angles = 2 * math.pi / wave.wavelength * wave.x * TIMES[:, None]
    waves = np.sin(angles) if wave.at % 2 == 0 else np.cos(angles)
    heights = np.clip((waves @ drawn) / np.maximum((waves**2).sum(1), 1e-9), 0.0, 1.0)
    off = np.sqrt(((heights[:, None] * waves - drawn) ** 2).mean(1))
    best = int(off.argmin())
    return float(TIMES[best]), float(heights[best]), float(off[best])
