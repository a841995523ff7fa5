"""The layers of table 1 measured on this server, as points beside their curves."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from transformer_core.experiments.complexity import KINDS, parallel_width, products, sequential_steps
from transformer_core.experiments.sequence_layers import LAYERS, SIZES, Layer, Point, build, measure, saved_bytes
from ui import state
from ui.chapters.why_attention.cost import FORMULAS, INKS, cost, names_of
from ui.figures import Curves, Dots, Figure, Style, XAxis, YAxis, curves, number
from ui.sections import Chapter, Section, controls, fragment, show
from ui.session import session
from ui.settings.fields import Settings, choice
from ui.theme import css
from ui.training_service.layer_timings import Measurement, measurements, share

KERNEL = 3
ALONG = np.geomspace(SIZES[0], SIZES[-1], 25)  # of the lines
TICK = 0.7  # seconds between two looks at a measurement on its way
FLOAT = 4  # bytes
SYMBOLS: dict[Layer, str] = {
    "explicit": "circle",
    "fused": "diamond",
    "recurrent": "rect",
    "convolution": "triangle",
}
PROGRAM = """import torch
from transformer_core.experiments.sequence_layers import LAYERS, measure

torch.set_num_threads(1)
points = [point for point in measure({d}, {kernel}) if point is not None]
shown = [(list(LAYERS).index(point.layer), *point[1:]) for point in points]
print(*points, sep="\\n")
"""


class MeasuredSettings(Settings):
    size: str = choice("64", "32", "64", "128")  # d of the measured layers
    way: str = choice("both", "forward", "backward", "both")
    against: str = choice("all", "table", "all")  # the curves beside the points


def reader() -> str:
    """By this one stops for himself only."""
    return session().name


def measurement_of(chapter: Chapter[MeasuredSettings]) -> tuple[Measurement, bool]:
    """What is known for the chosen size, and whether this reader waits for more."""
    seen = measurements.look((int(chapter.settings.size), KERNEL))
    return seen, seen.state == "running" and reader() in seen.waiting


@Section("measured", settings=MeasuredSettings, text="text")
def measured(chapter: Chapter[MeasuredSettings]) -> None:
    """A fragment that looks again by itself while this reader waits."""
    _, waiting = measurement_of(chapter)
    fragment(_watch, run_every=TICK if waiting else None)(chapter, waiting)


def _watch(chapter: Chapter[MeasuredSettings], ticking: bool) -> None:
    say = chapter.say
    *_, place = controls.side_by_side(chapter, (4, 5, 5, 3), size={}, way={}, against={})
    size = (int(chapter.settings.size), KERNEL)
    seen, waiting = measurement_of(chapter)
    label = "stop" if waiting else "again" if seen.reports else "start"
    act, icon = (measurements.stop, "stop") if waiting else (measurements.begin, "timer")
    with place:
        st.button(
            say(f"measured.{label}"), icon=f":material/{icon}:", on_click=chapter.anew(act), args=[size, reader()]
        )
    if waiting != ticking:
        state.run_again()  # what was on its way has ended, or is not what is set now
    if waiting:
        st.progress(min(share(seen), 1.0), say("measured.running", share=f"{share(seen):.0%}"))
    elif seen.state in ("lost", "failed"):
        st.warning(say("measured.lost"))
    if seen.reports:
        outcome(chapter, seen.reports)
    elif not waiting:
        chapter.write("measured.waiting", least=SIZES[0], most=SIZES[-1], layers=len(LAYERS))


def outcome(chapter: Chapter[MeasuredSettings], points: Sequence[Point]) -> None:
    say, d = chapter.say, int(chapter.settings.size)
    figure = Figure(
        "measured",
        [time_chart(chapter, points, d), memory_chart(chapter, points, d)],
        f"measure({d}, {KERNEL}) · float32 · 1 × n × {d} · 1 thread",
        numbers=np.array([(list(LAYERS).index(p.layer), *p[1:]) for p in points]),
        columns=[say("measured.layer"), "n", say("measured.forward"), say("measured.backward"), say("measured.bytes")],
        code=[measure, saved_bytes, build],
        program=PROGRAM.format(d=d, kernel=KERNEL),
        alt=[say("measured.time_alt", d=d), say("measured.memory_alt", d=d)],
    )
    show(chapter, figure)
    whole = {n: {p.layer: p for p in points if p.n == n} for n in SIZES}
    last = max((n for n, found in whole.items() if len(found) == len(LAYERS)), default=None)
    if last is not None:
        constants(chapter, whole[last], last, d)
    chapter.write("measured.why")


def seconds(point: Point, way: str) -> float:
    return {"forward": point.forward, "backward": point.backward}.get(way, point.forward + point.backward)


def time_chart(chapter: Chapter[MeasuredSettings], points: Sequence[Point], d: int) -> Curves:
    """Milliseconds, and the formulas times one factor: the one that leads attention's curve through its last point."""
    way, against, names = chapter.settings.way, chapter.settings.against, names_of(chapter)
    times = [seconds(point, way) * 1e3 for point in points]
    anchor, at = [(time, point.n) for time, point in zip(times, points) if point.layer == "explicit"][-1]
    factor = anchor / float(cost(against, "attention", at, d, KERNEL))
    lines = {names[kind]: factor * np.asarray(cost(against, kind, ALONG, d, KERNEL)) for kind in KINDS}
    ends = {names[kind]: formula for kind, formula in FORMULAS[against].items()}
    return _chart(chapter, points, times, lines, "milliseconds", Style(INKS, end_labels=ends, legend="dots"))


