"""Loss chapter: the Noam learning rate against the step."""

import numpy as np
import streamlit as st

from transformer_core import noam_rate
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import chart
from ui.figures.arithmetic import equation, number
from ui.figures.losses import rate_curve
from ui.shell import Chapter

LAST = 20_000  # step


def rate_lab(chapter: Chapter) -> None:
    say = chapter.say
    values = []
    for column, (name, step) in zip(st.columns(4), (("width", 16), ("factor", 0.1), ("warmup", 10), ("at", 1))):
        with column:
            values.append(controls.slider(chapter, name, step=step))
    width, factor, warmup, at = values
    steps = np.unique([*np.linspace(1, LAST, 400).astype(int), warmup, at])
    rates = np.array([noam_rate(int(step), width, factor, warmup) for step in steps])
    here = noam_rate(at, width, factor, warmup)
    labels = {name: say(f"label.{name}") for name in ("step", "rate")}
    chart(chapter, "rate", rate_curve(steps, rates, (at, here), warmup, labels, chapter.mode), alt=say("rate_alt"))
    smaller = min(at**-0.5, at * warmup**-1.5)
    sides = f"{factor:g} · {width}<sup>−0.5</sup> · min({number(at**-0.5)}, {number(at * warmup**-1.5)})"
    st.html(equation(f"rate({at})", sides, f"{factor:g} · {number(width**-0.5)} · {number(smaller)}", result=here))
    caption(
        chapter,
        "rate",
        provenance(f"noam_rate(step, {width}, {factor:g}, {warmup})", len(steps)),
        numbers=np.stack([steps, rates], 1),
        columns=[labels["step"], labels["rate"]],
        code=[noam_rate],
        snippet=rate_snippet(width, factor, warmup, at),
    )


def rate_snippet(width: int, factor: float, warmup: int, at: int) -> str:
    return (
        "import numpy as np\nfrom transformer_core import noam_rate\n\n"
        f"steps = np.unique([*np.linspace(1, {LAST}, 400).astype(int), {warmup}, {at}])\n"
        f"shown = [noam_rate(int(step), {width}, {factor:g}, {warmup}) for step in steps]\nprint(shown)\n"
    )
