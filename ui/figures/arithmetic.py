"""A cell's arithmetic written out with its numbers, as HTML: operands in the colour of their tensor."""

import math
from collections.abc import Sequence

import numpy as np

MOST_TERMS = 24  # a longer sum shows its first and last terms and says how many it leaves out


def number(value: float, digits: int = 4) -> str:
    """`value` to `digits` significant digits, with a true minus sign: 0.0312, −1.204, 8.34e−5, −∞."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{digits}g}" if value == 0 or 1e-3 <= abs(value) < 10**digits else f"{value:.{digits - 1}e}"
    mantissa, _, exponent = text.partition("e")
    shown = mantissa if not exponent else f"{mantissa}e{int(exponent)}"
    return shown.replace("-", "−")


def operand(value: float, meaning: str = "", digits: int = 3) -> str:
    """A number inside a product: coloured by its meaning, in brackets if it is negative."""
    text = number(value, digits)
    if text.startswith("−"):
        text = f"({text})"
    return f'<span class="{meaning}">{text}</span>' if meaning else text


def sum_of_products(a: Sequence[float], b: Sequence[float], a_meaning: str = "", b_meaning: str = "") -> str:
    """`0.31·(−0.42) + 1.2·0.5 + …`, every term, or the first and last of a long sum."""
    terms = [f"{operand(x, a_meaning)}·{operand(y, b_meaning)}" for x, y in zip(a, b, strict=True)]
    return joined(terms)


def joined(terms: Sequence[str], sign: str = " + ") -> str:
    """Terms with a sign between them; the middle of a long row is counted instead of shown."""
    if len(terms) <= MOST_TERMS:
        return sign.join(terms)
    half = MOST_TERMS // 2
    left_out = f"… <small>({len(terms) - 2 * half})</small> …"
    return sign.join([*terms[:half], left_out, *terms[-half:]])


def equation(name: str, *sides: str, result: float, digits: int = 4) -> str:
    """`name = side = … = result` as one block; the result has the digits that the figure shows."""
    shown = " = ".join([f"<b>{name}</b>", *sides, f'<b class="chosen">{number(result, digits)}</b>'])
    return f'<div class="arithmetic">{shown}</div>'


def close(a: float, b: float, digits: int = 4) -> bool:
    """Whether two values print alike, but for the last digit's rounding."""
    return bool(np.isclose(a, b, rtol=10.0 ** (1 - digits), atol=1e-6, equal_nan=True))
