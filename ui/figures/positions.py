"""Curves, wavelengths and clock hands of the position code: arrays and labels in, a picture out."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ui import theme
from ui.theme import Mode


def tint(index: int, count: int, mode: Mode) -> str:
    """A colour for the `index`-th of `count` pairs: fast ones pale, slow ones strong, none as pale as the page."""
    stops = theme.scale(mode, "probability")[3:]
    return stops[round(index * (len(stops) - 1) / max(1, count - 1))]


def curves(
    x: np.ndarray,
    lines: Mapping[str, np.ndarray],
    mode: Mode,
    *,
    x_title: str = "",
    y_title: str = "",
    colors: Sequence[str] = (),
    dashed: Sequence[str] = (),
    points: Mapping[str, tuple[float, float]] | None = None,
    levels: Mapping[str, float] | None = None,
    markers: bool = False,
    log_x: bool = False,
    log_y: bool = False,
    y_range: tuple[float, float] | None = None,
    height: int = 260,
) -> go.Figure:
    """Lines over a shared x (n,), by name; those named in `dashed` are dashed. `points` are marked in gold, `levels`
    are horizontal rules with their names at the left. `y_range` fixes the ends, so that a change stays visible."""
    figure = go.Figure(layout=theme.layout(mode) | {"height": height, "showlegend": len(lines) > 1})
    shape = "lines+markers" if markers else "lines"
    for at, (name, y) in enumerate(lines.items()):
        line = {"color": colors[at] if colors else tint(at, len(lines), mode), "width": 2}
        line["dash"] = "dash" if name in dashed else "solid"
        figure.add_scatter(x=x, y=y, name=name, mode=shape, line=line, hovertemplate="%{x}: %{y:.4g}")
    for name, (at_x, at_y) in (points or {}).items():
        marker = {
            "color": theme.color("chosen", mode),
            "size": 11,
            "line": {"color": theme.color("text", mode), "width": 1},
        }
        figure.add_scatter(
            x=[at_x],
            y=[at_y],
            name=name,
            mode="markers",
            marker=marker,
            showlegend=False,
            hovertemplate="%{x}: %{y:.4g}",
        )
    for name, level in (levels or {}).items():
        figure.add_scatter(
            x=[x[0], x[-1]],
            y=[level, level],
            text=[name, ""],
            mode="lines+text",
            textposition="top right",
            textfont={"color": theme.color("quiet", mode), "size": 12},
            line={"color": theme.color("quiet", mode), "width": 1, "dash": "dot"},
            showlegend=False,
            hoverinfo="skip",
            cliponaxis=False,
        )
    quiet = {"color": theme.color("quiet", mode), "size": 13}
    figure.update_xaxes(title={"text": x_title, "font": quiet, "standoff": 4}, type="log" if log_x else "linear")
    figure.update_yaxes(title={"text": y_title, "font": quiet, "standoff": 4})
    if log_x:
        figure.update_xaxes(tickvals=x)
    if log_y:
        decades = math.log10(y_range[1] / y_range[0]) if y_range else 0.0
        figure.update_yaxes(type="log", dtick=3 if decades > 8 else 1, exponentformat="power")
    if y_range:
        figure.update_yaxes(range=[math.log10(end) for end in y_range] if log_y else y_range)
    return figure
