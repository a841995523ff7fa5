"""The multiplications of table 1 as curves, where they cross, and what it says of waiting."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from transformer_core.experiments.complexity import (
    KINDS,
    Kind,
    Sizes,
    crossing,
    layer_cost,
    path_length,
    products,
    sequential_steps,
)
from ui.figures import Curves, Figure, Marks, Style, XAxis, YAxis, curves, large_unit, number, runnable
from ui.sections import AnyChapter, Chapter, Choice, Section, controls, predict, show
from ui.settings.fields import Settings, choice, whole
from ui.theme import css

INKS = [css(kind) for kind in KINDS]
STACKS: dict[str, tuple[Kind, bool]] = {  # convolutions twice: of neighbours only, and with gaps that widen
    "recurrent": ("recurrent", False),
    "near": ("convolution", False),
    "wide": ("convolution", True),
    "attention": ("attention", False),
}
FORMULAS: dict[str, dict[Kind, str]] = {
    "table": {"recurrent": "nd²", "convolution": "knd²", "attention": "n²d"},
    "all": {"recurrent": "6nd²", "convolution": "knd²", "attention": "4nd² + 2n²d"},
}


def cost(count: str, kind: Kind, n: Sizes, d: Sizes, kernel: int) -> Sizes:
    """The multiplications of a layer: those that table 1 counts, or "all"."""
    return products(kind, n, d, kernel) if count == "all" else layer_cost(kind, n, d, kernel)


def names_of(chapter: AnyChapter) -> dict[Kind, str]:
    return {kind: chapter.say(f"kind.{kind}") for kind in KINDS}


RANGE = 1e2, 1e12  # multiplications
ENDS = {"n": (4, 4096), "d": (4, 1024)}  # of the curves
POINTS = 41  # of each curve
_TOKENS, _WIDTH = 10, 512  # a short sentence in the paper's base model
COSTS = {
    "attention": f"{layer_cost('attention', _TOKENS, _WIDTH):,}",
    "recurrent": f"{layer_cost('recurrent', _TOKENS, _WIDTH):,}",
    "times": number(float(layer_cost("recurrent", _TOKENS, _WIDTH) / layer_cost("attention", _TOKENS, _WIDTH)), 3),
    "all_times": number(float(products("recurrent", _TOKENS, _WIDTH) / products("attention", _TOKENS, _WIDTH)), 3),
}

SHORT = Choice("short", ("recurrent", "same", "attention"), right="attention", lead="find")


class Cost(Settings):
    over: str = choice("n", "n", "d")  # what the curves run along
    d: int = whole(512, 16, 1024)
    n: int = whole(64, 4, 4096)
    kernel: int = whole(3, 2, 15)
    count: str = choice("table", "table", "all")  # the products that table 1 counts, or all

    @property
    def fixed(self) -> int:
        return self.d if self.over == "n" else self.n

    def crossing(self, kind: Kind) -> float | None:
        """The n, or d, at which self-attention costs as much as another layer; None where it always costs more."""
        ratio = crossing(kind, 1.0, self.kernel, counted=self.count == "all")  # n / d, the same for all d
        if ratio is None:
            return None
        return ratio * self.d if self.over == "n" else self.n / ratio


def along(over: str, fixed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the curves run along, and n and d there, (POINTS,) each."""
    x = np.geomspace(*ENDS[over], POINTS)
    same = np.full_like(x, fixed)
    return (x, x, same) if over == "n" else (x, same, x)


def costs(over: str, fixed: int, kernel: int, count: str) -> np.ndarray:
    """(POINTS, 4): n or d, and the multiplications of each kind of layer."""
    x, n, d = along(over, fixed)
    return np.column_stack([x, *(cost(count, kind, n, d, kernel) for kind in KINDS)])


def waits(over: str, fixed: int, kernel: int) -> np.ndarray:
    """(POINTS, 8): n or d, the steps within each kind of layer, and the longest path between two tokens in a stack."""
    x, n, _ = along(over, fixed)
    paths = [path_length(kind, n, kernel, dilated=wide) for kind, wide in STACKS.values()]
    return np.column_stack([x, *(sequential_steps(kind, n) for kind in KINDS), *paths])


@Section("cost", settings=Cost, look="lead", asks=(SHORT,))
def table_1(chapter: Chapter[Cost]) -> None:
    place = _controls(chapter)
    with place:
        show(chapter, _costs(chapter))
        show(chapter, _waits(chapter))
    st.markdown("  \n".join(_crossing(chapter, kind) for kind in KINDS[:2]))
    chapter.write("see")
    if predict(chapter, SHORT):
        chapter.write("cost.why", **COSTS)


