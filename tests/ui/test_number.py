"""Numbers as they are written, in Python and on the canvas alike."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.javascript import Ask, asking
from tests.written import read
from ui.figures.number import number, percent

CASES = [
    (0.0, "0"), (0.21875, "0.2188"), (-1.5, "−1.5"), (3.0, "3"), (0.00031234, "0.0003123"),
    (8.3344e-05, "8.334×10⁻⁵"), (1234.56, "1235"), (120.0, "120"), (-45678.9, "−45679"),
    (float("-inf"), "−∞"), (float("inf"), "∞"), (float("nan"), "NaN"), (-1e9, "−10⁹"),
    (2.5e7, "2.5×10⁷"), (1.5e-12, "1.5×10⁻¹²"),
    (8.34e-05, "8.34×10⁻⁵"), (2e7, "2×10⁷"), (0.1, "0.1"), (9.99996e-05, "10⁻⁴"), (0.00012345, "0.0001234"),
    (1234.5, "1235"), (2.5e-05, "2.5×10⁻⁵"), (999999.5, "1000000"), (5e-324, "4.941×10⁻³²⁴"),
]  # fmt: skip
VALUES = st.floats() | st.floats(-1e7, 1e7) | st.integers(-(10**9), 10**9).map(lambda size: size / 64)


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with asking() as ask:
        yield ask


@pytest.mark.parametrize(("value", "shown"), CASES)
def test_numbers_have_as_many_digits_as_they_mean(value: float, shown: str) -> None:
    assert number(value) == shown


def test_numbers_of_an_array_are_written_as_they_are() -> None:
    assert [number(value) for value in (np.float32(0.1), np.int64(-3), np.float64(8.34e-5))] == [
        "0.1",
        "−3",
        "8.34×10⁻⁵",
    ]


def test_the_canvas_writes_the_same(ask: Ask) -> None:
    assert ask("short", [(repr(value), 4) for value, _ in CASES]) == [shown for _, shown in CASES]


@given(st.lists(st.tuples(VALUES, st.integers(1, 9)), min_size=20))
@example([(8.34e-05, 4), (0.5, 1), (2.5, 1), (999.9999999999999, 3), (1000.0, 3), (-0.0, 4)])
def test_any_number_is_written_alike(ask: Ask, numbers: list[tuple[float, int]]) -> None:
    assert ask("short", [(repr(value), digits) for value, digits in numbers]) == [
        number(value, digits) for value, digits in numbers
    ]


@pytest.mark.parametrize("value", [8.3344e-05, -1e9, 1e-6, 2.5e7, -0.25, 0.0])
def test_what_is_written_can_be_read_back(value: float) -> None:
    assert read(number(value)) == pytest.approx(value, rel=1e-3)


def test_a_share_is_nothing_or_all_only_where_it_is_exactly_that() -> None:
    shares = {0.0: "0.00%", 5e-5: "0.01%", 0.5: "50.00%", 0.99994: "99.99%", 1.0: "100.00%"}
    assert {share: percent(share) for share in shares} == shares
    assert [percent(share) for share in (1e-30, 0.99996)] == ["<\xa00.01%", ">\xa099.99%"]
    assert [percent(share, 0) for share in (0.0, 0.004, 0.125, 0.9, 0.996, 1.0)] == [
        "0%", "<\xa01%", "12%", "90%", ">\xa099%", "100%",
    ]  # fmt: skip
