"""A cell's arithmetic written out with its numbers, as HTML: operands in the colour of their tensor."""

import math
from collections.abc import Sequence

import numpy as np

Numbers = Sequence[float] | np.ndarray

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

MOST_TERMS = 24  # a longer sum shows its first and last terms and says how many it leaves out


def number(value: float, digits: int = 4) -> str:
    """`value` as the canvas writes it, without zeros at the end: 0.0312, −1.204, 8.34×10⁻⁵, −10⁹, −∞."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if size == 0 or 1e-4 <= size < 1e6:
        before = math.floor(math.log10(size)) + 1 if size else 1
        text = f"{size:.{max(0, min(8, digits - before))}f}"
        shown = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        mantissa, _, exponent = f"{size:.{digits - 1}e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        shown = f"{'' if mantissa == '1' else f'{mantissa}×'}10{str(int(exponent)).translate(_RAISED)}"
    return f"−{shown}" if value < 0 else shown


def operand(value: float, meaning: str = "", digits: int = 3) -> str:
    """A number inside a product: coloured by its meaning, in brackets if it is negative or has a power of ten."""
    text = number(value, digits)
    if text.startswith("−") or text[-1] in "⁰¹²³⁴⁵⁶⁷⁸⁹":
        text = f"({text})"
    return f'<span class="{meaning}">{text}</span>' if meaning else text


def sum_of_products(a: Numbers, b: Numbers, a_meaning: str = "", b_meaning: str = "") -> str:
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


def projected(name: str, x: Numbers, weight: Numbers, bias: float = 0.0, meaning: str = "", digits: int = 4) -> str:
    """One number out of a linear layer: a row of x times a row of torch's weight, plus the bias."""
    result = _dot(x, weight) + bias
    side = f"{sum_of_products(x, weight, meaning)} + {operand(bias)}"
    return equation(name, side, result=result, digits=digits)


def product(name: str, a: Numbers, b: Numbers, a_meaning: str = "", b_meaning: str = "", digits: int = 4) -> str:
    """One number of a matrix product: the sum over a row of the one and a row or column of the other."""
    return equation(name, sum_of_products(a, b, a_meaning, b_meaning), result=_dot(a, b), digits=digits)


def scaled(name: str, value: float, size: int, digits: int = 4) -> str:
    """`value / √size`, the scale of a dot product of `size` terms."""
    root = math.sqrt(size)
    sides = [f"{operand(value, digits=digits)} / √{size}", f"{operand(value, digits=digits)} / {number(root)}"]
    return equation(name, *sides, result=value / root, digits=digits)


def exponential(name: str, value: float, largest: float, digits: int = 4) -> str:
    """`e^(value − largest)`: softmax is the same for any number taken away; the largest keeps e^ from overflowing."""
    away = value - largest
    difference = f"{operand(value, digits=digits)} − {operand(largest, digits=digits)}"
    sides = [f"e<sup>{difference}</sup>", f"e<sup>{number(away, digits)}</sup>"]
    return equation(name, *sides, result=math.exp(away), digits=digits)


def share(name: str, parts: Numbers, at: int, digits: int = 4) -> str:
    """`part / (part + part + …)`: the last step of a softmax, where the parts are its exponentials."""
    total = float(np.sum(np.asarray(parts, dtype=np.float64)))
    mine = f'<span class="chosen">{number(parts[at], digits)}</span>'
    terms = [mine if index == at else number(part, 3) for index, part in enumerate(parts)]
    sides = [f"{mine} / ({joined(terms)})", f"{mine} / {number(total, digits + 2)}"]
    return equation(name, *sides, result=parts[at] / total, digits=digits)


def _dot(a: Numbers, b: Numbers) -> float:
    return float(np.dot(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)))
