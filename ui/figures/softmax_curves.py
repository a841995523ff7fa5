"""Curves of the chapter on scaling: arrays and labels in, Plotly figures out."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ui.theme import Mode, color, layout

LINE = {"plain": "wrong", "scaled": "right"}  # without 1/√d_k, with it


def against_factor(
    factors: np.ndarray, entropy: np.ndarray, norm: np.ndarray, here: float, labels: Mapping[str, str], mode: Mode
) -> go.Figure:
    """Entropy above, size of the Jacobian below, both against the factor (F,) on a logarithmic axis; `here` marked."""
    figure = go.Figure(
        [
            _curve(factors, entropy, "query", mode, yaxis="y"),
            _curve(factors, norm, "key", mode, yaxis="y2"),
        ]
    )
    axis = layout(mode)["yaxis"]
    figure.update_layout(layout(mode), height=330, showlegend=False)
    figure.update_layout(
        xaxis={"type": "log", "dtick": 1, "title": labels["factor"], "anchor": "y2"},
        yaxis=axis | {"domain": [0.56, 1.0], "title": labels["entropy"], "rangemode": "tozero"},
        yaxis2=axis | {"domain": [0.0, 0.44], "title": labels["norm"], "rangemode": "tozero"},
    )
    if here > 0:
        line = {"color": color("chosen", mode), "width": 2}
        figure.add_shape(type="line", x0=here, x1=here, y0=0, y1=1, yref="paper", line=line)
    return figure


def against_size(
    sizes: np.ndarray, plain: np.ndarray, scaled: np.ndarray, labels: Mapping[str, str], mode: Mode, *, log: bool
) -> go.Figure:
    """One measured quantity against d_k (n,), without and with 1/√d_k; `log` asks for a logarithmic upright axis."""
    figure = go.Figure(
        [
            _curve(sizes, plain, LINE["plain"], mode, name=labels["plain"], markers=True),
            _curve(sizes, scaled, LINE["scaled"], mode, name=labels["scaled"], markers=True),
        ]
    )
    figure.update_layout(layout(mode), height=280)
    figure.update_xaxes(type="log", title="d_k", tickvals=[1, 4, 16, 64, 256])
    figure.update_yaxes(title=labels["y"], **_upright(log))
    return figure


def against_step(
    curves: Mapping[str, tuple[np.ndarray, np.ndarray]], labels: Mapping[str, str], mode: Mode, *, log: bool
) -> go.Figure:
    """One measured quantity of two runs, "scaled" and "plain", each (steps, values)."""
    drawn = [_curve(steps, values, LINE[name], mode, name=labels[name]) for name, (steps, values) in curves.items()]
    figure = go.Figure(drawn)
    figure.update_layout(layout(mode), height=280)
    figure.update_xaxes(title=labels["step"])
    figure.update_yaxes(title=labels["y"], exponentformat="power", **_upright(log))
    return figure


def histogram(plain: np.ndarray, scaled: np.ndarray, labels: Mapping[str, str], mode: Mode) -> go.Figure:
    """How often each size of score occurs, without and with 1/√d_k: both samples (n,) over the same bins."""
    edge = float(np.ceil(np.abs(plain).max()))
    edges = np.linspace(-edge, edge, 61)
    figure = go.Figure(
        [
            go.Bar(
                x=(edges[1:] + edges[:-1]) / 2,
                y=np.histogram(sample, edges)[0] / len(sample),
                width=edges[1] - edges[0],
                name=labels[name],
                marker={"color": color(LINE[name], mode), "line": {"width": 0}},
                opacity=0.6,
                hovertemplate="%{x:.2f}: %{y:.1%}<extra></extra>",
            )
            for name, sample in (("plain", plain), ("scaled", scaled))
        ]
    )
    figure.update_layout(layout(mode), height=280, barmode="overlay", bargap=0)
    figure.update_xaxes(title=labels["score"])
    figure.update_yaxes(title=labels["share"], tickformat=".0%")
    return figure


def _upright(log: bool) -> dict[str, Any]:
    return {"type": "log", "dtick": 1} if log else {"rangemode": "tozero"}


def _curve(x: np.ndarray, y: np.ndarray, meaning: str, mode: Mode, *, markers: bool = False, **more: Any) -> go.Scatter:
    drawn = "lines+markers" if markers else "lines"
    line = {"color": color(meaning, mode), "width": 2}
    return go.Scatter(x=x, y=y, mode=drawn, line=line, hovertemplate="%{x:.3g}: %{y:.4g}<extra></extra>", **more)
