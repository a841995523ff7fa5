"""Loss chapter: the Noam learning rate against the step."""

import math

import numpy as np

from transformer_core import noam_rate
from ui.figures.curves import curves
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.showing.caption import provenance
from ui.showing.show import show
from ui.theme import css

LAST, PARTS = 20_000, 399  # step, and into how many parts the way there is cut


def rate(chapter: Chapter) -> None:
    say = chapter.say
    width, factor, warmup, at = controls.sliders(
        chapter, width={"step": 16}, factor={"step": 0.1}, warmup={"step": 10}, at={}
    )
    steps = np.unique([*(1 + (LAST - 1) * part // PARTS for part in range(PARTS + 1)), warmup, at])
    rates = np.array([noam_rate(int(step), width, factor, warmup) for step in steps])
    here = noam_rate(at, width, factor, warmup)
    labels = [say("label.step"), say("label.rate")]
    picture = curves(
        steps,
        {labels[1]: rates},
        x_title=labels[0],
        y_title=labels[1],
        colors=[css("query")],
        points={number(here): (at, here)},
        uprights={say("warmup_end"): warmup},
        y_range=(0.0, above(rates.max())),
        height=300,
    )
    figure = Figure(
        "rate",
        picture,
        say("rate_alt"),
        provenance(f"noam_rate(step, {width}, {factor:g}, {warmup})", len(steps)),
        np.stack([steps, rates], 1),
        labels,
        code=[noam_rate],
        program=program(width, factor, warmup, at),
    )
    show(chapter, figure)
    rising, falling = at * warmup**-1.5, at**-0.5
    sides = {"falling": falling, "rising": rising, "narrow": width**-0.5, "least": min(rising, falling), "here": here}
    sum_ = {name: number(value) for name, value in sides.items()}
    chapter.write("rate_here", at=at, factor=f"{factor:g}", width=width, **sum_)
    chapter.write("rate_formula", "rate_why")


def above(peak: float) -> float:
    """The end of the axis: a round number, with room for the number at the peak."""
    unit = 10 ** math.floor(math.log10(1.2 * peak))
    return float(f"{math.ceil(1.2 * peak / unit) * unit:.1g}")


def program(width: int, factor: float, warmup: int, at: int) -> str:
    return f"""import torch

d_model, factor, warmup = {width}, {factor:g}, {warmup}
steps = sorted({{*(1 + {LAST - 1} * part // {PARTS} for part in range({PARTS + 1})), warmup, {at}}})
step = torch.tensor(steps, dtype=torch.float64)
rate = factor * d_model**-0.5 * torch.minimum(step**-0.5, step * warmup**-1.5)
shown = torch.stack([step, rate], dim=1)
print(shown)
"""
