"""The curves and the wall of a run: what is drawn is what was reported."""

import numpy as np

from tests import series
from transformer_core.training.config import TrainConfig
from ui.chapters.training.figures.run import corrected, curves, probe_wall, verdict
from ui.chapters.training.values import pace
from ui.figures.curves import TICKS
from ui.figures.large import large_curves

LABELS = {name: name for name in ("step", "loss", "match", "rate", "guess", "predicted", "source")}


def drawn(at=3):
    steps = np.arange(5)
    loss = (steps, np.array([2.5, 2.0, 1.5, 0.25, 0.125], np.float32))
    match = (steps[[0, 4]], np.array([0.0, 0.75], np.float32))
    rate = (steps[1:], np.array([1e-3, 2e-3, 1e-3, 5e-4]))
    return curves(loss, match, rate, last=8, guess=2.398, at=at, labels=LABELS)


def series_of(shown):
    return series.drawn(shown.option["baseOption"])


def test_every_curve_holds_its_points():
    loss, match, rate = (one["data"] for one in series_of(drawn()))
    assert loss == [[0, 2.5, "2.5"], [1, 2.0, "2"], [2, 1.5, "1.5"], [3, 0.25, "0.25"], [4, 0.125, "0.125"]]
    assert match == [[0, 0.0, "0"], [4, 0.75, "0.75"]]
    assert rate[1] == [2, 0.002, "0.002"]


def test_the_tooltip_reads_what_is_written_as_on_the_canvas():
    assert "valueFormatter" not in drawn().option["baseOption"]["tooltip"]
    assert [one["encode"]["tooltip"] for one in series_of(drawn())] == [2, 2, 2]


def test_the_line_of_guessing_and_the_step_looked_at_are_marked():
    loss, match, rate = (one["markLine"]["data"] for one in series_of(drawn(at=3)))
    assert [mark.get("yAxis") for mark in loss] == [2.398, None]
    assert loss[1]["xAxis"] == match[0]["xAxis"] == rate[0]["xAxis"] == 3


def test_the_axis_reaches_to_the_last_step_from_the_start_so_that_nothing_moves():
    assert {axis["max"] for axis in drawn().option["baseOption"]["xAxis"]} == {8}


def test_its_numbers_are_written_as_on_the_canvas_and_on_a_phone_there_are_fewer():
    steps = np.array([0, 1500])
    flat = (steps, np.array([0.0, 1.0]))
    option = curves(flat, flat, (steps, np.array([2e-5, 1e-5])), last=1500, guess=2.4, at=0, labels=LABELS).option

    def numbers(some, axis):
        rules = [one["markLine"]["data"] for one in some if str(one.get("id")).startswith(TICKS)]
        return [[rule["label"]["formatter"] for rule in of_one if axis in rule] for of_one in rules]

    wide, narrow = option["baseOption"]["series"], option["media"][0]["option"]["series"]
    assert numbers(wide, "xAxis") == [["0", "500", "1000", "1500"], ["0", "1000"], ["0", "1500"]]
    assert numbers(wide, "yAxis")[2][::4] == ["0", "2×10⁻⁵"]
    assert numbers(narrow, "xAxis") == [[], [], ["0", "500", "1000", "1500"]]
    assert numbers(narrow, "yAxis") == [["0", "2.5"], ["0", "1"], ["0", "2×10⁻⁵"]]
    axes = option["baseOption"]["xAxis"] + option["baseOption"]["yAxis"]
    assert not any(axis["axisLabel"]["show"] for axis in axes)


def test_large_each_curve_has_a_plot_of_its_own():
    plots = large_curves(drawn(), "light")
    assert [plot.data[0]["name"] for plot in plots] == ["loss", "match", "rate"]
    assert [len(plot.data) for plot in plots] == [1, 1, 1]
    assert plots[1].data[0]["y"] == [0.0, 0.75]


