"""Principal components: the widest directions, the same way round each time, and how much of the variance they have."""

import numpy as np
import pytest

from ui.chapters.training.figures.space import principal

CHANCE = np.random.default_rng(3)
TABLE = CHANCE.normal(size=(12, 7)) * np.array([1, 9, 1, 4, 1, 1, 2]) + 5


def test_the_axes_are_those_of_the_covariance_the_widest_first() -> None:
    found = principal(TABLE, 3)
    sizes, axes = np.linalg.eigh(np.cov(TABLE.T))
    for axis, wanted in zip(found.axes, axes.T[::-1]):
        assert abs(axis @ wanted) == pytest.approx(1)
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(3), atol=1e-12)
    assert [principal(TABLE, count).share(TABLE) for count in (1, 2, 3, 7)] == pytest.approx(
        [sizes[::-1][:count].sum() / sizes.sum() for count in (1, 2, 3, 7)]
    )


def test_the_largest_number_of_an_axis_is_positive_whichever_way_the_vectors_point() -> None:
    for table in (TABLE, -TABLE, TABLE[::-1]):
        axes = principal(table, 3).axes
        assert (axes[np.arange(3), np.abs(axes).argmax(1)] > 0).all()
    np.testing.assert_allclose(principal(TABLE, 3).axes, principal(-TABLE, 3).axes, atol=1e-9)


def test_all_records_are_seen_from_one_place() -> None:
    found, moved = principal(TABLE, 2), TABLE + 3
    both = found.of(np.stack([TABLE, moved]))
    assert both.shape == (2, 12, 2)
    np.testing.assert_allclose(both[0].mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(both[1] - both[0], np.tile(3 * found.axes.sum(1), (12, 1)), atol=1e-9)
    assert found.share(moved) == pytest.approx(found.share(TABLE)), "where they lie is no part of how they differ"


def test_vectors_that_span_less_have_zeros_along_the_axes_that_are_left() -> None:
    line = np.outer([0.0, 1.0, 3.0], [1.0, 2.0, 2.0])
    found = principal(line, 3)
    assert found.share(line) == pytest.approx(1)
    np.testing.assert_allclose(np.abs(found.of(line)[:, 1:]), 0, atol=1e-9)
    same = principal(np.ones((4, 3)), 2)
    assert not same.axes.any()
    assert same.share(np.ones((4, 3))) == 1.0


def test_half_precision_is_as_good_as_it_can_be() -> None:
    np.testing.assert_allclose(
        principal(TABLE.astype(np.float16), 2).of(TABLE), principal(TABLE, 2).of(TABLE), atol=0.05
    )
