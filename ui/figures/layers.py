"""Pictures of the layers chapter: the ReLU curve with real neurons on it, histograms of first weights."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ui import theme
from ui.theme import Mode


def two_colors(mode: Mode) -> list[str]:
    """Two things compared that have no colour of their own: the two ends of the signed scale."""
    stops = theme.scale(mode, "signed")
    return [stops[1], stops[-2]]


def relu_curve(before: np.ndarray, mode: Mode, names: Mapping[str, str]) -> go.Figure:
    """max(0, x), with every neuron's number `before` (d_ff,) on it."""
    reach = float(np.abs(before).max()) * 1.1
    figure = go.Figure(layout=theme.layout(mode) | {"height": 300, "showlegend": True})
    line = {"color": theme.color("quiet", mode), "width": 2}
    figure.add_scatter(
        x=[-reach, 0, reach], y=[0, 0, reach], mode="lines", line=line, name="max(0, x)", hoverinfo="skip"
    )
    for name, kept, color in (("silent", before <= 0, 0), ("fires", before > 0, 1)):
        figure.add_scatter(
            x=before[kept],
            y=np.maximum(before[kept], 0),
            mode="markers",
            name=names[name],
            marker={"color": two_colors(mode)[color], "size": 7, "opacity": 0.6},
            customdata=np.flatnonzero(kept),
            hovertemplate=names["neuron"] + " %{customdata}: %{x:.4g} → %{y:.4g}<extra></extra>",
        )
    _titles(figure, mode, names["before"], names["after"])
    return figure


def on_a_curve(
    x: np.ndarray, curve: np.ndarray, measured: np.ndarray, mode: Mode, names: Mapping[str, str]
) -> go.Figure:
    """A formula as a line and measurements as points on it, both over x (n,) on a logarithmic axis."""
    figure = go.Figure(layout=theme.layout(mode) | {"height": 280})
    blue, orange = two_colors(mode)
    figure.add_scatter(x=x, y=curve, mode="lines", name=names["curve"], line={"color": blue, "width": 2})
    figure.add_scatter(x=x, y=measured, mode="markers", name=names["measured"], marker={"color": orange, "size": 8})
    _titles(figure, mode, names["x"], names["y"])
    doublings = 2.0 ** np.arange(int(np.log2(x.max())) + 1)
    figure.update_xaxes(type="log", tickvals=doublings, ticktext=[f"{tick:g}" for tick in doublings])
    return figure


def along_the_stack(
    stops: Sequence[str], lines: Mapping[str, np.ndarray], mode: Mode, x_title: str, y_title: str
) -> go.Figure:
    """Two lengths at each of the named stops; the second has no value at the first stop."""
    figure = go.Figure(layout=theme.layout(mode) | {"height": 360})
    for (name, y), color in zip(lines.items(), two_colors(mode), strict=True):
        figure.add_scatter(
            x=list(stops)[-len(y) :],
            y=y,
            name=name,
            mode="lines+markers",
            line={"color": color, "width": 2},
            hovertemplate="%{x}: %{y:.4g}",
        )
    _titles(figure, mode, x_title, y_title)
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=list(stops))
    figure.update_yaxes(rangemode="tozero")
    return figure


def histograms(
    groups: Mapping[str, np.ndarray], limits: Sequence[float], mode: Mode, x_title: str, y_title: str
) -> go.Figure:
    """How often each value occurs, two groups over each other in the same bins; `limits` are ruled at ± each."""
    figure = go.Figure(layout=theme.layout(mode) | {"height": 300, "barmode": "overlay", "bargap": 0})
    reach = max(float(np.abs(values).max()) for values in groups.values()) * 1.05
    edges = np.linspace(-reach, reach, 61)
    for (name, values), color, limit in zip(groups.items(), two_colors(mode), limits, strict=True):
        counts, _ = np.histogram(values, edges)
        figure.add_bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=counts / values.size,
            width=edges[1] - edges[0],
            name=name,
            marker={"color": color, "opacity": 0.55, "line": {"width": 0}},
            hovertemplate="%{x:.3f}: %{y:.2%}",
        )
        for end in (-limit, limit):
            figure.add_vline(x=end, line={"color": color, "width": 1, "dash": "dot"})
    _titles(figure, mode, x_title, y_title)
    figure.update_yaxes(tickformat=".0%")
    return figure


def _titles(figure: go.Figure, mode: Mode, x: str, y: str) -> None:
    quiet = {"color": theme.color("quiet", mode), "size": 13}
    figure.update_xaxes(title={"text": x, "font": quiet, "standoff": 4})
    figure.update_yaxes(title={"text": y, "font": quiet, "standoff": 4})
