"""Chapter why_attention: the multiplications of table 1 as curves, and where they cross."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from transformer_core.experiments.complexity import KINDS, Kind, crossing, layer_cost, products
from ui.chapters.why_attention.kinds import ENDS, INKS, names_of, program_of
from ui.chapters.why_attention.questions import SHORT
from ui.chapters.why_attention.settings import WhyAttention
from ui.chapters.why_attention.waiting import waiting_figure
from ui.figures.curves import Curves, curves
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.page.predict import predict
from ui.showing.show import show

MILLION = 1e6
COST_RANGE = (1e-4, 1e6)  # millions of multiplications
FORMULAS: dict[str, dict[Kind, str]] = {
    "table": {"recurrent": "nd²", "convolution": "knd²", "attention": "n²d"},
    "all": {"recurrent": "6nd²", "convolution": "knd²", "attention": "4nd² + 2n²d"},
}
PROGRAMS: dict[str, dict[Kind, str]] = {
    "table": {"recurrent": "n * d**2", "convolution": "k * n * d**2", "attention": "n**2 * d"},
    "all": {"recurrent": "6 * n * d**2", "convolution": "k * n * d**2", "attention": "4 * n * d**2 + 2 * n**2 * d"},
}
HEIGHT = 400  # px

_TOKENS, _WIDTH = 10, 512  # a short sentence in the paper's base model
COSTS = {
    "attention": f"{layer_cost('attention', _TOKENS, _WIDTH):,}",
    "recurrent": f"{layer_cost('recurrent', _TOKENS, _WIDTH):,}",
    "times": number(float(layer_cost("recurrent", _TOKENS, _WIDTH) / layer_cost("attention", _TOKENS, _WIDTH)), 3),
    "all_times": number(float(products("recurrent", _TOKENS, _WIDTH) / products("attention", _TOKENS, _WIDTH)), 3),
}


def cost_lab(chapter: Chapter) -> None:
    """The table, what it counts, and a question on a short sentence."""
    over, fixed, place = _controls(chapter)
    x = np.geomspace(*ENDS[over], 41)
    n, d = (x, np.full_like(x, fixed)) if over == "n" else (np.full_like(x, fixed), x)
    with place:
        show(chapter, cost_figure(chapter, x, n, d, fixed))
        show(chapter, waiting_figure(chapter, x, n, fixed))
    st.markdown("  \n".join(crossing_sentence(chapter, kind) for kind in KINDS[:2]))
    chapter.write("see")
    if predict(chapter, SHORT):
        chapter.write("cost.why", **COSTS)


def _controls(chapter: Chapter) -> tuple[str, int, DeltaGenerator]:
    """What the curves run along, what stays fixed, and the place of the figures between the controls."""
    first, second = st.columns([1, 4], gap="medium", vertical_alignment="bottom")
    with first:
        over = controls.choose(chapter, "over")
    with second:
        fixed = controls.slider(chapter, "d", step=16) if over == "n" else controls.slider(chapter, "n", step=4)
    place = st.container()  # above the other controls, so that a phone shows them too
    first, second = st.columns(2, gap="medium", vertical_alignment="bottom")
    with first:
        controls.slider(chapter, "kernel")
    with second:
        controls.choose(chapter, "count")
    return over, fixed, place


def cost_figure(chapter: Chapter, x: np.ndarray, n: np.ndarray, d: np.ndarray, fixed: int) -> Figure:
    """Multiplications along n or d, (41,) each."""
    say, chosen = chapter.say, chapter.settings
    cost = products if chosen.count == "all" else layer_cost
    return Figure(
        "cost",
        cost_chart(chapter, chosen.over, x, n, d),
        say("cost.alt", d=fixed, kernel=chosen.kernel),
        f"{cost.__name__}(n, d, {chosen.kernel}) · 3 × {len(x)} · {'d' if chosen.over == 'n' else 'n'} {fixed}",
        numbers=np.column_stack([x, *(cost(kind, n, d, chosen.kernel) for kind in KINDS)]),
        columns=[chosen.over, *(f"{name}: {say('cost.cost')}" for name in names_of(chapter).values())],
        code=[layer_cost, products, crossing],
        program=program_of(chapter, len(x), fixed, *(PROGRAMS[chosen.count][kind] for kind in KINDS)),
    )


def cost_chart(chapter: Chapter, over: str, x: np.ndarray, n: np.ndarray, d: np.ndarray) -> Curves:
    chosen, names = chapter.settings, names_of(chapter)
    cost, formulas = products if chosen.count == "all" else layer_cost, FORMULAS[chosen.count]
    lines = {names[kind]: np.asarray(cost(kind, n, d, chosen.kernel)) / MILLION for kind in KINDS}
    return curves(
        x,
        lines,
        x_title=chapter.say(f"cost.{over}"),
        y_title=chapter.say("cost.millions"),
        colors=INKS,
        ends={names[kind]: formulas[kind] for kind in KINDS},
        points=crossing_points(chosen, over),
        log_x=True,
        log_y=True,
        y_range=COST_RANGE,
        height=HEIGHT,
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
