"""Numbers as they are written."""

import pytest

from tests.written import read
from ui.figures.number import number, percent


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


@pytest.mark.parametrize("value", [8.3344e-05, -1e9, 1e-6, 2.5e7, -0.25, 0.0])
def test_what_is_written_can_be_read_back(value: float) -> None:
    assert read(number(value)) == pytest.approx(value, rel=1e-3)


def test_a_share_is_nothing_or_all_only_where_it_is_exactly_that() -> None:
    shares = {0.0: "0.00%", 1e-30: "< 0.01%", 5e-5: "0.01%", 0.5: "50.00%", 0.99994: "99.99%", 0.99996: "> 99.99%"}
    assert {share: percent(share) for share in [*shares, 1.0]} == shares | {1.0: "100.00%"}
