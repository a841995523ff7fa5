"""What a reader gets from a link, in numbers: every matrix and every line on the page, whatever drew it."""

import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.app.boards import chosen, elements, matrices, told
from tests.app.conftest import AGES, opened
from tests.series import drawn

Figure = dict[str, np.ndarray]  # by the panel's key, or by the line's name and its axis
CHOSEN = "chosen"  # the row and the column of the chosen cell, and the shape of its matrix


def follow(chapter: str, link: str) -> dict[str, Figure]:
    """What the link shows, in English, to who waits until the worker has had its first look at the model."""
    app = opened(chapter, **{"open": "", "lang": "en"} | dict(parse_qsl(link)))
    assert not app.exception, link
    end = time.monotonic() + AGES
    while chapter == "training" and not shown(app) and time.monotonic() < end:
        time.sleep(0.1)
        app.run()
    return shown(app)


def shown(app: AppTest) -> dict[str, Figure]:
    """The figures of a page by their keys, `chapter.figure`. Those that are drawn as SVG alone are not among them."""
    figures: dict[str, Figure] = {}
    for element in elements(app.main):
        message = told(element)
        if "panels" in message:
            name = _key(element)
            figures[name] = _board(app, name)
        elif "truth" in message:
            drawn_on = {part: message[part] for part in ("blank", "drawn", "truth") if message[part] is not None}
            figures[_key(element)] = {part: np.array(values, dtype=np.float64) for part, values in drawn_on.items()}
        elif "pool" in message:
            figures[_key(element)] = {"order": np.array(message["order"], dtype=np.float64)}
        elif element.type in ("echarts_chart", "plotly_chart"):
            figures[_key(element)] = dict(_axes(json.loads(element.proto.spec)))
    return figures


def _key(element: Any) -> str:
    return str(element.proto.id.rpartition("-")[2])


def _board(app: AppTest, figure: str) -> Figure:
    panels, cell = matrices(app, figure), chosen(app, figure)
    return panels if cell is None else panels | {CHOSEN: np.array([*cell[1:], *panels[cell[0]].shape])}


def _axes(spec: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """The coordinates of each line that has any, of ECharts or of Plotly."""
    option = spec.get("baseOption", spec)
    for at, line in enumerate(drawn(option) if "series" in option else option["data"]):
        pairs = line["data"] if "data" in line else list(zip(line["x"], line["y"]))
        for axis, values in zip("xy", zip(*pairs)):
            yield f"{line.get('name', at)}: {axis}", _numbers(values)


def _numbers(values: tuple[Any, ...]) -> np.ndarray:
    """None is a gap; names along an axis stand one after the other."""
    try:
        return np.array(values, dtype=np.float64)
    except ValueError:
        return np.arange(len(values), dtype=np.float64)