def _controls(chapter: Chapter[Cost]) -> DeltaGenerator:
    """Gives the place of the figures between them."""
    other = {"d": {"step": 16}} if chapter.settings.over == "n" else {"n": {"step": 4}}
    controls.side_by_side(chapter, (1, 4), over={}, **other)
    place = st.container()  # above the other controls, so that a phone shows them too
    controls.side_by_side(chapter, kernel={}, count={})
    return place


def _costs(chapter: Chapter[Cost]) -> Figure:
    say, chosen, names = chapter.say, chapter.settings, names_of(chapter)
    over, fixed, kernel, count = chosen.over, chosen.fixed, chosen.kernel, chosen.count
    numbers = costs(over, fixed, kernel, count)
    x, *lines = numbers.T
    unit = large_unit(chapter.lang)
    picture = curves(
        x,
        {name: line / unit for name, line in zip(names.values(), lines)},
        x_axis=XAxis(say(f"cost.{over}"), log=True),
        y_axis=YAxis(say("cost.millions"), log=True, range=(RANGE[0] / unit, RANGE[1] / unit)),
        marks=Marks(points=_crossings(chosen, unit)),
        style=Style(colors=INKS, end_labels={names[kind]: formula for kind, formula in FORMULAS[count].items()}),
        height=400,
    )
    function = products if count == "all" else layer_cost
    return Figure(
        "cost",
        picture,
        f"{function.__name__}(n, d, {kernel}) · 3 × {POINTS} · {'d' if over == 'n' else 'n'} {fixed}",
        numbers,
        [over, *(f"{name}: {say('cost.cost')}" for name in names.values())],
        code=[layer_cost, products, crossing],
        program=runnable(costs, over, fixed, kernel, count),
        alt=say("cost.alt", d=fixed, kernel=kernel),
    )


def _crossings(chosen: Cost, unit: float) -> dict[str, tuple[float, float]]:
    """Where other curves meet that of attention, by what is written there."""
    points = {}
    low, high = ENDS[chosen.over]
    for kind in KINDS[:2]:
        at = chosen.crossing(kind)
        if at is not None and low <= at <= high:
            n, d = (at, chosen.d) if chosen.over == "n" else (chosen.n, at)
            height = float(cost(chosen.count, "attention", n, d, chosen.kernel)) / unit
            points[f"{chosen.over} = {number(at)}"] = (at, height)
    return points


def _crossing(chapter: Chapter[Cost], kind: Kind) -> str:
    chosen, other = chapter.settings, chapter.say(f"kind.{kind}")
    at = chosen.crossing(kind)
    if at is None:
        return chapter.say("crossing.never", other=other, kernel=chosen.kernel)
    return chapter.say(f"crossing.{chosen.over}", other=other, d=chosen.d, n=chosen.n, at=number(at))


def _waits(chapter: Chapter[Cost]) -> Figure:
    say, chosen = chapter.say, chapter.settings
    numbers = waits(chosen.over, chosen.fixed, chosen.kernel)
    x, *lines = numbers.T
    steps: dict[str, np.ndarray] = dict(zip(KINDS, lines))
    paths = dict(zip(STACKS, lines[len(steps) :]))
    drawn = (
        ("steps", steps, {"recurrent": "n", "attention": "1"}),
        ("paths", paths, {"recurrent": "n", "near": "n / k", "wide": "logₖ n", "attention": "1"}),
    )
    return Figure(
        "waiting",
        [_small(chapter, x, some, ends, say(f"cost.{name}")) for name, some, ends in drawn],
        f"sequential_steps(n), path_length(n, {chosen.kernel}) · {len(lines)} × {POINTS}",
        numbers,
        [
            chosen.over,
            *(f"{name}: {say('cost.steps')}" for name in names_of(chapter).values()),
            *(f"{say(f'path.{name}')}: {say('cost.paths')}" for name in paths),
        ],
        code=[sequential_steps, path_length],
        program=runnable(waits, chosen.over, chosen.fixed, chosen.kernel),
        alt=[say(f"cost.{name}_alt") for name, *_ in drawn],
    )


def _small(
    chapter: Chapter[Cost], x: np.ndarray, lines: dict[str, np.ndarray], ends: dict[str, str], title: str
) -> Curves:
    """Steps or paths; the colours are those of the large chart, which has their names."""
    names = {name: chapter.say(f"path.{name}") for name in (*STACKS, *KINDS)}
    return curves(
        x,
        {names[name]: values for name, values in lines.items()},
        x_axis=XAxis(chapter.say(f"cost.{chapter.settings.over}"), log=True),
        y_axis=YAxis(title, log=True, range=(1, 1e4)),
        style=Style(
            colors=[css(STACKS[name][0] if name in STACKS else name) for name in lines],
            dashed=[names["wide"], *([names["attention"]] if "near" not in lines else [])],
            end_labels={names[name]: formula for name, formula in ends.items()},
            legend="none",
        ),
        height=240,
    )
