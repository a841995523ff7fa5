"""A figure large, in Plotly, for its zoom and its camera; and its numbers as a table to take away."""

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from transformer_core.picture import cells, labelled, matrix_axes
from ui.figures.board import Panel
from ui.figures.curves import TICKS, Curves
from ui.figures.number import number
from ui.figures.plot import Plot, layout, level, upright
from ui.theme import Mode, color, in_hex, plotly_scale

HEIGHT = 540  # px: with what stands above it, a laptop's screen
ROW, AROUND, LEAST, MOST = 24, 130, 200, 480  # px of a matrix on the page: a row, what is around it, and its ends
ALLOWED = 150 / 255  # where on the scale a cell that may attend stands, as in assets/matrix/picture.js
BAR = 36  # px beside a picture for Plotly's upright bar of tools
DASHES = {"solid": "solid", "dashed": "dash", "dotted": "dot"}  # of ECharts, of Plotly


def heatmap(panel: Panel, mode: Mode) -> Plot:
    """The cells of a panel that are shown, on its own scale; masked ones hatched, empty ones blank."""
    values = panel.shown.astype(np.float64)
    masked = panel.hidden()
    for left_out in (masked, panel.vacant):
        if left_out is not None and panel.scale != "mask":
            values[np.asarray(left_out, dtype=bool)] = np.nan
    low, high = (0.0, 1 / ALLOWED) if panel.scale == "mask" else panel.ends()
    labels = panel.row_labels, panel.col_labels
    trace = cells(values, *labels, [[number(value) for value in row] for row in values.tolist()]) | {
        "zmin": low,
        "zmax": high,
        "colorscale": plotly_scale(mode, "signed" if panel.scale == "signed" else "probability"),
        "showscale": panel.scale != "mask",
        "colorbar": {"outlinewidth": 0, "thickness": 14, "exponentformat": "power"},
    }
    across, down = matrix_axes(panel.shape, *labels)
    x = across | {"title": {"text": panel.col_axis}, "side": "top"}
    y = down | {"title": {"text": panel.row_axis}}
    hatched = [] if masked is None or not masked.any() else [_hatched(masked, mode)]
    margin = {
        "l": 8,
        "r": BAR + (76 if trace["showscale"] else 0),
        "t": 24,
        "b": 8,
    }  # the bar beside the scale, whose numbers may be powers of ten
    return Plot([trace, *hatched], layout(mode, x, y, height=HEIGHT, margin=margin, showlegend=False))


def in_place(panel: Panel, mode: Mode, cell: tuple[int, int] | None) -> Plot:
    """The same among others on a page, under its title, its scale below it; a chosen cell is outlined."""
    (drawn, *more), common = heatmap(panel, mode)
    bar = {
        "orientation": "h",
        "thickness": 8,
        "len": 1,
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "top",
        "nticks": 3,
    }
    drawn |= {"colorbar": drawn["colorbar"] | bar, "showscale": drawn["showscale"] and not panel.wall}
    layout = {
        "height": min(MOST, max(LEAST, AROUND + ROW * panel.shape[0])),
        "title": {"text": panel.title, "font": {"size": 14}, "x": 0, "y": 1, "yanchor": "top", "pad": {"t": 4, "b": 12}}
        | {"yref": "container", "automargin": True},
        "margin": {"l": 8, "r": BAR, "t": 8, "b": 8},
    }
    for axis in ("xaxis", "yaxis"):
        small = {"font": {"size": 12}, "standoff": 4}
        layout[axis] = common[axis] | {"title": common[axis]["title"] | small}
    if cell:
        (y, x), line = cell, {"color": color("chosen", mode), "width": 2}
        layout["shapes"] = [{"type": "rect", "x0": x - 0.5, "x1": x + 0.5, "y0": y - 0.5, "y1": y + 0.5, "line": line}]
    return Plot([drawn, *more], common | layout)


def _hatched(masked: np.ndarray, mode: Mode) -> dict[str, Any]:
    """A hatched square over each masked cell, (rows, cols) bool."""
    rows, cols = np.nonzero(masked)
    return {
        "type": "bar",
        "x": cols,
        "y": np.ones(len(rows)),
        "base": rows - 0.5,
        "width": 0.98,
        "marker": {
            "color": color("background", mode),
            "line": {"width": 0},
            "pattern": {"shape": "/", "fgcolor": color("masked", mode), "size": 6, "solidity": 0.15},
        },
        "hoverinfo": "skip",
    }


def large_curves(curves: Curves, mode: Mode) -> list[Plot]:
    """The same lines, dots and rules, on the same axes: a plot for each pair of them; or the one that they bring."""
    if curves.large:
        return [curves.large(mode)]
    option = in_hex(curves.option.get("baseOption", curves.option), mode)
    x, y = (axes if isinstance(axes := option[name], list) else [axes] for name in ("xAxis", "yAxis"))
    return [
        _plot([series for series in option["series"] if series.get("xAxisIndex", 0) == at], *axes, mode)
        for at, axes in enumerate(zip(x, y))
    ]