def memory_chart(chapter: Chapter[MeasuredSettings], points: Sequence[Point], d: int) -> Curves:
    """Kilobytes kept for the backward pass, beside those of n·n and of n·d numbers."""
    lines = {"n²": FLOAT * ALONG**2 / 1e3, "nd": FLOAT * ALONG * d / 1e3}
    kilobytes, ends = [point.saved / 1e3 for point in points], {name: name for name in lines}
    style = Style([css("quiet")] * 2, dashed=["nd"], end_labels=ends, legend="dots")
    return _chart(chapter, points, kilobytes, lines, "kilobytes", style)


def _chart(
    chapter: Chapter[MeasuredSettings],
    points: Sequence[Point],
    values: list[float],
    lines: dict[str, np.ndarray],
    unit: str,
    style: Style,
) -> Curves:
    """The value of each point, by its layer, and lines ALONG n, between whole powers of ten."""
    dots = {}
    for layer, kind in LAYERS.items():
        own = [(point.n, value) for point, value in zip(points, values) if point.layer == layer]
        if own:
            x, y = np.array(own, dtype=np.float64).T
            dots[chapter.say(f"dot.{layer}")] = Dots(x, y, css(kind), SYMBOLS[layer])
    every = np.log10(np.concatenate([values, *lines.values()]))
    ends = 10.0 ** math.floor(every.min()), 10.0 ** math.ceil(every.max())
    return curves(
        ALONG,
        lines,
        dots=dots,
        x_axis=XAxis(chapter.say("cost.n"), log=True),
        y_axis=YAxis(chapter.say(f"measured.{unit}"), log=True, range=ends),
        style=style,
        height=400,
    )


def constants(chapter: Chapter[MeasuredSettings], found: dict[Layer, Point], n: int, d: int) -> None:
    """What table 1 leaves out, layer by layer: all products, how many can be done at once, how fast they were done."""
    say = chapter.say
    of_kind = {k: (float(products(k, n, d, KERNEL)), float(parallel_width(k, n, d, KERNEL))) for k in KINDS}
    rows = [
        [
            say(f"layer.{layer}"),
            f"{of_kind[kind][0]:,.0f}",
            f"{sequential_steps(kind, n):,.0f}",
            f"{of_kind[kind][1]:,.0f}",
            number(found[layer].forward * 1e3, 3),
            number(of_kind[kind][0] / found[layer].forward / 1e9, 3),
        ]
        for layer, kind in LAYERS.items()
    ]
    heads = ["layer", "products", "steps", "at_once", "milliseconds_forward", "rate"]
    st.dataframe({say(f"measured.{head}"): list(column) for head, column in zip(heads, zip(*rows))}, hide_index=True)
    rate = {layer: of_kind[LAYERS[layer]][0] / found[layer].forward for layer in LAYERS}
    chapter.write(
        "measured.outcome",
        n=n,
        d=d,
        gru=number(rate["explicit"] / rate["recurrent"], 3),
        convolution=number(rate["explicit"] / rate["convolution"], 3),
        fused_time=number(found["fused"].forward / found["explicit"].forward, 3),
        fused_memory=number(found["fused"].saved / found["explicit"].saved, 3),
    )
