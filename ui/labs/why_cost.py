"""Chapter why_attention: table 1 as curves, and where they cross."""

import numpy as np
import streamlit as st

from transformer_core.complexity import (
    KINDS,
    Kind,
    Sizes,
    crossing,
    layer_cost,
    path_length,
    products,
    sequential_steps,
)
from ui import controls
from ui.caption import caption
from ui.drawing import chart
from ui.figures.arithmetic import number
from ui.figures.curves import Curves, curves
from ui.fragment import fragment
from ui.labs import why_snippets
from ui.settings.why_attention import WhyAttention
from ui.shell import Chapter
from ui.theme import color

MILLION = 1e6
COST_RANGE = (1e-4, 1e6)  # millions of multiplications
ENDS = {"n": (4, 4096), "d": (4, 1024)}
FORMULAS: dict[str, dict[Kind, str]] = {
    "table": {"recurrent": "nd²", "convolution": "knd²", "attention": "n²d"},
    "all": {"recurrent": "6nd²", "convolution": "knd²", "attention": "4nd² + 2n²d"},
}
TALL, LOW = 400, 194  # px

_TOKENS, _WIDTH = 10, 512  # a short sentence in the paper's base model
SHORT = {
    "attention": f"{layer_cost('attention', _TOKENS, _WIDTH):,}",
    "recurrent": f"{layer_cost('recurrent', _TOKENS, _WIDTH):,}",
    "times": number(float(layer_cost("recurrent", _TOKENS, _WIDTH) / layer_cost("attention", _TOKENS, _WIDTH)), 3),
    "all_times": number(float(products("recurrent", _TOKENS, _WIDTH) / products("attention", _TOKENS, _WIDTH)), 3),
}


def names_of(chapter: Chapter) -> dict[Kind, str]:
    return {kind: chapter.say(f"kind.{kind}") for kind in KINDS}


def colors_of(chapter: Chapter) -> list[str]:
    return [color(kind, chapter.mode) for kind in KINDS]


@fragment
def cost_lab(chapter: Chapter) -> None:
    say = chapter.say
    first, second = st.columns([1, 4], gap="medium", vertical_alignment="bottom")
    with first:
        over = controls.choose(chapter, "over")
    with second:
        fixed = controls.slider(chapter, "d", step=16) if over == "n" else controls.slider(chapter, "n", step=4)
    charts = st.container()  # above the other controls, so that a phone shows them too
    first, second = st.columns(2, gap="medium", vertical_alignment="bottom")
    with first:
        kernel = controls.slider(chapter, "kernel")
    with second:
        counted = controls.choose(chapter, "count") == "all"
    x = np.geomspace(*ENDS[over], 41)
    n, d = (x, np.full_like(x, fixed)) if over == "n" else (np.full_like(x, fixed), x)
    left, right = charts.columns([3, 2], gap="medium")
    with left:
        chart(chapter, "cost", cost_chart(chapter, over, x, n, d), alt=say("cost.alt", d=fixed, kernel=kernel))
    steps: dict[str, np.ndarray] = {kind: np.asarray(sequential_steps(kind, n)) for kind in KINDS}
    paths = paths_of(n, kernel)
    with right:
        for figure, lines, ends in (
            ("steps", steps, {"recurrent": "n", "attention": "1"}),
            ("paths", paths, {"recurrent": "n", "near": "n / k", "wide": "logₖ n", "attention": "1"}),
        ):
            picture = small_chart(chapter, over, x, lines, ends, say(f"cost.{figure}"))
            chart(chapter, figure, picture, alt=say(f"cost.{figure}_alt"))
    sentences = [crossing_sentence(chapter, kind) for kind in KINDS[:2]]
    st.markdown("  \n".join(sentences))
    cost = products if counted else layer_cost
    caption(
        chapter,
        "cost",
        f"{cost.__name__}(n, d, {kernel}) · 3 × {len(x)} · {'d' if over == 'n' else 'n'} {fixed}",
        numbers=np.column_stack([x, *(cost(kind, n, d, kernel) for kind in KINDS), *steps.values(), *paths.values()]),
        columns=[
            over,
            *(f"{name}: {say('cost.cost')}" for name in names_of(chapter).values()),
            *(f"{name}: {say('cost.steps')}" for name in names_of(chapter).values()),
            *(f"{say(f'path.{name}')}: {say('cost.paths')}" for name in paths),
        ],
        code=[layer_cost, products, sequential_steps, path_length, crossing],
        snippet=why_snippets.cost(over, fixed, kernel, cost.__name__, ENDS[over], len(x)),
    )


