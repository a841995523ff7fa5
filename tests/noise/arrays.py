"""Noise in what NumPy computes by functions of its own names, as `np.exp(x)`. `a @ b` is nobody's to follow."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from tests.noise.pattern import LOW, ONCE, SUMMED, WHOLE, factors

FUNCTIONS = "exp exp2 expm1 log log2 log10 log1p sin cos tan tanh power"
SUMS = "dot vdot inner matmul tensordot einsum"
LINEAR = "norm svd"


def begin() -> None:
    for names, room, size in ((FUNCTIONS, np, ONCE), (SUMS, np, SUMMED), (LINEAR, np.linalg, SUMMED)):
        for name in names.split():
            setattr(room, name, _with_noise(getattr(room, name), name, size))


def _with_noise(function: Callable[..., Any], name: str, size: float) -> Callable[..., Any]:
    @wraps(function)
    def noisy(*args: Any, **kwargs: Any) -> Any:
        out = function(*args, **kwargs)
        return (
            type(out)(*(_noisy(one, name, size) for one in out)) if isinstance(out, tuple) else _noisy(out, name, size)
        )

    return noisy


def _noisy(out: Any, name: str, size: float) -> Any:
    kind = str(getattr(out, "dtype", ""))
    if kind not in WHOLE or not out.size:
        return out
    exact = (out.view(WHOLE[kind]) & LOW[kind] == 0) | (out == np.round(out))
    return np.where(exact, out, out * factors(name, size, out.shape, kind))[()]
