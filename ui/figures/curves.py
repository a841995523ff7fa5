"""Lines over a shared x: arrays and labels in, an option object of ECharts out, which the page redraws in place."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from ui.figures.letters import flowing
from ui.figures.number import alike, number
from ui.figures.plot import Plot
from ui.theme import SANS, Mode, css

MOST = 6  # steps from the first number to the last
LETTERS = 36  # for which there is room along a narrow x, spaces among them
FEW = 12  # steps of one that all get a number
SHORT = 256  # points of a line that is kept as it is written

Points = list[list[float | str | None]]


class Ticks(NamedTuple):
    """The ends of an axis, and the numbers on it."""

    low: float
    high: float
    at: list[float]

    def widest(self) -> int:
        """Letters of the longest."""
        return max(map(len, alike(self.at)), default=0)


def along(low: float, high: float, *, log: bool = False, counts: bool = False) -> Ticks:
    """An x from low to high: round numbers, each of a few where it counts things, powers of two where it is
    logarithmic, or of four, eight… where those have no room; two of them at least, where there can be."""
    if log:
        first, last = math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9)
        ways = [[2.0**power for power in range(first, last + 1, every)] for every in range(1, last - first + 2)]
    else:
        steps = [1.0] * (counts and high - low <= FEW) + [_step(low, high, most) for most in range(MOST, 0, -1)]
        ways = [_multiples(step, math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)) for step in steps]
    room = [at for at in ways if sum(len(text) + 1.5 for text in alike(at)) <= LETTERS]
    return Ticks(low, high, next((at for at in room if len(at) > 1), room[0] if room else []))


def upright(values: np.ndarray, ends: tuple[float, float] | None, *, log: bool = False) -> Ticks:
    """A y with these ends, or from round number to round number around the values; a logarithmic one has powers of
    ten."""
    there = values[np.isfinite(values) & ((values > 0) | (not log))]
    low, high = ends or ((float(there.min()), float(there.max())) if there.size else (1.0, 1.0))
    if ends is None and low == high:
        low, high = (low / 2, low * 2) if log else (low - (abs(low) or 1), low + (abs(low) or 1))
    down, up = (math.ceil, math.floor) if ends else (math.floor, math.ceil)
    step = 1.0 if log else _step(low, high)
    first, last = (math.log10(low), math.log10(high)) if log else (low / step, high / step)
    nudge = 1e-9 if ends else -1e-9  # what is a round number but for rounding is one
    steps = down(first - nudge), up(last + nudge)
    at = [10.0**power for power in range(steps[0], steps[1] + 1)] if log else _multiples(step, *steps)
    return Ticks(*(ends or (at[0], at[-1])), at)


def _step(low: float, high: float, most: int = MOST) -> float:
    """The smallest of 1, 2 and 5 times a power of ten with which there are at most so many from low to high."""
    size = 10.0 ** math.floor(math.log10((high - low) / most)) if high > low else 1.0
    return next(size * by for by in (1, 2, 5, 10) if (high - low) / (size * by) <= most + 1e-9)


def _multiples(step: float, first: int, last: int) -> list[float]:
    return [float(f"{step * times:.12g}") for times in range(first, last + 1)]


def marked(axis: str, ticks: Ticks, words: dict[str, Any]) -> list[dict[str, Any]]:
    """The numbers of an axis of ECharts as rules over its grid, each with what is written at its start."""
    return [
        {axis: value, "label": words | {"formatter": text, "position": "start"}}
        for value, text in zip(ticks.at, alike(ticks.at))
    ]


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
    ends: Mapping[str, str] | None = None,
    x_title: str = "",
    y_title: str = "",
    colors: Sequence[str] = (),
    dashed: Sequence[str] = (),
    points: Mapping[str, tuple[float, float]] | None = None,
    levels: Mapping[str, float] | None = None,
    limits: Mapping[str, Sequence[float]] | None = None,
    uprights: Mapping[str, float] | None = None,
    stops: Sequence[str] = (),
    bins: bool = False,
    legend: Literal["all", "dots", "none"] = "all",
    markers: bool = False,
    log_x: bool = False,
    log_y: bool = False,
    y_range: tuple[float, float] | None = None,
    height: int = 260,
) -> Curves:
    """Lines over x (n,), by name; those named in `dashed` are dashed, and nan is a gap. `ends` are written at the right
    end of the lines they name. `dots` lie on the same axes. `points` are marked in gold, `levels` are horizontal rules,
    `uprights` vertical ones, all with their names; `limits` are vertical rules without, by the line whose colour they
    have. With `stops` x counts along these names; with `bins` it has the middles of a histogram's bins. The `legend`
    lists lines and dots, dots alone, or nothing. `y_range` fixes the ends, so that a change stays visible. A
    logarithmic x has a tick at each power of two, on a long axis of four."""
    words = {"fontFamily": SANS, "color": css("quiet"), "fontSize": 14}
    text = words | {"color": css("text")}
    rule = {"lineStyle": {"color": css("grid")}}
    away = {"show": False}
    axis = {"nameTextStyle": words, "axisLine": rule, "splitLine": away, "axisTick": away, "axisLabel": away}
    dots, ends = dots or {}, ends or {}
    named = [*(lines if legend == "all" else []), *({"name": name, "itemStyle": {"opacity": 1}} for name in dots)]
    listed, icon = legend != "none" and len(named) > 1, 32 if legend == "all" else 12
    above = NAMES * bool(y_title) + LEGEND * listed + 8
    listed_names = tuple(str(one["name"]) if isinstance(one, dict) else str(one) for one in named)
    media = _by_width(listed_names, icon, above) if listed else []
    series: list[dict[str, Any]] = [
        COLUMNS
        | {
            "type": "line",
            "name": name,
            "data": points_of(*(line if isinstance(line, tuple) else (x, line))),
            "color": colors[at] if colors else tint(at, len(lines)),
            "lineStyle": {"width": 2, "type": "dashed" if name in dashed else "solid"},
            "showSymbol": markers,
            "symbol": "circle",
            "symbolSize": 5,
        }
        for at, (name, line) in enumerate(lines.items())
    ]
    places = np.unique(
        [*(point[0] for line in series for point in line["data"]), *(x for d in dots.values() for x in d.x)]
    )
    across = along(float(x[0]), float(x[-1]), log=log_x, counts=not bins)
    heights = [
        *(line[1] if isinstance(line, tuple) else line for line in lines.values()),
        *(d.y for d in dots.values()),
    ]
    heights += [np.array([place[1]]) for place in (points or {}).values()]
    up = upright(np.concatenate(heights) if heights else np.zeros(1), y_range, log=log_y)
    grid = [*([] if stops else marked("xAxis", across, words)), *marked("yAxis", up, words)]
    for line in series:
        if bins:
            line |= {"step": "middle", "areaStyle": {"opacity": 0.25}}
        if limits and line["name"] in limits:
            line["markLine"] = _limits(limits[line["name"]], line["color"])
        if stops:
            line["data"] = [[stops[int(at)], *rest] for at, *rest in line["data"]]
        if line["name"] in ends:
            end = text | {"show": True, "formatter": ends[line["name"]], "color": line["color"], "distance": 4}
            line |= {"endLabel": end, "labelLayout": {"moveOverlap": "shiftY"}}
    if series and (levels or uprights):
        series[0]["markLine"] = _rules({"yAxis": levels or {}, "xAxis": uprights or {}}, words)
    option = {
        "animation": False,
        "tooltip": TOOLTIP,
        "legend": {
            "show": listed,
            "type": "plain" if media or not listed else "scroll",
            "left": 0,
            "width": f"{LISTED:.0%}",
            "top": 0,
            "data": named,
            "itemStyle": {"opacity": 0},
            "itemWidth": icon,
            "textStyle": text,
            "pageTextStyle": words,
        },
        "grid": {
            "left": 12 + LETTER * up.widest(),
            "right": max([20, *(12 + 7 * len(end) for end in ends.values())]),
            "top": above,
            "bottom": NAMES + NUMBERS,
        },
        "xAxis": axis
        | {
            "type": "category" if stops else "log" if log_x else "value",
            "data": list(stops) or None,
            "boundaryGap": False,
            "min": None if stops else across.low,
            "max": None if stops else across.high,
            "axisLabel": words | {"hideOverlap": True} if stops else away,
            "name": x_title,
            "nameLocation": "middle",
            "nameGap": NAMES,
            "axisPointer": {"label": {"formatter": None if stops else " "}},  # TICKS says it
        },
        "yAxis": axis
        | {
            "type": "log" if log_y else "value",
            "min": up.low,
            "max": up.high,
            "axisLine": rule | {"onZero": False},  # also where x runs through 0
            "name": y_title,
            "nameTextStyle": words | {"align": "left"},
            "nameGap": 12,
        },
        "series": [
            ticks_of(x_title, [] if stops else places.tolist(), up.low, ruled(grid, rule)),
            *series,
            *(_dots(name, *some) for name, some in dots.items()),
            *(_point(name, *place) for name, place in (points or {}).items()),
        ],
        "media": media,
    }
    return Curves(option, height)


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
