"""Numbers as they are written everywhere: on the canvas, in sentences, in tooltips."""

import math
from functools import lru_cache

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@lru_cache(maxsize=4096)  # a curve has the same numbers in every run
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


def percent(probability: float) -> str:
    """`99.98%`; what would be written as nothing is not nothing, nor is it all."""
    if 0 < probability < 5e-5:
        return "< 0.01%"
    return "> 99.99%" if 1 - 5e-5 <= probability < 1 else f"{probability:.2%}"
