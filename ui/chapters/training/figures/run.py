"""Pictures of a run: its curves, and what the probe looks at."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ui.figures import TWO_COLORS, Curves, Panel
from ui.figures.axes import Ticks, along, marked, upright
from ui.figures.curves import COLUMNS, TICKS, TOOLTIP, points_of, ruled, ticks_of, tint
from ui.figures.markup import Markup, element, glossed, in_direction, style
from ui.theme import SANS, css

STEPS = (1.0, 2.0, 5.0)  # and their tenths, hundredths, …: where a scale may end


def reach(values: Sequence[float] | np.ndarray) -> float:
    """Where the scale ends on either side: a round number, so that it changes seldom, with room for all values."""
    largest = 1.5 * float(np.abs(np.asarray(values, dtype=float)).max()) or 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next(step * power for step in (*STEPS, 10.0) if step * power >= largest)


def tip(value: float, end: float, radius: float) -> tuple[float, float]:
    """Where the needle ends, from its centre: −end is on the left, 0 on top, end on the right."""
    angle = math.pi / 2 * (1 - max(-1.0, min(1.0, value / end)))
    return radius * math.cos(angle), -radius * math.sin(angle)


def dial(value: float, began: float, end: float) -> Markup:
    """A half circle with the needle of `value`, and a faint one where it began: each turned by its angle."""
    needles = [
        element("i", class_=which, style=style(transform=f"rotate({90 * max(-1.0, min(1.0, one / end)):.1f}deg)"))
        for which, one in (("zero", 0.0), ("began", began), ("now", value))
    ]
    return element("span", *needles, class_="dial", aria_hidden="true")


HEIGHT, TALLER = 216, 236  # px, without and with the words of each kind
NARROW = 480  # px: on a narrower page the plots stand below each other
WIDE = ({"left": "7%", "width": "37%"}, {"left": "52%", "width": "18%"}, {"left": "82%", "width": "16%"})
TALL = ({"top": 26, "height": 56}, {"top": 116, "height": 28}, {"top": 182, "height": 26})  # on a phone
WIDE_KINDS = ({"left": "7%", "width": "30%"}, {"left": "45%", "width": "32%"}, {"left": "87%", "width": "11%"})
TALL_KINDS = ({"top": 26, "height": 38}, {"top": 92, "height": 48}, {"top": 168, "height": 22})  # above a legend
DASHES = ("solid", "dashed", "dotted")  # of the kinds, so that they are told apart without colour
AWAY = {"show": False}
Curve = tuple[np.ndarray, np.ndarray]  # steps, values


class Ghost(NamedTuple):
    """Another run, quietly behind the one that is drawn, or beside it where it is its `rival`."""

    name: str
    loss: Curve
    match: Curve
    rival: bool = False


def curves(
    loss: Curve,
    match: Curve,
    rate: Curve,
    *,
    last: int,
    guess: float,
    at: int,
    labels: Mapping[str, str],
    kinds: Mapping[str, Curve] | None = None,
    ghosts: Sequence[Ghost] = (),
) -> Curves:
    """Loss, exact match and rate over the steps 0…last, side by side.

    `guess` is the loss of guessing; `at` the step that is looked at. With the match stand the shares of words of some
    `kinds`, by their names. Of `ghosts` is seen what lies within the run's own steps and losses.
    """
    kinds = kinds or {}
    named = [*([labels["match"], *kinds] if kinds else []), *(ghost.name for ghost in ghosts)]
    height, tall = (TALLER, TALL_KINDS) if named else (HEIGHT, TALL)
    wide = WIDE_KINDS if kinds else WIDE
    quiet, rule = css("quiet"), {"lineStyle": {"color": css("grid")}}
    inks = [tint(index, len(kinds)) for index in reversed(range(len(kinds)))]
    words = {"fontFamily": SANS, "color": quiet, "fontSize": 14}

    def axis(index: int, **more: Any) -> dict[str, Any]:
        return {
            "type": "value", "gridIndex": index, "nameTextStyle": words, "axisLine": rule,
            "axisLabel": AWAY, "axisTick": AWAY, "splitLine": AWAY,
        } | more  # fmt: skip

    def line(index: int, name: str, curve: Curve, ink: str, marks: list[Any], **more: Any) -> dict[str, Any]:
        return {
            **COLUMNS, "data": points_of(*curve),
            "type": "line", "name": name, "xAxisIndex": index, "yAxisIndex": index, "showSymbol": False,
            "lineStyle": {"color": ink, "width": 2}, "itemStyle": {"color": ink},
            "markLine": {"silent": True, "symbol": "none", "animation": False, "data": marks},
        } | more  # fmt: skip

    here = {"xAxis": at, "lineStyle": {"color": css("chosen"), "type": "solid", "width": 2},
            "label": {"show": False}}  # fmt: skip
    over_grid = words | {"position": "insideEndBottom", "backgroundColor": css("background"), "padding": [0, 4]}
    guessing = {"yAxis": guess, "lineStyle": {"color": quiet, "type": "dashed"},
                "label": over_grid | {"formatter": labels["guess"]}}  # fmt: skip
    names = [labels[name] for name in ("loss", "share" if kinds else "match", "rate")]
    across = along(0, last, counts=True)
    ups = [
        upright(np.array([0, guess, *loss[1]]), None),
        Ticks(0, 1, [0, 0.5, 1]),
        upright(np.array([0, *rate[1]]), None),
    ]
    steps = np.unique(np.concatenate([loss[0], match[0], rate[0]])).tolist()

    def ticks(index: int, *, narrow: bool = False) -> dict[str, Any]:
        """The numbers of a plot's axes, fewer below a narrow one; on a phone those of x below the last alone, and of y
        the ends."""
        up, apart = ups[index], 1 if narrow else (1, 1 if kinds else 2, max(1, len(across.at) - 1))[index]
        places = across._replace(at=across.at[::apart]), up._replace(at=up.at[:: len(up.at) - 1]) if narrow else up
        x = [] if narrow and index < 2 else marked("xAxis", places[0], words)
        y = marked("yAxis", places[1], words)
        one = ticks_of(labels["step"], [] if index else steps, 0, ruled([*x, *y], rule))
        return one | {"id": f"{TICKS}.{index}", "xAxisIndex": index, "yAxisIndex": index}

    option = {
        "baseOption": {
            "animation": False,
            "tooltip": TOOLTIP,
            "axisPointer": {"link": [{"xAxisIndex": "all"}], "label": {"formatter": " "}},
            "grid": [{"top": 30, "height": height - 76 - 32 * bool(named)} | place for place in wide],
            "legend": {
                "show": bool(named),
                "data": named,
                "bottom": 0,
                "itemWidth": 30,
                "textStyle": words,
                "type": "scroll",
            },
            "xAxis": [
                axis(i, min=0, max=last, name=labels["step"], nameLocation="middle", nameGap=24) for i in range(3)
            ],
            "yAxis": [
                axis(i, min=0, max=ups[i].high, name=names[i], nameTextStyle=words | {"align": "left"})
                for i in range(3)
            ],
            "series": [
                *(
                    line(index, ghost.name, (curve[0][inside], curve[1][inside]), ink, [], lineStyle=style, z=1)
                    for ghost in ghosts
                    for ink, style in [_of_ghost(ghost)]
                    for index, curve in enumerate((ghost.loss, ghost.match))
                    for inside in [curve[0] <= last]
                ),
                line(0, labels["loss"], loss, css("text"), [guessing, here]),
                line(1, labels["match"], match, css("right"), [here], showSymbol=True, symbolSize=5),
                line(2, labels["rate"], rate, quiet, [here]),
                *(
                    line(1, name, curve, ink, [], lineStyle={"color": ink, "width": 2, "type": dash})
                    for (name, curve), ink, dash in zip(kinds.items(), inks, DASHES)
                ),
                *(ticks(index) for index in range(3)),
            ],
        },
        "media": [
            {
                "query": {"maxWidth": NARROW},
                "option": {
                    "grid": [{"left": 46, "width": "80%"} | place for place in tall],
                    "xAxis": [{"name": ""} for _ in range(3)],
                    "yAxis": [{"nameGap": 8} for _ in range(3)],
                    "series": [ticks(index, narrow=True) for index in range(3)],
                },
            }
        ],
    }
    return Curves(option, height)


def _of_ghost(ghost: Ghost) -> tuple[str, dict[str, Any]]:
    """Its colour, and its line."""
    ink = TWO_COLORS[1] if ghost.rival else css("quiet")
    return ink, {"color": ink, "width": 2 if ghost.rival else 1.2, "opacity": 1 if ghost.rival else 0.55}


def probe_wall(
    maps: np.ndarray,
    predicted: Sequence[str],
    source: Sequence[str],
    titles: Sequence[Sequence[str]],
    labels: Mapping[str, str],
    *,
    named: bool = False,
) -> list[Panel]:
    """The cross-attention (N, h, T, L) of the probe: a line per layer, a matrix per head, each with its title.

    `named` gives the matrices room for the names of their columns, and of the rows where a line begins.
    """
    layers, heads = maps.shape[:2]
    return [
        Panel(
            f"cross.{layer}.{head}",
            maps[layer, head].astype(np.float32),
            titles[layer][head],
            predicted,
            source,
            labels["predicted"],
            labels["source"],
            scale="probability",
            place=(layer, head),
            wall=0 if named else heads,
            beside=named,
            meaning="decoder",
        )
        for layer in range(layers)
        for head in range(heads)
    ]


def verdict(
    name: str, given: Sequence[object], wanted: Sequence[object], mistake: str, glosses: Mapping[str, str]
) -> Markup:
    """The labels of tokens in a row, each marked as right or wrong, those past the end of what is wanted as wrong.

    Where nothing is wanted, as no answer is known, they are only shown.
    """
    boxes = []
    for index, token in enumerate(given):
        word = glossed(str(token), glosses)
        if not wanted:
            boxes.append(element("span", word, class_="token"))
        elif index < len(wanted) and token == wanted[index]:
            boxes.append(element("span", word, class_="token right"))
        else:
            hint = f"{mistake} {wanted[index]}" if index < len(wanted) else None
            boxes.append(element("span", "✗ ", word, class_="token wrong", title=hint))
    return element("div", element("small", name), *in_direction(boxes), class_="tokens")


def corrected(
    source: str, given: Sequence[str], wanted: Sequence[str], mistake: str, glosses: Mapping[str, str]
) -> Markup:
    """A source as it is written, and what a model makes of it: a wrong word struck through, the right one after it."""
    boxes = []
    for word, right in zip(given, wanted, strict=True):
        if word == right:
            boxes.append(element("span", glossed(word, glosses), class_="token right"))
        else:
            struck, mended = element("s", glossed(word, glosses)), element("b", glossed(right, glosses))
            boxes.append(element("span", struck, " ", mended, class_="token wrong", title=f"{mistake} {right}"))
    return element(
        "div", element("p", source), element("div", *in_direction(boxes), class_="tokens"), class_="corrected"
    )
