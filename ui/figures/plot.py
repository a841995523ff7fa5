"""A Plotly figure as plain data: traces and layout, with axes that look alike everywhere."""

from functools import cache
from typing import Any, NamedTuple

import plotly.graph_objects as go
import plotly.io

from ui import theme
from ui.theme import Mode


class Plot(NamedTuple):
    """A picture for ui/drawing.py. Written out whole: each change to a figure that is built already costs more."""

    data: list[dict[str, Any]]
    layout: dict[str, Any]

    def figure(self) -> go.Figure:
        # Plotly would check every property again at each repaint, for ten times what all else takes; a test does.
        kinds = frozenset(trace["type"] for trace in self.data)
        return go.Figure(self.data, self.layout | {"template": _template(kinds)}, _validate=False)


@cache
def _template(kinds: frozenset[str]) -> dict[str, Any]:
    """Plotly's own defaults without those for kinds of traces that are not drawn: it copies them three times."""
    whole = plotly.io.templates["plotly"].to_plotly_json()
    return whole | {"data": {kind: whole["data"][kind] for kind in sorted(kinds)}}


def layout(mode: Mode, x: dict[str, Any], y: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The theme's layout with what is special about the two axes, their titles among it."""
    common = theme.layout(mode)
    return common | {"xaxis": common["xaxis"] | x, "yaxis": common["yaxis"] | y} | more


def rule(x: float, line: dict[str, Any]) -> dict[str, Any]:
    """A vertical line over the whole height, for `shapes`."""
    return {"type": "line", "x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "line": line}
