"""The Noam learning rate against the step."""

import math

import numpy as np

from transformer_core import noam_rate
from ui.chapters.shared.draw_one import draw_one
from ui.figures import Marks, Style, YAxis, number, plotted, runnable
from ui.sections import Chapter, Choice, Section, controls, provenance, show
from ui.settings.fields import Settings, real, whole
from ui.theme import css

LAST, PARTS = 20_000, 399  # step, and into how many parts the way there is cut


ASK_WARMUP = Choice("ask_warmup", ("double", "lower", "same"), right="lower")


class RateSettings(Settings):
    width: int = whole(512, 16, 1024)  # d_model
    factor: float = real(1.0, 0.1, 4.0)
    warmup: int = whole(4000, 10, 8000)
    at: int = whole(4000, 1, LAST)  # step that is read off the curve


def rates(width: int, factor: float, warmup: int, at: int) -> np.ndarray:
    """(n, 2): steps, the end of the warm-up and the one read off among them, and the learning rate at each."""
    steps = {warmup, at, *(1 + (LAST - 1) * part // PARTS for part in range(PARTS + 1))}
    return np.array([(step, noam_rate(step, width, factor, warmup)) for step in sorted(steps)])


@Section("rate", settings=RateSettings, text="text", lesson=(ASK_WARMUP,))
def rate(chapter: Chapter[RateSettings]) -> None:
    say = chapter.say
    width, factor, warmup, at = controls.side_by_side(
        chapter, width={"step": 16}, factor={"step": 0.1}, warmup={"step": 10}, at={}
    )
    numbers = rates(width, factor, warmup, at)
    here = noam_rate(at, width, factor, warmup)
    figure = plotted(
        "rate",
        numbers,
        [say("label.step"), say("label.rate")],
        provenance(f"noam_rate(step, {width}, {factor:g}, {warmup})", len(numbers)),
        code=[noam_rate],
        program=runnable(rates, width, factor, warmup, at),
        y_axis=YAxis(say("label.rate"), range=(0.0, above(numbers[:, 1].max()))),
        marks=Marks(points={number(here): (at, here)}, uprights={say("warmup_end"): warmup}),
        style=Style(colors=[css("query")]),
        height=300,
        alt=say("rate_alt"),
    )
    show(chapter, figure)
    rising, falling = at * warmup**-1.5, at**-0.5
    sides = {"falling": falling, "rising": rising, "narrow": width**-0.5, "least": min(rising, falling), "here": here}
    sum_ = {name: number(value) for name, value in sides.items()}
    chapter.write("rate_here", at=at, factor=f"{factor:g}", width=width, **sum_)
    chapter.write("rate_formula", "rate_why")
    draw_one(chapter, "rate")


def above(peak: float) -> float:
    """The end of the axis: a round number, with room for the number at the peak."""
    unit = 10 ** math.floor(math.log10(1.2 * peak))
    return float(f"{math.ceil(1.2 * peak / unit) * unit:.1g}")
