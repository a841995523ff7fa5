"""The noise itself: by which 1 + δ the elements of a result are multiplied."""

from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]

EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
SUMMED, ONCE, FLIPPED = 2.5, 1.0, 0.005  # eps, eps and a share; why so large: `tests/noise/__init__.py`
EXACT = 12  # significant bits
# The last bits of a type, which no exact number has.
LOW = {"float64": (1 << 53 - EXACT) - 1, "float32": (1 << 24 - EXACT) - 1, "float16": 63, "bfloat16": 31}
DRAWN = 1 << 20  # numbers, of which each result takes as many as it has elements

_seed = 0


def choose(seed: int) -> None:
    global _seed
    _seed = seed
    factors.cache_clear()


@lru_cache(maxsize=4096)
def factors(operation: str, size: float, shape: tuple[int, ...], dtype: str) -> Array:
    """Numbers between 1 - size·eps and 1 + size·eps, the same ones for the same operation and shape."""
    drawn = _drawn(_seed, size, dtype)
    count = int(np.prod(shape, dtype=int))
    first = crc32(f"{operation} {shape}".encode()) % DRAWN
    if first + count > DRAWN:
        return np.take(drawn, np.arange(first, first + count), mode="wrap").reshape(shape)
    return drawn[first : first + count].reshape(shape)


@lru_cache(maxsize=8)
def _drawn(seed: int, size: float, dtype: str) -> Array:
    drawn = np.random.default_rng(seed).uniform(-1.0, 1.0, DRAWN)
    if (
        EPS[dtype] > EPS["float32"]
    ):  # what is rounded to so few bits comes out otherwise seldom, and then by a whole one
        return (1 + EPS[dtype] * np.sign(drawn) * (np.abs(drawn) < FLIPPED)).astype(np.float32)
    return (1 + size * EPS[dtype] * drawn).astype(dtype)
