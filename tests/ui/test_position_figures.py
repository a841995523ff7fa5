"""Curves and clock hands of the position code."""

import math
import re

import numpy as np

from ui.figures.clocks import clocks
from ui.figures.positions import curves, tint

X = np.array([1, 2, 4])


def test_a_range_on_a_logarithmic_axis_is_given_in_powers_of_ten() -> None:
    assert curves(X, {"a": X}, "light", log_y=True, y_range=(0.01, 1000)).layout.yaxis.range == (-2, 3)
    assert curves(X, {"a": X}, "light", y_range=(-1, 1)).layout.yaxis.range == (-1, 1)


def test_a_level_runs_from_end_to_end_at_its_height_whatever_the_axis() -> None:
    level = curves(X, {"a": X}, "light", levels={"2π": 6.28}, log_y=True).data[-1]
    assert (list(level.x), list(level.y), level.text[0]) == ([1, 4], [6.28, 6.28], "2π")


def test_named_curves_are_dashed_and_a_single_curve_needs_no_legend() -> None:
    figure = curves(X, {"a": X, "b": -X}, "dark", dashed=["b"])
    assert [line.line.dash for line in figure.data] == ["solid", "dash"]
    assert figure.layout.showlegend
    assert not curves(X, {"a": X}, "dark").layout.showlegend


def test_pairs_have_different_colours() -> None:
    assert len({tint(index, 4, "light") for index in range(4)}) == 4


def test_a_hand_points_where_its_angle_says_and_the_sector_covers_the_turn() -> None:
    picture = clocks(np.array([0.5, 1.0]), np.array([2.0, 9.0]), ["a", "b"], "light", alt="hands")
    assert re.findall(r"rotate\(([\d.]+)rad\)", picture) == ["0.5000", "2.0000", "1.0000", "9.0000"]
    assert re.findall(r"from ([\d.]+)rad, \S+ 0 ([\d.]+)rad", picture) == [
        ("0.5000", "1.5000"),
        ("1.0000", f"{2 * math.pi:.4f}"),  # more than a turn is a whole one
    ]
    assert re.findall(r">\+([\d.]+)<", picture) == ["1.5", "8"]
