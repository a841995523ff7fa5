"""The noise itself: by which 1 + δ the elements of a result are multiplied."""

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]

EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
SUMMED, ONCE, FLIPPED = 2.5, 1.0, 0.005  # eps, eps and a share; why so large: `tests/noise/__init__.py`
EXACT = 12  # significant bits
# The last bits of a type, which no exact number has.
LOW = {"float64": (1 << 53 - EXACT) - 1, "float32": (1 << 24 - EXACT) - 1, "float16": 63, "bfloat16": 31}
WHOLE = {"float64": np.int64, "float32": np.int32}  # a number's bits, in NumPy
DRAWN = 1 << 20  # numbers, of which each result takes as many as it has elements
PIECE = 1 << 16  # elements that a processor's cache holds with what is worked out about them

_seed = 0


def choose(seed: int) -> None:
    global _seed
    _seed = seed


@lru_cache(maxsize=4096)
def factors(operation: str, size: float, shape: tuple[int, ...], dtype: str) -> Array:
    """Numbers between 1 - size·eps and 1 + size·eps, the same ones for the same operation and shape."""
    drawn, (first, count) = _drawn(_seed, size, dtype), _part(operation, shape)
    if count > DRAWN:
        return np.resize(drawn[first : first + DRAWN], shape)
    return drawn[first : first + count].reshape(shape)


def pieces(operation: str, size: float, shape: tuple[int, ...], dtype: str) -> Iterator[tuple[slice, Array]]:
    """The same numbers piece by piece, as the elements lie in a row: which elements, and their factors."""
    drawn, (first, count) = _drawn(_seed, size, dtype), _part(operation, shape)
    for at in range(0, count, PIECE):
        end, place = min(at + PIECE, count), (first + at) % DRAWN
        yield slice(at, end), drawn[place : place + end - at]


def _part(operation: str, shape: tuple[int, ...]) -> tuple[int, int]:
    """The place of the first number, and how many they are."""
    return crc32(f"{operation} {shape}".encode()) % DRAWN, prod(shape)


@lru_cache(maxsize=8)
def _drawn(seed: int, size: float, dtype: str) -> Array:
    """DRAWN numbers, twice in a row, so that those from any place on lie side by side: (2 · DRAWN,)."""
    drawn = np.tile(np.random.default_rng(seed).uniform(-1.0, 1.0, DRAWN), 2)
    if (
        EPS[dtype] > EPS["float32"]
    ):  # what is rounded to so few bits comes out otherwise seldom, and then by a whole one
        return (1 + EPS[dtype] * np.sign(drawn) * (np.abs(drawn) < FLIPPED)).astype(np.float32)
    return (1 + size * EPS[dtype] * drawn).astype(dtype)
