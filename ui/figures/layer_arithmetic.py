"""The arithmetic of what stands around attention, written out: sums, means, spreads, normalisation, ReLU, dropout."""

import math
from collections.abc import Sequence

import numpy as np

from ui.figures.arithmetic import equation, joined, number, operand


def added(name: str, a: float, b: float, a_meaning: str = "", b_meaning: str = "", digits: int = 4) -> str:
    """`a + b`."""
    side = f"{operand(a, a_meaning, digits)} + {operand(b, b_meaning, digits)}"
    return equation(name, side, result=a + b, digits=digits)


def times_root(name: str, value: float, size: int, digits: int = 4) -> str:
    """`value · √size`."""
    root = math.sqrt(size)
    sides = [f"{operand(value, digits=digits)}·√{size}", f"{operand(value, digits=digits)}·{number(root)}"]
    return equation(name, *sides, result=value * root, digits=digits)


def mean_of(name: str, values: Sequence[float], digits: int = 4) -> str:
    """`(x + x + …) / n`."""
    side = f"({joined([operand(value) for value in values])}) / {len(values)}"
    return equation(name, side, result=_mean(values), digits=digits)


def spread_of(name: str, values: Sequence[float], less: int, eps: float = 0.0, digits: int = 4) -> str:
    """`√(((x − mean)² + …) / (n − less) + eps)`: less = 1 is the unbiased standard deviation, 0 the biased one."""
    mean = _mean(values)
    squares = [f"({operand(value)} − {operand(mean)})²" for value in values]
    count = f"{len(values)} − {less}" if less else str(len(values))
    inside = f"({joined(squares)}) / ({count})" + (f" + {number(eps)}" if eps else "")
    variance = float(np.sum((np.asarray(values, dtype=np.float64) - mean) ** 2)) / (len(values) - less) + eps
    return equation(name, f"√({inside})", f"√{operand(variance, digits=4)}", result=math.sqrt(variance), digits=digits)


def normalised(
    name: str, value: float, mean: float, spread: float, gain: float, shift: float, eps: float = 0.0, digits: int = 4
) -> str:
    """`gain·(value − mean) / (spread + eps) + shift`; without eps where the spread already holds it."""
    below = f"({number(spread)} + {number(eps)})" if eps else operand(spread, digits=4)
    top = f"({operand(value, digits=digits)} − {operand(mean, digits=digits)})"
    result = gain * (value - mean) / (spread + eps) + shift
    side = f"{operand(gain, digits=digits)}·{top} / {below} + {operand(shift, digits=digits)}"
    return equation(name, side, result=result, digits=digits)


def rectified(name: str, value: float, digits: int = 4) -> str:
    """`max(0, value)`."""
    return equation(name, f"max(0, {number(value, digits)})", result=max(0.0, value), digits=digits)


def length_of(name: str, values: Sequence[float], digits: int = 4) -> str:
    """`√(x² + x² + …)`, the length of a vector."""
    squares = float(np.sum(np.asarray(values, dtype=np.float64) ** 2))
    side = f"√({joined([f'{operand(value)}²' for value in values])})"
    return equation(name, side, f"√{operand(squares, digits=4)}", result=math.sqrt(squares), digits=digits)


def thinned(name: str, value: float, kept: bool, p: float, digits: int = 4) -> str:
    """`value / (1 − p)` for a number that dropout keeps, `0` for one that it drops."""
    if not kept:
        return equation(name, f"0·{operand(value, digits=digits)}", result=0.0, digits=digits)
    sides = [
        f"{operand(value, digits=digits)} / (1 − {number(p)})",
        f"{operand(value, digits=digits)} / {number(1 - p)}",
    ]
    return equation(name, *sides, result=value / (1 - p), digits=digits)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(np.asarray(values, dtype=np.float64)))
