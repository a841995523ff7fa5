"""A Plotly figure as plain data: traces and layout, with axes that look alike everywhere."""

from functools import cache
from typing import Any, NamedTuple

import plotly.graph_objects as go
import plotly.io

from ui import theme
from ui.theme import Mode


class Plot(NamedTuple):
    """A picture for Plotly. Written out whole: each change to a figure that is built already costs more."""

    data: list[dict[str, Any]]
    layout: dict[str, Any]

    def figure(self) -> go.Figure:
        kinds = frozenset(trace["type"] for trace in self.data)
        return _Drawn(
            {"data": self.data, "layout": self.layout | {"template": _template(plotly.io.templates.default, kinds)}}
        )


class _Drawn(go.Figure):  # type: ignore[misc]
    """A figure to be drawn, not changed. Plotly's own would check and copy every property, for ten times what all else
    takes, at each repaint; a test does that."""

    def __init__(self, written: dict[str, Any]) -> None:
        self.__dict__["written"] = written

    def to_dict(self) -> dict[str, Any]:
        return self.__dict__["written"]


@cache
def _template(name: str, kinds: frozenset[str]) -> dict[str, Any]:
    """The defaults that Plotly, or Streamlit on it, gives every figure, without those for other kinds of traces."""
    whole = plotly.io.templates[name].to_plotly_json()
    return whole | {"data": {kind: whole["data"][kind] for kind in sorted(kinds & whole["data"].keys())}}


def layout(mode: Mode, x: dict[str, Any], y: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The theme's layout with what is special about the two axes, their titles among it."""
    common = theme.layout(mode)
    return common | {"xaxis": common["xaxis"] | x, "yaxis": common["yaxis"] | y} | more


def upright(x: float, line: dict[str, Any]) -> dict[str, Any]:
    """A vertical rule over the whole height, for `shapes`."""
    return {"type": "line", "x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "line": line}


def level(y: float, line: dict[str, Any]) -> dict[str, Any]:
    """A horizontal rule over the whole width, for `shapes`."""
    return {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "y0": y, "y1": y, "yref": "y", "line": line}
