"""A number as the product writes it, read back."""

import re

_PLAIN = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")


def read(text: str) -> float:
    """8.334×10⁻⁵ -> 8.334e-05, −10⁹ -> -1e9, −0.5 -> -0.5."""
    power = re.fullmatch(r"(−?)(?:([0-9.]+)×)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    if power:
        sign, mantissa, exponent = power.groups()
        return float(f"{sign}{mantissa or 1}e{exponent}".translate(_PLAIN))
    return float(text.translate(_PLAIN))