def test_the_kinds_of_words_stand_with_the_exact_match_each_with_its_own_dash():
    steps = np.array([0, 10, 20])
    kinds = {"words": (steps, np.array([0, 0.5, 1])), "order": (steps, np.array([0, np.nan, 0.25]))}
    one, labels = (steps, np.ones(3)), LABELS | {"share": "share"}
    option = curves(one, one, one, last=20, guess=2.4, at=10, labels=labels, kinds=kinds).option["baseOption"]
    words, order = series.drawn(option)[3:]
    assert (words["name"], words["data"][1], words["yAxisIndex"]) == ("words", [10, 0.5, "0.5"], 1)
    assert (order["name"], order["data"][1], order["yAxisIndex"]) == ("order", [10, None, None], 1)
    assert words["lineStyle"] != order["lineStyle"]
    assert option["legend"]["data"] == ["match", "words", "order"]
    assert not drawn().option["baseOption"]["legend"]["show"]


def test_a_wrong_word_is_struck_through_and_the_right_one_stands_after_it():
    html = corrected("a <cat>", ["一", "本", "猫"], ["一", "只", "猫"], "should be", {})
    assert html.count("token right") == 2
    assert "<s>本</s> <b>只</b>" in html
    assert "a &lt;cat&gt;" in html


def test_the_wall_has_a_line_per_layer_and_names_the_token_to_predict():
    maps = np.random.default_rng(0).random((2, 3, 4, 5)).astype(np.float16)
    titles = [[f"layer {layer}, head {head}" for head in range(3)] for layer in range(2)]
    panels = probe_wall(maps, list("abcd"), list("vwxyz"), titles, LABELS)
    assert panels[4].title == "layer 1, head 1"
    assert [panel.place for panel in panels] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert panels[4].key == "cross.1.1"
    assert (list(panels[4].row_labels), list(panels[4].col_labels)) == (list("abcd"), list("vwxyz"))
    np.testing.assert_array_equal(panels[4].values, maps[1, 1])
    assert {panel.wall for panel in panels} == {3}
    named = probe_wall(maps, list("abcd"), list("vwxyz"), titles, LABELS, named=True)
    assert {panel.wall for panel in named} == {0}  # a wall of small panels leaves the names out


def test_a_wrong_token_carries_a_cross_and_what_it_should_have_been():
    html = verdict("output", [1, 7, 2], [1, 3, 2], "should be", {})
    assert html.count("✗") == html.count("token wrong") == 1
    assert 'title="should be 3">✗ 7<' in html


def test_a_name_a_token_and_a_hint_are_words_and_no_html():
    html = verdict("<b>output", ['<img src="x">', "b"], ["a", "b"], 'no "quotes" &', {})
    assert "<b>" not in html
    assert "<img" not in html
    assert "✗ &lt;img src=&quot;x&quot;&gt;<" in html
    assert 'title="no &quot;quotes&quot; &amp; a"' in html
    assert verdict("output", ["<a>"], [], "should be", {}).count("<a>") == 0


def test_what_is_written_past_the_end_of_the_answer_is_wrong():
    html = verdict("output", [1, 3, 2, 7], [1, 3, 2], "should be", {})
    assert html.count("token right") == 3
    assert html.endswith('<span class="token wrong">✗ 7</span></div>')


def test_an_output_without_an_answer_is_neither_right_nor_wrong():
    html = verdict("output", [1, 7], [], "should be", {})
    assert html.count('<span class="token">') == 2
    assert "right" not in html
    assert "✗" not in html


def test_a_run_of_many_seconds_is_looked_at_less_often_than_a_short_one():
    assert pace(TrainConfig()) == 0.5
    assert pace(TrainConfig(steps=5000)) == pace(TrainConfig.notes()) == 1.0


def test_on_a_phone_the_plots_and_the_words_of_the_kinds_have_each_a_place_of_their_own():
    steps = np.array([0, 8])
    flat, labels = (steps, np.array([0.0, 1.0])), LABELS | {"share": "share"}
    shown = curves(flat, flat, flat, last=8, guess=2.4, at=0, labels=labels, kinds={"words": flat, "order": flat})
    name, letters = 8 + 14, 20  # px: of an axis' name above its plot; of the steps, and of the legend
    plots = shown.option["media"][0]["option"]["grid"]
    tops, bottoms = [plot["top"] for plot in plots], [plot["top"] + plot["height"] for plot in plots]
    assert tops[0] >= name
    assert all(below - above >= name for above, below in zip(bottoms, tops[1:]))
    assert bottoms[-1] + letters <= shown.height - letters
