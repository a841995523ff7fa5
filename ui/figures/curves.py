"""Lines over a shared x: arrays and labels in, an option object of ECharts out, which the page redraws in place."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ui import theme
from ui.theme import SANS, Mode, color

LEGEND, NAMES = 30, 30  # px above the grid for the names of the lines; above and below it for those of the axes
FEW = 12  # steps along x that all get a number


class Curves(NamedTuple):
    """A picture for ui/drawing.py."""

    option: dict[str, Any]
    height: int


def tint(index: int, count: int, mode: Mode) -> str:
    """A colour for the `index`-th of `count` pairs: fast ones pale, slow ones strong, none as pale as the page."""
    stops = theme.scale(mode, "probability")[4:]
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
) -> Curves:
    """Lines over a shared x (n,), by name; those named in `dashed` are dashed, and nan is a gap. `points` are marked in
    gold, `levels` are horizontal rules, both with their names. `y_range` fixes the ends, so that a change stays
    visible. A logarithmic x has a tick at each power of two."""
    words = {"fontFamily": SANS, "color": color("quiet", mode), "fontSize": 14}
    text = words | {"color": color("text", mode)}
    rule = {"lineStyle": {"color": color("grid", mode)}}
    axis = {"nameTextStyle": words, "axisLine": rule, "splitLine": rule}
    numbers = words | {"hideOverlap": True}
    low, high = y_range or (None, None)
    few = bool(x[-1] - x[0] <= FEW)
    series: list[dict[str, Any]] = [
        {
            "type": "line",
            "name": name,
            "data": _pairs(x, y),
            "color": colors[at] if colors else tint(at, len(lines), mode),
            "lineStyle": {"width": 2, "type": "dashed" if name in dashed else "solid"},
            "showSymbol": markers,
            "symbol": "circle",
            "symbolSize": 5,
        }
        for at, (name, y) in enumerate(lines.items())
    ]
    if series and levels:
        series[0]["markLine"] = _rules(levels, words)
    option = {
        "animation": False,
        "tooltip": {
            "trigger": "axis",
            "valueFormatter": "%.4g",
            "backgroundColor": color("panel", mode),
            "borderColor": color("grid", mode),
            "textStyle": text,
        },
        "legend": {
            "show": len(lines) > 1,
            "type": "scroll",
            "left": 0,
            "top": 0,
            "data": list(lines),
            "itemStyle": {"opacity": 0},
            "itemWidth": 32,
            "textStyle": text,
            "pageTextStyle": words,
        },
        "grid": {
            "left": 4,
            "right": 20,
            "top": NAMES * bool(y_title) + LEGEND * (len(lines) > 1) + 8,
            "bottom": NAMES,
            "containLabel": True,
        },
        "xAxis": axis
        | {
            "type": "log" if log_x else "value",
            "logBase": 2,
            "min": float(x[0]),
            "max": float(x[-1]),
            "interval": 1 if few else None,
            "axisLabel": numbers | {"showMaxLabel": few or log_x},  # elsewhere it may stand too near the last but one
            "name": x_title,
            "nameLocation": "middle",
            "nameGap": NAMES,
        },
        "yAxis": axis
        | {
            "type": "log" if log_y else "value",
            "scale": True,
            "min": low,
            "max": high,
            "axisLine": rule | {"onZero": False},  # also where x runs through 0
            "axisLabel": numbers | {"showMinLabel": not low, "showMaxLabel": not y_range},
            "name": y_title,
            "nameTextStyle": words | {"align": "left"},
            "nameGap": 12,
        },
        "series": [*series, *(_point(name, *place, mode) for name, place in (points or {}).items())],
    }
    return Curves(option, height)


def _pairs(x: np.ndarray, y: np.ndarray) -> list[list[float | None]]:
    values = (np.asarray(side, dtype=np.float64).tolist() for side in (x, y))
    return [[a, None if math.isnan(b) else float(f"{b:.7g}")] for a, b in zip(*values, strict=True)]


def _rules(levels: Mapping[str, float], words: dict[str, Any]) -> dict[str, Any]:
    return {
        "silent": True,
        "symbol": "none",
        "animation": False,
        "precision": 12,  # decimals; left alone, ECharts moves a rule to the second one
        "lineStyle": {"color": words["color"], "type": "dotted", "width": 1.5},
        "data": [
            {"yAxis": level, "label": words | {"formatter": name, "position": "insideEndTop"}}
            for name, level in levels.items()
        ],
    }


def _point(name: str, x: float, y: float, mode: Mode) -> dict[str, Any]:
    ink, paper = color("text", mode), color("background", mode)
    label = {"formatter": "{a}", "position": "top", "padding": [1, 4], "backgroundColor": paper, "color": ink}
    return {
        "type": "scatter",
        "name": name,
        "data": [[float(x), float(y)]],
        "symbolSize": 11,
        "itemStyle": {"color": color("chosen", mode), "borderColor": ink, "borderWidth": 1, "opacity": 1},
        "label": {"show": True, "fontFamily": SANS} | label,
        "z": 4,
    }
