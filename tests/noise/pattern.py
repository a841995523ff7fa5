"""The noise itself: by which 1 + δ the elements of a result are multiplied."""

from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]

EPS = {"float32": 2.0**-23, "float64": 2.0**-52}
SUMMED, ONCE = 2.5, 1.0  # eps; why so large: `tests/noise/__init__.py`
EXACT = 12  # significant bits
# Of each type, the integer of its size, and the bits of it that no exact number has.
LOW = {"float32": (np.dtype(np.int32), (1 << 24 - EXACT) - 1), "float64": (np.dtype(np.int64), (1 << 53 - EXACT) - 1)}
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


@lru_cache(maxsize=4)
def _drawn(seed: int, size: float, dtype: str) -> Array:
    return (1 + size * EPS[dtype] * np.random.default_rng(seed).uniform(-1.0, 1.0, DRAWN)).astype(dtype)
