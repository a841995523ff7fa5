"""Curves, and the clock hands of the position code: what is drawn is what was given."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests import series
from ui.chapters.positions.figures.clocks import clocks
from ui.figures.axes import XAxis, YAxis, upright
from ui.figures.curves import Dots, Line, Marks, Style, curves, tint

X = np.array([1, 2, 4])


def whole(x: np.ndarray, lines: Mapping[str, Line], **more: Any) -> dict[str, Any]:
    """The option object, as it arrives in the browser."""
    option: dict[str, Any] = json.loads(json.dumps(curves(x, lines, **more).option, allow_nan=False))
    return option


def drawn(x: np.ndarray, lines: Mapping[str, Line], **more: Any) -> dict[str, Any]:
    """The same without the series that has the numbers of the axes."""
    option = whole(x, lines, **more)
    return option | {"series": series.drawn(option)}


def numbers(axis: str, x: np.ndarray, lines: Mapping[str, Line], **more: Any) -> list[str]:
    """What is written along an axis, in the order of its places."""
    rules = whole(x, lines, **more)["series"][0]["markLine"]["data"]
    return [rule["label"]["formatter"] for rule in rules if axis in rule]


def test_every_number_arrives_and_what_is_no_number_is_a_gap() -> None:
    option = drawn(X, {"a": np.array([0.25, np.nan, 1 / 3]), "b": -X})
    assert [line["data"] for line in option["series"]] == [
        [[1, 0.25, "0.25"], [2, None, None], [4, 0.3333333, "0.3333"]],
        [[1, -1, "−1"], [2, -2, "−2"], [4, -4, "−4"]],
    ]
    assert (option["xAxis"]["min"], option["xAxis"]["max"]) == (1, 4)


def test_the_tooltip_reads_numbers_as_the_canvas_writes_them() -> None:
    option = drawn(X, {"a": 6.25e-5 * X}, dots={"seen": Dots(X, -X, "#123456")}, marks=Marks(points={"here": (1, 1e7)}))
    assert "valueFormatter" not in option["tooltip"], "it would write 6.25e-05, and pass over what is written already"
    read = [one["encode"]["tooltip"] for one in option["series"]]
    words = [one["data"][0][column] for one, column in zip(option["series"], read, strict=True)]
    assert words == ["6.25×10⁻⁵", "−1", "10⁷"]
    assert [one["dimensions"][2]["type"] for one in option["series"]] == ["ordinal"] * 3


def test_the_tooltip_says_the_x_as_the_canvas_writes_it_and_no_second_time() -> None:
    option = whole(
        np.array([-3000, 1, 2.5]),
        {"a": X},
        x_axis=XAxis("distance"),
        dots={"seen": Dots(X[:1], X[:1], "#123456")},
    )
    at = option["series"][0]
    assert (at["name"], at["encode"]["tooltip"]) == ("distance", 2)
    assert [[place, words] for place, _, words in at["data"]] == [[-3000, "−3000"], [1, "1"], [2.5, "2.5"]]
    assert not option["xAxis"]["axisPointer"]["label"]["formatter"].strip(), "ECharts would write -3,000"


def test_axes_have_round_numbers_written_as_on_the_canvas() -> None:
    wide = np.array([-30000.0, 30000.0])
    assert numbers("xAxis", wide, {"a": wide / 1e10}) == ["−20000", "0", "20000"]
    heights = numbers("yAxis", wide, {"a": wide / 1e10})
    assert heights == ["−3×10⁻⁶", "−2×10⁻⁶", "−10⁻⁶", "0", "10⁻⁶", "2×10⁻⁶", "3×10⁻⁶"]
    assert numbers("yAxis", X, {"a": np.array([0, 2e6, 1e6])})[:3] == ["0", "5×10⁵", "10⁶"], "in one notation"
    assert numbers("yAxis", X, {"a": X * 1e5}, y_axis=YAxis(log=True)) == ["10⁵", "10⁶"]
    option = whole(wide, {"a": wide})
    assert not any(option[axis][part]["show"] for axis in ("xAxis", "yAxis") for part in ("axisLabel", "splitLine"))
    assert option["grid"]["left"] > whole(X, {"a": X})["grid"]["left"], "there is room for them"


def test_few_whole_numbers_along_x_are_all_there_and_a_logarithmic_axis_has_powers() -> None:
    assert numbers("xAxis", np.arange(9), {"a": np.arange(9)}) == [str(at) for at in range(9)]
    narrow = np.array([-0.4, 0.4])
    assert numbers("xAxis", narrow, {"a": narrow}) == ["−0.4", "−0.2", "0", "0.2", "0.4"]
    assert numbers("xAxis", X, {"a": X}, x_axis=XAxis(log=True)) == ["1", "2", "4"]
    assert numbers("xAxis", np.array([4, 4096]), {"a": np.ones(2)}, x_axis=XAxis(log=True)) == [
        "4",
        "16",
        "64",
        "256",
        "1024",
        "4096",
    ]
    assert numbers("yAxis", X, {"a": X}, y_axis=YAxis(log=True, range=(1e-5, 1e6)))[::11] == ["10⁻⁵", "10⁶"]
    assert numbers("yAxis", X, {"a": 0.3 * X}, y_axis=YAxis(log=True)) == ["0.1", "1", "10"]


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("values", [[0.0], [2.0, 2.0, 2.0], [np.nan], [], [1e-30, 1e30]])
def test_every_height_lies_on_the_axis_and_one_alone_has_an_axis_too(values: list[float], log: bool) -> None:
    low, high, at = upright(np.array(values), None, log=log)
    assert low == at[0] < at[-1] == high
    assert all(low <= value <= high for value in values if not np.isnan(value) and (value or not log))


def test_a_range_fixes_the_ends_of_the_axis_and_without_one_they_are_round_numbers() -> None:
    axis = drawn(X, {"a": X}, y_axis=YAxis(log=True, range=(0.03, 30)))["yAxis"]
    assert (axis["type"], axis["min"], axis["max"]) == ("log", 0.03, 30)
    axis = drawn(X, {"a": 1.1 * X})["yAxis"]
    assert (axis["type"], axis["min"], axis["max"]) == ("value", 1, 5)


def test_an_upright_stands_at_its_place() -> None:
    option = drawn(X, {"a": X}, marks=Marks(levels={"top": 3.5}, uprights={"end": 2.5}))
    level, upright = option["series"][0]["markLine"]["data"]
    assert (level["yAxis"], upright["xAxis"], upright["label"]["formatter"]) == (3.5, 2.5, "end")


def test_a_level_lies_at_its_height_and_a_point_at_its_place_both_with_their_names() -> None:
    option = drawn(X, {"a": X, "b": -X}, marks=Marks(points={"here": (2, 2.5)}, levels={"2π": 6.28}))
    (level,) = option["series"][0]["markLine"]["data"]
    assert option["series"][0]["markLine"]["precision"] > 6, "ECharts would round the height of the rule to hundredths"
    assert (level["yAxis"], level["label"]["formatter"]) == (6.28, "2π")
    assert "markLine" not in option["series"][1]
    assert (option["series"][-1]["data"], option["series"][-1]["name"]) == ([[2, 2.5, "2.5"]], "here")
    assert option["legend"]["data"] == ["a", "b"]  # points carry their name themselves


def test_named_curves_are_dashed_and_a_single_curve_needs_no_legend() -> None:
    option = drawn(X, {"a": X, "b": -X}, style=Style(dashed=["b"]))
    assert [line["lineStyle"]["type"] for line in option["series"]] == ["solid", "dashed"]
    assert option["legend"]["show"]
    assert not drawn(X, {"a": X})["legend"]["show"]
    assert not drawn(X, {"a": X, "b": -X}, style=Style(legend="none"))["legend"]["show"], "another chart has it"


def test_pairs_have_different_colours() -> None:
    assert len({tint(index, 4) for index in range(4)}) == 4


def test_a_hand_points_where_its_angle_says_and_the_sector_covers_the_turn() -> None:
    picture = clocks(np.array([0.5, 1.0]), np.array([2.0, 9.0]), ["a", "b"], alt="hands")
    assert re.findall(r"rotate\(([\d.]+)rad\)", picture) == ["0.5000", "2.0000", "1.0000", "9.0000"]
    assert re.findall(r"from ([\d.]+)rad, color-mix\(.*?\) 0 ([\d.]+)rad", picture) == [
        ("0.5000", "1.5000"),
        ("1.0000", f"{2 * math.pi:.4f}"),  # more than a turn is a whole one
    ]
    assert re.findall(r">\+([\d.]+)<", picture) == ["1.5", "8"]


def test_a_line_may_have_an_x_of_its_own_and_its_formula_at_its_end() -> None:
    option = drawn(X, {"a": (np.array([3, 5]), np.array([1, 2])), "b": X}, style=Style(end_labels={"b": "n·d²"}))
    assert [line["data"] for line in option["series"]] == [
        [[3, 1, "1"], [5, 2, "2"]],
        [[1, 1, "1"], [2, 2, "2"], [4, 4, "4"]],
    ]
    assert "endLabel" not in option["series"][0]
    assert option["series"][1]["endLabel"]["formatter"] == "n·d²"
    assert option["grid"]["right"] > drawn(X, {"b": X})["grid"]["right"], "there is room for it"


def test_dots_lie_where_they_were_measured_and_are_named_in_the_legend() -> None:
    dots = {"seen": Dots(np.array([1, 4]), np.array([0.5, 2]), "#123456", "diamond")}
    option = drawn(X, {"a": X}, dots=dots)
    seen = option["series"][-1]
    assert (seen["type"], seen["data"], seen["symbol"]) == ("scatter", [[1, 0.5, "0.5"], [4, 2, "2"]], "diamond")
    assert option["legend"]["show"]
    assert [item["name"] if isinstance(item, dict) else item for item in option["legend"]["data"]] == ["a", "seen"]


def test_dots_may_say_more_than_their_height() -> None:
    dots = {"seen": Dots(X[:2], X[:2], "#123456", written=["first", "second"])}
    assert drawn(X, {"a": X}, dots=dots)["series"][-1]["data"] == [[1, 1, "first"], [2, 2, "second"]]


def test_names_along_x_are_where_the_numbers_would_be() -> None:
    option = drawn(np.arange(3), {"a": X, "b": (np.array([1, 2]), X[:2])}, x_axis=XAxis(stops=["start", "in", "out"]))
    assert (option["xAxis"]["type"], option["xAxis"]["data"]) == ("category", ["start", "in", "out"])
    assert [point[:2] for point in option["series"][1]["data"]] == [["in", 1], ["out", 2]]


def test_a_histogram_steps_between_its_bins_and_a_vertical_rule_has_the_colour_of_its_line() -> None:
    option = drawn(
        X,
        {"a": X, "b": X},
        x_axis=XAxis(bins=True),
        marks=Marks(limits={"b": [1.5, 3]}),
        style=Style(colors=["#111111", "#222222"]),
    )
    assert [line["step"] for line in option["series"]] == ["middle"] * 2
    rules = option["series"][1]["markLine"]
    assert ([rule["xAxis"] for rule in rules["data"]], rules["lineStyle"]["color"]) == ([1.5, 3], "#222222")
    assert "markLine" not in option["series"][0]


def test_names_without_room_beside_each_other_take_another_line_above_the_grid() -> None:
    def tops(*names: str) -> dict[int | None, int]:
        option = drawn(X, dict.fromkeys(names, X))
        assert option["legend"]["type"] == "plain"
        return {one.get("query", {}).get("maxWidth"): one["option"]["grid"]["top"] for one in option["media"]}

    short = tops("a", "b")
    assert [*short] == [None], "beside each other on every screen"
    long = tops("a name of 23 letters, 1", "a name of 22 letters, 2", "a name of 22 letters, 3")
    widths = [width for width in long if width is not None]
    assert widths == sorted(widths, reverse=True)
    assert [top - long[None] for top in long.values()] == [24 * at for at in range(len(long))]
    # Each has 23 letters of .56 · 15 px and a picture of 32 px; 16 px between them, and 88 % of the width for all.
    three, two = (count * (23 * 0.56 * 15 + 32) + (count - 1) * 16 for count in (3, 2))
    assert widths == pytest.approx([three / 0.88, two / 0.88], abs=2)
    assert drawn(X, {f"a name of 23 letters, {n}": X for n in range(9)})["legend"]["type"] == "scroll"
