"""Pictures of the layers chapter: the ReLU curve with real neurons on it, histograms of first weights."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ui import theme
from ui.figures.arithmetic import number
from ui.figures.plot import Plot, layout, rule
from ui.theme import Mode


def two_colors(mode: Mode) -> list[str]:
    """Two things compared that have no colour of their own: the two ends of the signed scale."""
    stops = theme.scale(mode, "signed")
    return [stops[1], stops[-2]]


def relu_curve(before: np.ndarray, mode: Mode, names: Mapping[str, str]) -> Plot:
    """max(0, x), with every neuron's number `before` (d_ff,) on it."""
    reach = float(np.abs(before).max()) * 1.1
    curve = {
        "type": "scatter",
        "x": [-reach, 0, reach],
        "y": [0, 0, reach],
        "mode": "lines",
        "line": {"color": theme.color("quiet", mode), "width": 2},
        "name": "max(0, x)",
        "hoverinfo": "skip",
    }
    neurons = [
        {
            "type": "scatter",
            "x": before[kept],
            "y": np.maximum(before[kept], 0),
            "mode": "markers",
            "name": names[name],
            "marker": {"color": color, "size": 7, "opacity": 0.6},
            "text": [
                f"{names['neuron']} {at}: {number(x)} → {number(max(x, 0.0))}"
                for at, x in zip(np.flatnonzero(kept), before[kept].tolist())
            ],
            "hovertemplate": "%{text}<extra></extra>",
        }
        for (name, kept), color in zip({"silent": before <= 0, "fires": before > 0}.items(), two_colors(mode))
    ]
    axes = {"x": _title(mode, names["before"]), "y": _title(mode, names["after"])}
    return Plot([curve, *neurons], layout(mode, **axes, height=300, showlegend=True))


def on_a_curve(x: np.ndarray, curve: np.ndarray, measured: np.ndarray, mode: Mode, names: Mapping[str, str]) -> Plot:
    """A formula as a line and measurements as points on it, both over x (n,) on a logarithmic axis."""
    blue, orange = two_colors(mode)
    drawn = {"mode": "lines", "name": names["curve"], "line": {"color": blue, "width": 2}}
    points = {"mode": "markers", "name": names["measured"], "marker": {"color": orange, "size": 8}}
    doublings = 2.0 ** np.arange(int(np.log2(x.max())) + 1)
    ticks = {"type": "log", "tickvals": doublings, "ticktext": [f"{tick:g}" for tick in doublings]}
    return Plot(
        [{"type": "scatter", "x": x, "y": curve} | drawn, {"type": "scatter", "x": x, "y": measured} | points],
        layout(mode, _title(mode, names["x"]) | ticks, _title(mode, names["y"]), height=280),
    )


def along_the_stack(
    stops: Sequence[str], lines: Mapping[str, np.ndarray], mode: Mode, x_title: str, y_title: str
) -> Plot:
    """Two lengths at each of the named stops; the second has no value at the first stop."""
    drawn = [
        {
            "type": "scatter",
            "x": list(stops)[-len(y) :],
            "y": y,
            "name": name,
            "mode": "lines+markers",
            "line": {"color": color, "width": 2},
            "text": [number(float(length)) for length in y],
            "hovertemplate": "%{x}: %{text}",
        }
        for (name, y), color in zip(lines.items(), two_colors(mode), strict=True)
    ]
    named = {"type": "category", "categoryorder": "array", "categoryarray": list(stops)}
    x, y = _title(mode, x_title) | named, _title(mode, y_title) | {"rangemode": "tozero"}
    return Plot(drawn, layout(mode, x, y, height=360))


def histograms(
    groups: Mapping[str, np.ndarray], limits: Sequence[float], mode: Mode, x_title: str, y_title: str
) -> Plot:
    """How often each value occurs, two groups over each other in the same bins; `limits` are ruled at ± each."""
    reach = max(float(np.abs(values).max()) for values in groups.values()) * 1.05
    edges = np.linspace(-reach, reach, 61)
    colors = two_colors(mode)
    bars = [
        {
            "type": "bar",
            "x": (edges[:-1] + edges[1:]) / 2,
            "y": np.histogram(values, edges)[0] / values.size,
            "width": edges[1] - edges[0],
            "name": name,
            "marker": {"color": color, "opacity": 0.55, "line": {"width": 0}},
            "hovertemplate": "%{x:.3f}: %{y:.2%}",
        }
        for (name, values), color in zip(groups.items(), colors, strict=True)
    ]
    rules = [
        rule(end, {"color": color, "width": 1, "dash": "dot"})
        for color, limit in zip(colors, limits, strict=True)
        for end in (-limit, limit)
    ]
    axes = {"x": _title(mode, x_title), "y": _title(mode, y_title) | {"tickformat": ".0%"}}
    return Plot(bars, layout(mode, **axes, height=300, barmode="overlay", bargap=0, shapes=rules))


def _title(mode: Mode, text: str) -> dict[str, Any]:
    return {"title": {"text": text, "font": {"color": theme.color("quiet", mode), "size": 14}, "standoff": 4}}
