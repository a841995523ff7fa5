"""Lines over a shared x: arrays and labels in, an option object of ECharts out, which the page redraws in place."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from ui.figures.axes import Ticks, XAxis, YAxis, along, marked, upright
from ui.figures.letters import flowing
from ui.figures.number import number
from ui.figures.plot import Plot
from ui.theme import SANS, Mode, css

SHORT = 256  # points of a line that is kept as it is written

Points = list[list[float | str | None]]

LEGEND, NAMES = 30, 30  # px above the grid for the names of the lines; above and below it for those of the axes
NUMBERS, LETTER = 22, 8  # px below the grid for the numbers along x; of a letter of one
LISTED = 0.88  # of the width, for the names: at its right end stands the way to the large view
LINES, LINE = 4, 24  # of names that may stand above a grid, and how high one is, px
PHONE, PAGE = 300, 1000  # px, the narrowest and the widest picture
TWO_COLORS = [css("signed-1"), css("signed-7")]  # of two things compared that have none of their own
TICKS = "ticks"  # the series that draws no line, but the rules of the grid with their numbers, and names x

# A third column says in words what the second is in numbers, and the tooltip reads it: ECharts itself writes 6.25e-5.
COLUMNS = {
    "dimensions": ["x", "y", {"name": "written", "type": "ordinal"}],
    "encode": {"x": 0, "y": 1, "tooltip": 2},
    "emphasis": {"disabled": True},  # of what is pointed at it would work out a lighter colour, and cannot read `css`
}

TOOLTIP = {
    "trigger": "axis",
    "confine": True,  # on a phone, too
    "backgroundColor": css("panel"),
    "borderColor": css("grid"),
    "textStyle": {"fontFamily": SANS, "color": css("text"), "fontSize": 14},
}

# Where the name of a rule stands: above a level's right end, to the right of an upright's foot.
BESIDE: dict[str, dict[str, Any]] = {
    "yAxis": {"position": "insideEndTop"},
    "xAxis": {"position": "insideStartBottom", "rotate": 0, "align": "left", "verticalAlign": "bottom", "padding": 8},
}

Line = np.ndarray | tuple[np.ndarray, np.ndarray]  # y over the shared x, or an x of its own and y


class Dots(NamedTuple):
    """What was measured: separate places, whatever lies between them. `written` is what the tooltip says of each."""

    x: np.ndarray
    y: np.ndarray
    color: str
    symbol: str = "circle"
    written: Sequence[str] = ()


class Marks(NamedTuple):
    """What is marked among some lines: `points` in gold, `levels` as horizontal rules, `uprights` as vertical ones, all
    with their names; `limits` are vertical rules without, by the line whose colour they have."""

    points: Mapping[str, tuple[float, float]] = {}
    levels: Mapping[str, float] = {}
    limits: Mapping[str, Sequence[float]] = {}
    uprights: Mapping[str, float] = {}


class Style(NamedTuple):
    """How lines look: a colour for each, the names of those that are dashed, whether every number has a dot, and what
    is written at the right end of those named. The `legend` lists lines and dots, dots alone, or nothing."""

    colors: Sequence[str] = ()
    dashed: Sequence[str] = ()
    markers: bool = False
    end_labels: Mapping[str, str] = {}
    legend: Literal["all", "dots", "none"] = "all"


class Curves(NamedTuple):
    """A picture for ECharts, and how high it is in px. Its large view is `large`, if that is not the same lines; it is
    that on the page, too, where there is no option."""

    option: dict[str, Any]
    height: int
    large: Callable[[Mode], Plot] | None = None


def tint(index: int, count: int) -> str:
    """A colour for the `index`-th of `count` pairs: fast ones pale, slow ones strong, none as pale as the page."""
    return css(f"probability-{4 + round(4 * index / max(1, count - 1))}")


def curves(
    x: np.ndarray,
    lines: Mapping[str, Line],
    *,
    dots: Mapping[str, Dots] | None = None,
    x_axis: XAxis = XAxis(),
    y_axis: YAxis = YAxis(),
    marks: Marks = Marks(),
    style: Style = Style(),
    height: int = 260,
) -> Curves:
    """Lines over x (n,), by name; nan is a gap. `dots` lie on the same axes."""
    words = _words(css("quiet"))
    rule = {"lineStyle": {"color": css("grid")}}
    dots = dots or {}
    series = _lines(x, lines, style)
    places = np.unique(
        [*(point[0] for line in series for point in line["data"]), *(x for d in dots.values() for x in d.x)]
    )
    across = along(float(x[0]), float(x[-1]), log=x_axis.log, counts=not x_axis.bins)
    up = upright(_heights(lines, dots, marks), y_axis.range, log=y_axis.log)
    grid = [*([] if x_axis.stops else marked("xAxis", across, words)), *marked("yAxis", up, words)]
    for line in series:
        _mark(line, x_axis, marks, style)
    if series and (marks.levels or marks.uprights):
        series[0]["markLine"] = _rules({"yAxis": marks.levels, "xAxis": marks.uprights}, words)
    above, legend, media = _legend(lines, dots, style, NAMES * bool(y_axis.title))
    option = {
        "animation": False,
        "tooltip": TOOLTIP,
        "legend": legend,
        "grid": {
            "left": 12 + LETTER * up.widest(),
            "right": max([20, *(12 + 7 * len(end) for end in style.end_labels.values())]),
            "top": above,
            "bottom": NAMES + NUMBERS,
        },
        "xAxis": _x(x_axis, across, words, rule),
        "yAxis": _y(y_axis, up, words, rule),
        "series": [
            ticks_of(x_axis.title, [] if x_axis.stops else places.tolist(), up.low, ruled(grid, rule)),
            *series,
            *(_dots(name, *some) for name, some in dots.items()),
            *(_point(name, *place) for name, place in marks.points.items()),
        ],
        "media": media,
    }
    return Curves(option, height)


def _lines(x: np.ndarray, lines: Mapping[str, Line], style: Style) -> list[dict[str, Any]]:
    return [
        COLUMNS
        | {
            "type": "line",
            "name": name,
            "data": points_of(*(line if isinstance(line, tuple) else (x, line))),
            "color": style.colors[at] if style.colors else tint(at, len(lines)),
            "lineStyle": {"width": 2, "type": "dashed" if name in style.dashed else "solid"},
            "showSymbol": style.markers,
            "symbol": "circle",
            "symbolSize": 5,
        }
        for at, (name, line) in enumerate(lines.items())
    ]


def _heights(lines: Mapping[str, Line], dots: Mapping[str, Dots], marks: Marks) -> np.ndarray:
    """Every y that is drawn."""
    heights = [
        *(line[1] if isinstance(line, tuple) else line for line in lines.values()),
        *(d.y for d in dots.values()),
        *(np.array([place[1]]) for place in marks.points.values()),
    ]
    return np.concatenate(heights) if heights else np.zeros(1)


def _mark(line: dict[str, Any], x_axis: XAxis, marks: Marks, style: Style) -> None:
    """What one line of the series has besides its numbers."""
    name, ink = line["name"], line["color"]
    if x_axis.bins:
        line |= {"step": "middle", "areaStyle": {"opacity": 0.25}}
    if name in marks.limits:
        line["markLine"] = _limits(marks.limits[name], ink)
    if x_axis.stops:
        line["data"] = [[x_axis.stops[int(at)], *rest] for at, *rest in line["data"]]
    if name in style.end_labels:
        end = _words(ink) | {"show": True, "formatter": style.end_labels[name], "distance": 4}
        line |= {"endLabel": end, "labelLayout": {"moveOverlap": "shiftY"}}


def _legend(
    lines: Mapping[str, Line], dots: Mapping[str, Dots], style: Style, names: int
) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    """Where the grid begins below the list of names, the list, and where the grid begins by the width of the page."""
    drawn, icon = (list(lines), 32) if style.legend == "all" else ([], 12)
    shown = style.legend != "none" and len(drawn) + len(dots) > 1
    above = names + LEGEND * shown + 8
    media = _by_width((*drawn, *dots), icon, above) if shown else []
    words = _words(css("quiet"))
    legend = {
        "show": shown,
        "type": "plain" if media or not shown else "scroll",
        "left": 0,
        "width": f"{LISTED:.0%}",
        "top": 0,
        "data": [*drawn, *({"name": name, "itemStyle": {"opacity": 1}} for name in dots)],
        "itemStyle": {"opacity": 0},
        "itemWidth": icon,
        "textStyle": words | {"color": css("text")},
        "pageTextStyle": words,
    }
    return above, legend, media


def _words(ink: str) -> dict[str, Any]:
    return {"fontFamily": SANS, "color": ink, "fontSize": 14}


def _axis(words: dict[str, Any], rule: dict[str, Any]) -> dict[str, Any]:
    away = {"show": False}
    return {"nameTextStyle": words, "axisLine": rule, "splitLine": away, "axisTick": away, "axisLabel": away}


def _x(axis: XAxis, across: Ticks, words: dict[str, Any], rule: dict[str, Any]) -> dict[str, Any]:
    stops = axis.stops
    return _axis(words, rule) | {
        "type": "category" if stops else "log" if axis.log else "value",
        "data": list(stops) or None,
        "boundaryGap": False,
        "min": None if stops else across.low,
        "max": None if stops else across.high,
        "axisLabel": words | {"hideOverlap": True} if stops else {"show": False},
        "name": axis.title,
        "nameLocation": "middle",
        "nameGap": NAMES,
        "axisPointer": {"label": {"formatter": None if stops else " "}},  # TICKS says it
    }


def _y(axis: YAxis, up: Ticks, words: dict[str, Any], rule: dict[str, Any]) -> dict[str, Any]:
    return _axis(words, rule) | {
        "type": "log" if axis.log else "value",
        "min": up.low,
        "max": up.high,
        "axisLine": rule | {"onZero": False},  # also where x runs through 0
        "name": axis.title,
        "nameTextStyle": words | {"align": "left"},
        "nameGap": 12,
    }


@lru_cache(maxsize=256)
def _by_width(names: tuple[str, ...], icon: int, above: int) -> list[dict[str, Any]]:
    """Where the grid begins below a list of names that takes another line where there is no room beside the others;
    nothing, if a phone would have more lines than `LINES`."""

    def lines(width: int) -> int:
        return 1 + max((line for _, line in flowing(names, 0, LISTED * width - icon, 15, icon + 16)), default=0)

    def below(width: int) -> dict[str, Any]:
        return {"grid": {"top": above + LINE * (lines(width) - 1)}}

    if lines(PHONE) > LINES:
        return []
    widths = [width for width in range(PAGE, PHONE, -1) if lines(width - 1) > lines(width)]
    return [{"option": below(PAGE)}, *({"query": {"maxWidth": at}, "option": below(at - 1)} for at in widths)]


def points_of(x: np.ndarray, y: np.ndarray) -> Points:
    """The rows of `COLUMNS`; nan is a gap. Nobody changes them: those of a short line are written once."""
    values = [np.asarray(side, dtype=np.float64) for side in (x, y)]
    if len(values[0]) > SHORT:
        return _written(*(side.tolist() for side in values))
    return _kept(*(side.tobytes() for side in values))


@lru_cache(maxsize=128)  # 8 MB at most
def _kept(x: bytes, y: bytes) -> Points:
    return _written(*(np.frombuffer(side).tolist() for side in (x, y)))


def _written(x: list[float], y: list[float]) -> Points:
    rows = zip(x, y, strict=True)
    return [[a, *((None, None) if math.isnan(b) else (float(f"{b:.7g}"), number(b)))] for a, b in rows]


def ticks_of(name: str, places: Sequence[float], low: float, grid: dict[str, Any]) -> dict[str, Any]:
    """What the tooltip says of x, and the rules of the grid with their numbers."""
    return COLUMNS | {
        "id": TICKS,
        "type": "line",
        "name": name,
        "data": [[place, low, number(place)] for place in places],
        "silent": True,
        "color": "transparent",
        "symbol": "none",
        "markLine": grid,
    }


def ruled(rules: Sequence[dict[str, Any]], rule: dict[str, Any]) -> dict[str, Any]:
    """Rules over a grid, as a series of ECharts marks them."""
    lines = {"lineStyle": {"type": "solid", "width": 1} | rule["lineStyle"]}
    return {"silent": True, "symbol": "none", "animation": False, "z": 0, "precision": 12, "data": list(rules)} | lines


def _limits(places: Sequence[float], ink: str) -> dict[str, Any]:
    return {
        "silent": True,
        "symbol": "none",
        "animation": False,
        "precision": 12,
        "lineStyle": {"color": ink, "type": "dotted", "width": 1.5},
        "label": {"show": False},
        "data": [{"xAxis": place} for place in places],
    }


def _rules(rules: Mapping[str, Mapping[str, float]], words: dict[str, Any]) -> dict[str, Any]:
    return {
        "silent": True,
        "symbol": "none",
        "animation": False,
        "z": 2,  # below dots, points and their names
        "precision": 12,  # decimals; left alone, ECharts moves a rule to the second one
        "lineStyle": {"color": words["color"], "type": "dotted", "width": 1.5},
        "data": [
            {axis: place, "label": words | {"formatter": name} | BESIDE[axis]}
            for axis, named in rules.items()
            for name, place in named.items()
        ],
    }


def _dots(
    name: str, x: np.ndarray, y: np.ndarray, ink: str, symbol: str, written: Sequence[str] = ()
) -> dict[str, Any]:
    points = points_of(x, y)
    return COLUMNS | {
        "type": "scatter",
        "name": name,
        "data": [[*point[:2], words] for point, words in zip(points, written, strict=True)] if written else points,
        "color": ink,
        "symbol": symbol,
        "symbolSize": 9,
        "z": 3,
    }


def _point(name: str, x: float, y: float) -> dict[str, Any]:
    text = css("text")
    label = {
        "fontSize": 14,
        "formatter": "{a}",
        "position": "top",
        "padding": [1, 4],
        "backgroundColor": css("background"),
        "color": text,
    }
    return COLUMNS | {
        "type": "scatter",
        "name": name,
        "data": points_of(np.array([x]), np.array([y])),
        "symbolSize": 11,
        "itemStyle": {"color": css("chosen"), "borderColor": text, "borderWidth": 1, "opacity": 1},
        "label": {"show": True, "fontFamily": SANS} | label,
        "z": 4,
    }