def _plot(series: Sequence[dict[str, Any]], x: dict[str, Any], y: dict[str, Any], mode: Mode) -> Plot:
    # without the numbers of the axes: Plotly writes its own, anew where the reader zooms
    drawn = [one for one in series if not str(one.get("id")).startswith(TICKS)]
    ruled = [series["markLine"] for series in drawn if "markLine" in series]
    rules = [{"lineStyle": lines.get("lineStyle")} | rule for lines in ruled for rule in lines["data"]]
    marks = {
        "shapes": [_shape(rule) for rule in rules],
        "annotations": [
            *(_name(rule, x, y) for rule in rules if rule.get("label", {}).get("formatter")),
            *(_end(one, x, y) for one in drawn if "endLabel" in one),
        ],
    }
    drawn_too = {name: some for name, some in marks.items() if some}
    common = layout(mode, _axis(x), _axis(y), height=HEIGHT, showlegend=len(drawn) > 1, **drawn_too)
    ends = max((len(one["endLabel"]["formatter"]) for one in drawn if "endLabel" in one), default=0)
    return Plot(
        [_trace(series, mode) for series in drawn], common | {"margin": common["margin"] | {"r": BAR + 9 * ends}}
    )


def _shape(rule: dict[str, Any]) -> dict[str, Any]:
    style = rule["lineStyle"]
    line = {"color": style["color"], "width": style.get("width", 1.5), "dash": DASHES[style["type"]]}
    return upright(rule["xAxis"], line) if "xAxis" in rule else level(rule["yAxis"], line)


def _name(rule: dict[str, Any], x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    """To the right of an upright's foot, above a level's right end."""
    label = rule["label"]
    words = {"text": label["formatter"], "font": {"color": label["color"]}, "showarrow": False, "yanchor": "bottom"}
    if "xAxis" in rule:
        return words | {"x": _place(rule["xAxis"], x), "xanchor": "left", "xshift": 4, "y": 0, "yref": "y domain"}
    return words | {"x": 1, "xref": "x domain", "xanchor": "right", "y": _place(rule["yAxis"], y)}


def _end(line: dict[str, Any], x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    """What is written to the right of the last point of a line."""
    label, (at, height, *_) = line["endLabel"], next(point for point in reversed(line["data"]) if point[1] is not None)
    words = {"text": label["formatter"], "font": {"color": label["color"]}, "showarrow": False}
    return words | {"x": _place(at, x), "xanchor": "left", "xshift": 4, "y": _place(height, y)}


def _place(value: float, axis: dict[str, Any]) -> float:
    """Plotly counts the powers of ten where words stand on a logarithmic axis."""
    return math.log10(value) if axis["type"] == "log" else value


def _trace(series: dict[str, Any], mode: Mode) -> dict[str, Any]:
    points = [point["value"] if isinstance(point, dict) else point for point in series["data"]]
    style = series.get("lineStyle", {})
    ink = series.get("color") or series.get("itemStyle", {}).get("color") or color("text", mode)
    return {
        "type": "scatter",
        "mode": "lines" if series["type"] == "line" else "markers",
        "name": series["name"],
        "x": [point[0] for point in points],
        "y": [point[1] for point in points],
        "line": {"color": ink, "width": 2, "dash": DASHES[style.get("type", "solid")]}
        | ({"shape": "hvh"} if series.get("step") else {}),
        "marker": {"color": ink, "size": 9},
    }


def _axis(axis: dict[str, Any]) -> dict[str, Any]:
    """The same ends; numbers as on the canvas, where Plotly would take a power of ten out of 4000 already."""
    named = {"title": {"text": axis.get("name", "")}}
    if axis["type"] == "category":
        return named
    low, high = axis["min"], axis.get("max")
    ends = {"range": [_place(low, axis), None if high is None else _place(high, axis)]}
    if axis["type"] != "log":
        return named | ends
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(axis["max"])) + 1)
    at = [by * 10.0**power for power in powers for by in ((1, 2, 5) if len(powers) <= 4 else (1,))]
    return named | ends | {"type": "log", "tickvals": at, "ticktext": [number(value) for value in at]}


def table(panel: Panel) -> str:
    """The shown cells as CSV: the labels of the columns above, those of the rows before."""
    rows, cols = (labelled(axis, size) for axis, size in zip((panel.row_labels, panel.col_labels), panel.shape))
    return _csv([panel.title, *cols], ([row, *values] for row, values in zip(rows, panel.shown.tolist())))


def columns_table(numbers: np.ndarray, columns: Sequence[str]) -> str:
    """Numbers (rows, columns) as CSV under their names."""
    return _csv(labelled(columns, numbers.shape[1]), numbers.tolist())


def _csv(head: Sequence[str], rows: Any) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()
