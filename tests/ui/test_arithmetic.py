"""The arithmetic under a chosen cell."""

import math

import numpy as np
import pytest

from tests.written import read
from ui.figures.arithmetic import (
    MOST_TERMS,
    equation,
    exponential,
    number,
    operand,
    product,
    projected,
    scaled,
    share,
    sum_of_products,
)
from ui.figures.layer_arithmetic import length_of


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"), (0.21875, "0.2188"), (-1.5, "−1.5"), (3.0, "3"), (0.00031234, "0.0003123"),
        (8.3344e-05, "8.334×10⁻⁵"), (1234.56, "1235"), (120.0, "120"), (-45678.9, "−45679"),
        (float("-inf"), "−∞"), (float("inf"), "∞"), (float("nan"), "NaN"), (-1e9, "−10⁹"),
        (2.5e7, "2.5×10⁷"), (1.5e-12, "1.5×10⁻¹²"),
    ],
)  # fmt: skip
def test_numbers_have_as_many_digits_as_they_mean(value: float, shown: str) -> None:
    assert number(value) == shown


def test_negative_operands_stand_in_brackets() -> None:
    assert operand(-0.42, "k") == '<span class="k">(−0.42)</span>'
    assert sum_of_products([2, 0.5], [-1, 4]) == "2·(−1) + 0.5·4"


def test_a_power_of_ten_stands_in_brackets_among_other_factors() -> None:
    assert operand(8e-5) == "(8×10⁻⁵)"
    assert "= √((10⁻⁶)² + (2×10⁻⁶)²) = √(5×10⁻¹²) =" in length_of("x", [1e-6, 2e-6])


@pytest.mark.parametrize("value", [8.3344e-05, -1e9, 1e-6, 2.5e7, -0.25, 0.0])
def test_what_is_written_can_be_read_back(value: float) -> None:
    assert read(number(value)) == pytest.approx(value, rel=1e-3)


def test_a_long_sum_says_how_many_terms_it_leaves_out() -> None:
    ones = np.ones(64)
    assert f"({64 - MOST_TERMS})" in sum_of_products(ones, ones)


def test_an_equation_ends_with_the_cell() -> None:
    assert equation("x", "1·2", result=2.0).endswith('<b class="chosen">2</b></div>')


def ends_with(html: str, value: float) -> bool:
    return html.endswith(f'<b class="chosen">{number(value)}</b></div>')


def test_a_long_product_counts_all_its_terms() -> None:
    assert ends_with(product("x", np.arange(1, 31), np.full(30, 2.0)), 930)


def test_a_linear_layer_adds_its_bias() -> None:
    html = projected("x", [1, 2], [3, -1], 0.25)
    assert "1·3 + 2·(−1) + 0.25" in html
    assert ends_with(html, 1.25)


def test_a_dot_product_is_divided_by_the_root_of_its_length() -> None:
    html = scaled("s", -3.0, 16)
    assert "(−3) / √16 = (−3) / 4" in html
    assert ends_with(html, -0.75)


def test_softmax_takes_the_largest_away_before_the_power() -> None:
    html = exponential("e", 1.0, 3.0)
    assert "e<sup>1 − 3</sup> = e<sup>−2</sup>" in html
    assert ends_with(html, math.exp(-2))


def test_a_share_is_one_part_of_the_sum_of_all() -> None:
    html = share("α", [1.0, 0.25, 0.5], 1)
    assert "/ 1.75" in html
    assert ends_with(html, 1 / 7)
    assert ends_with(share("α", [2.0], 0), 1.0)