def paths_of(n: np.ndarray, kernel: int) -> dict[str, np.ndarray]:
    """A stack of convolutions twice: neighbours only, and with gaps that widen."""
    found: dict[str, Sizes] = {
        "recurrent": path_length("recurrent", n),
        "near": path_length("convolution", n, kernel, dilated=False),
        "wide": path_length("convolution", n, kernel),
        "attention": path_length("attention", n),
    }
    return {name: np.asarray(lengths) for name, lengths in found.items()}


def cost_chart(chapter: Chapter, over: str, x: np.ndarray, n: np.ndarray, d: np.ndarray) -> Curves:
    chosen, names = chapter.settings, names_of(chapter)
    cost, formulas = products if chosen.count == "all" else layer_cost, FORMULAS[chosen.count]
    lines = {names[kind]: np.asarray(cost(kind, n, d, chosen.kernel)) / MILLION for kind in KINDS}
    return curves(
        x,
        lines,
        chapter.mode,
        x_title=chapter.say(f"cost.{over}"),
        y_title=chapter.say("cost.millions"),
        colors=colors_of(chapter),
        ends={names[kind]: formulas[kind] for kind in KINDS},
        points=crossing_points(chosen, over),
        log_x=True,
        log_y=True,
        y_range=COST_RANGE,
        height=TALL,
    )


def ratio_of(chosen: WhyAttention, kind: Kind) -> float | None:
    """n / d at the crossing with attention, the same for all d."""
    return crossing(kind, 1.0, chosen.kernel, counted=chosen.count == "all")


def crossing_points(chosen: WhyAttention, over: str) -> dict[str, tuple[float, float]]:
    points = {}
    for kind in KINDS[:2]:
        ratio = ratio_of(chosen, kind)
        if ratio is None:
            continue
        n, d = (ratio * chosen.d, chosen.d) if over == "n" else (chosen.n, chosen.n / ratio)
        at = n if over == "n" else d
        if ENDS[over][0] <= at <= ENDS[over][1]:
            cost = products if chosen.count == "all" else layer_cost
            points[f"{over} = {number(at)}"] = (at, float(cost("attention", n, d, chosen.kernel)) / MILLION)
    return points


def crossing_sentence(chapter: Chapter, kind: Kind) -> str:
    chosen, over = chapter.settings, chapter.settings.over
    ratio, other = ratio_of(chosen, kind), chapter.say(f"kind.{kind}")
    if ratio is None:
        return chapter.say("crossing.never", other=other, kernel=chosen.kernel)
    at = ratio * chosen.d if over == "n" else chosen.n / ratio
    return chapter.say(f"crossing.{over}", other=other, d=chosen.d, n=chosen.n, at=number(at))


def small_chart(
    chapter: Chapter, over: str, x: np.ndarray, lines: dict[str, np.ndarray], ends: dict[str, str], title: str
) -> Curves:
    """Steps or paths; the colours are those of the large chart, which has their names."""
    say, mode = chapter.say, chapter.mode
    inks = {"near": "convolution", "wide": "convolution"}
    return curves(
        x,
        {say(f"path.{name}"): values for name, values in lines.items()},
        mode,
        x_title=say(f"cost.{over}"),
        y_title=title,
        colors=[color(inks.get(name, name), mode) for name in lines],
        dashed=[say("path.wide"), *([say("path.attention")] if "near" not in lines else [])],
        ends={say(f"path.{name}"): formula for name, formula in ends.items()},
        legend="none",
        log_x=True,
        log_y=True,
        y_range=(1, 1e4),
        height=LOW,
    )
