"""The large view shows the panel's own numbers on its own scale, and its table is the panel with its labels."""

import csv
import dataclasses
import io
import re

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

from tests.test_structure import our_sources
from transformer_core import picture
from ui.chapters.training.figures.run import curves as run_curves
from ui.figures.axes import XAxis, YAxis
from ui.figures.board import Panel
from ui.figures.curves import Marks, Style, curves
from ui.figures.large import columns_table, heatmap, large_curves, table

VALUES = np.array([[0.5, -2.0, 1.25], [3.0, 0.0, -1e-5]])
PANEL = Panel(
    "x", VALUES, "vectors", ["a", "b"], ["0", "0", "2"], "row axis", "column axis",
    blocked=np.array([[False, True, False], [False, False, False]]),
)  # fmt: skip


def test_a_heatmap_has_the_panels_cells_scale_and_labels() -> None:
    plot = heatmap(PANEL, "light")
    trace = plot.data[0]
    np.testing.assert_array_equal(trace["z"], [[0.5, np.nan, 1.25], [3.0, 0.0, -1e-5]])
    assert (trace["zmin"], trace["zmax"]) == (-3.0, 3.0)
    assert trace["text"][1][2] == "−10⁻⁵"
    assert plot.layout["xaxis"]["ticktext"] == ["0", "0", "2"]
    assert plot.layout["yaxis"]["range"] == [1.5, -0.5]  # the first row above
    go.Figure(plot.data, plot.layout)  # Plotly knows every property


@pytest.mark.parametrize("columns", [4, 90])
def test_a_page_and_a_notebook_draw_the_same_cells_under_the_same_names(columns: int) -> None:
    values = np.random.default_rng(0).normal(size=(3, columns))
    names = [f"r{at}" for at in range(3)], [f"c{at}" for at in range(columns)]
    notebook = picture.heatmap("x", torch.tensor(values)[None], rows=names[0], columns=names[1])
    page = heatmap(Panel("x", values, "x", *names), "light")
    (drawn,), trace = notebook.data, page.data[0]
    np.testing.assert_array_equal(drawn.z, trace["z"])
    assert [*map(list, drawn.customdata)] == trace["customdata"]
    for axis in ("xaxis", "yaxis"):
        for part in ("tickvals", "ticktext", "range"):
            assert list(notebook.layout[axis][part]) == list(page.layout[axis][part])
    assert len(page.layout["xaxis"]["ticktext"]) == (columns if columns <= picture.NAMED else columns // 3)


def test_no_other_file_draws_a_matrix_with_plotly() -> None:
    kind = re.compile(r"""["']type["']: ["']heatmap["']""")
    drawing = [path for path in our_sources() if kind.search(path.read_text("utf-8"))]
    assert [path.name for path in drawing] == ["picture.py"]


def test_masked_cells_are_hatched_in_their_places_and_no_others() -> None:
    hatched = heatmap(PANEL, "light").data[1]
    assert (hatched["x"].tolist(), hatched["base"].tolist(), hatched["y"].tolist()) == ([1], [-0.5], [1])
    assert hatched["marker"]["pattern"]["shape"] == "/"
    bare = dataclasses.replace(PANEL, blocked=None, vacant=PANEL.blocked)
    assert [trace["type"] for trace in heatmap(bare, "light").data] == ["heatmap"]
    assert np.isnan(heatmap(bare, "light").data[0]["z"][0, 1])  # an empty cell stays blank


def test_a_mask_is_large_without_a_scale_and_hatched_where_it_says_no() -> None:
    trace, hatched = heatmap(Panel("m", np.tri(3, 4, dtype=bool), scale="mask"), "dark").data
    assert not trace["showscale"]
    assert set(zip(hatched["base"] + 0.5, hatched["x"])) == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}


def test_of_a_window_the_shown_cells_are_large_too() -> None:
    panel = Panel("x", np.arange(20.0).reshape(4, 5), window=(slice(1, 3), slice(2, 5)))
    assert heatmap(panel, "dark").data[0]["z"].tolist() == [[7, 8, 9], [12, 13, 14]]


def test_the_table_of_a_panel_has_its_labels_around_its_numbers() -> None:
    rows = list(csv.reader(io.StringIO(table(PANEL))))
    assert rows[0] == ["vectors", "0", "0", "2"]
    assert rows[2] == ["b", "3.0", "0.0", "-1e-05"]


