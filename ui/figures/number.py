"""Numbers as they are written everywhere: on the canvas, in sentences, in tooltips."""

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

_EXACT = Context(prec=1200)  # a float has fewer digits than that
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@lru_cache(maxsize=4096)  # a curve has the same numbers in every run
def number(value: float, digits: int = 4, *, power: bool = False) -> str:
    """`value` as the canvas writes it, without zeros at the end: 0.0312, −1.204, 8.34×10⁻⁵, −10⁹, −∞; with `power` all
    but 0 as the last three.

    The rule is that of `short` in assets/matrix/numbers.js.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = Decimal(abs(float(value)))  # exactly what the float is, so that a tie is one
    if not size or (_plain(size) and not power):
        places = max(0, min(8, digits - 1 - (size.adjusted() if size else 0)))
        text = f"{_to(size, -places):f}"
        shown = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        rounded = _to(size, size.adjusted() - digits + 1)
        mantissa = f"{rounded.scaleb(-rounded.adjusted()):f}"
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        shown = f"{'' if mantissa == '1' else f'{mantissa}×'}10{str(rounded.adjusted()).translate(_RAISED)}"
    return f"−{shown}" if value < 0 else shown


def alike(values: Sequence[float]) -> list[str]:
    """Numbers of one axis in one notation: where one of them needs a power of ten, all have one."""
    power = any(value and math.isfinite(value) and not _plain(Decimal(abs(value))) for value in values)
    return [number(value, power=power) for value in values]


def _plain(size: Decimal) -> bool:
    return Decimal("1e-4") <= size < Decimal("1e6")


def _to(size: Decimal, exponent: int) -> Decimal:
    """`size` as a multiple of 10^exponent; what lies halfway between two goes up, as in a browser."""
    return (size.scaleb(-exponent, _EXACT).to_integral_value(ROUND_HALF_UP)).scaleb(exponent, _EXACT)


def large_unit(lang: str) -> float:
    """In what large numbers are counted: Chinese has a word for ten thousand and none for a million."""
    return 1e4 if lang == "zh" else 1e6


def percent(probability: float, places: int = 2) -> str:
    """`99.98%`; what would be written as nothing is not nothing, nor is it all: `< 0.01%`, `> 99.99%`, whose sign stays
    on the line of its number."""
    least = 10.0 ** -(places + 2)
    if 0 < probability < least / 2:
        return f"<\N{NO-BREAK SPACE}{least:.{places}%}"
    if 1 - least / 2 <= probability < 1:
        return f">\N{NO-BREAK SPACE}{1 - least:.{places}%}"
    return f"{probability:.{places}%}"
