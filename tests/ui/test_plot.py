"""Plotly's own check of every picture, which the page leaves out for speed."""

import base64
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest

from ui.figures.axes import YAxis
from ui.figures.board import Panel
from ui.figures.curves import Marks, curves
from ui.figures.large import heatmap, large_curves
from ui.figures.plot import Plot
from ui.theme import MODES, Mode

DEPTH = np.arange(1.0, 10.0)

PICTURES: dict[str, Callable[[Mode], Plot]] = {
    "heatmap": lambda mode: heatmap(Panel("x", np.diag(DEPTH), "x"), mode),
    "curves": lambda mode: large_curves(curves(DEPTH, {"a": DEPTH, "b": 1 / DEPTH}), mode)[0],
    "rules": lambda mode: large_curves(
        curves(DEPTH, {"a": DEPTH}, y_axis=YAxis(log=True), marks=Marks(levels={"top": 8}, uprights={"end": 5.5})), mode
    )[0],
}


def sent(figure: go.Figure) -> Any:
    """What Streamlit sends for a figure, with all arrays as lists."""
    return plain(json.loads(plotly.io.to_json(figure.to_dict(), validate=False)))


def plain(value: Any) -> Any:
    if isinstance(value, dict) and "bdata" in value:
        shape = [int(size) for size in value.get("shape", "-1").split(",")]
        return np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"]).reshape(shape).tolist()
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PICTURES)
def test_plotly_knows_every_property_of_a_picture_and_draws_it_as_if_it_had_checked(name: str, mode: Mode) -> None:
    plot = PICTURES[name](mode)
    checked, drawn = (sent(figure) for figure in (go.Figure(plot.data, plot.layout), plot.figure()))
    defaults = checked["layout"].pop("template"), drawn["layout"].pop("template")
    assert drawn == checked
    kinds = {trace["type"] for trace in plot.data} & defaults[0]["data"].keys()
    assert defaults[1]["data"] == {kind: defaults[0]["data"][kind] for kind in kinds}
    assert defaults[1]["layout"] == defaults[0]["layout"]


def test_a_property_that_plotly_does_not_know_is_found() -> None:
    plot = PICTURES["curves"]("light")
    plot.data[0]["width"] = 2
    with pytest.raises(ValueError, match="width"):
        go.Figure(plot.data, plot.layout)