def test_the_table_of_curves_has_their_names_above_its_columns() -> None:
    assert columns_table(np.array([[1.0, 0.5]]), ["step", "loss"]) == "step,loss\n1.0,0.5\n"
    assert columns_table(np.array([[1.0, 0.5]]), []) == "0,1\n1.0,0.5\n"


@pytest.mark.parametrize("log", [False, True])
def test_large_curves_have_the_points_and_axes_of_the_small_ones(log: bool) -> None:
    x = np.array([1.0, 2.0, 4.0])
    small = curves(
        x, {"one": x**2, "two": -x}, x_axis=XAxis("n", log=log), y_axis=YAxis("y"), style=Style(dashed=["two"])
    )
    (plot,) = large_curves(small, "light")
    assert [trace["name"] for trace in plot.data] == ["one", "two"]
    assert plot.data[0]["y"] == [1, 4, 16]
    assert plot.data[1]["line"]["dash"] == "dash"
    assert plot.layout["xaxis"]["title"]["text"] == "n"
    assert (plot.layout["xaxis"].get("type") == "log") == log
    go.Figure(plot.data, plot.layout)


def test_large_axes_have_the_ends_of_the_small_ones_and_lines_their_words() -> None:
    x = np.array([1.0, 10.0, 100.0])
    small = curves(
        x,
        {"a": x, "b": 2 * x},
        x_axis=XAxis(log=True),
        y_axis=YAxis(range=(-1, 300)),
        style=Style(end_labels={"b": "2n"}),
    )
    (plot,) = large_curves(small, "light")
    assert (plot.layout["xaxis"]["range"], plot.layout["yaxis"]["range"]) == ([0, 2], [-1, 300])
    (end,) = plot.layout["annotations"]
    assert (end["text"], end["x"], end["y"]) == ("2n", 2, 200)
    assert plot.layout["margin"]["r"] > 20, "there is room for them"
    go.Figure(plot.data, plot.layout)


def test_large_axes_write_numbers_as_the_canvas_does() -> None:
    x = np.array([1.0, 4000.0])
    (plot,) = large_curves(curves(x, {"a": x}, x_axis=XAxis(log=True)), "light")
    across, up = plot.layout["xaxis"], plot.layout["yaxis"]
    assert dict(zip(across["tickvals"], across["ticktext"]))[1000] == "1000"
    assert (up["exponentformat"], up["minexponent"]) == ("power", 5), "4000, not 0.4×10⁴"
    assert plot.layout["separators"] == ".", "10000, not 10,000"
    go.Figure(plot.data, plot.layout)


def test_the_rules_of_curves_stand_large_too_with_their_names() -> None:
    x = np.array([1.0, 2.0, 4.0])
    drawn = {"a": x, "b": -x}
    small = curves(x, drawn, y_axis=YAxis(log=True), marks=Marks(levels={"top": 100}, uprights={"end": 2.5}))
    (plot,) = large_curves(small, "light")
    level, upright = plot.layout["shapes"]
    assert (level["y0"], level["y1"], level["line"]["dash"]) == (100, 100, "dot")
    assert (upright["x0"], upright["x1"]) == (2.5, 2.5)
    over, beside = plot.layout["annotations"]
    assert (over["text"], over["y"]) == ("top", 2)  # where words stand, Plotly counts the powers of ten
    assert (beside["text"], beside["x"]) == ("end", 2.5)
    go.Figure(plot.data, plot.layout)

    (plot,) = large_curves(
        curves(x, drawn, marks=Marks(limits={"b": [1.5, 3]}), style=Style(colors=["#111111", "#222222"])), "light"
    )
    assert [(rule["x0"], rule["line"]["color"]) for rule in plot.layout["shapes"]] == [(1.5, "#222222"), (3, "#222222")]
    assert "annotations" not in plot.layout


def test_a_rule_stands_on_the_axes_of_its_own_curve() -> None:
    steps = np.arange(3.0)
    labels = {name: name for name in ("loss", "match", "rate", "step", "guess")}
    small = run_curves((steps, steps), (steps, steps), (steps, steps), last=2, guess=1.5, at=1, labels=labels)
    loss, match, rate = large_curves(small, "dark")
    assert [shape["line"]["dash"] for shape in loss.layout["shapes"]] == ["dash", "solid"]
    assert [[shape["x0"] for shape in plot.layout["shapes"]] for plot in (match, rate)] == [[1], [1]]
    assert [words["text"] for words in loss.layout["annotations"]] == ["guess"]
    go.Figure(loss.data, loss.layout)
