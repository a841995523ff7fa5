"""Wavelength per pair of dimensions, from 2π upwards."""

import math

import numpy as np
import streamlit as st

from transformer_core.positions import wavelengths
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import chart
from ui.figures.arithmetic import number
from ui.figures.curves import curves
from ui.labs.positions_words import SMALLEST, make_even
from ui.predict import predict_number
from ui.shell import Chapter

ASKED_D = 4
PAPER_BASE = 10000.0


def wavelength_section(chapter: Chapter) -> None:
    say = chapter.say
    answer = wavelengths(ASKED_D)[-1].item()
    slips = {"slowest.rounded": 2 * math.pi * PAPER_BASE, "slowest.halved": 2 * math.pi * PAPER_BASE ** (1 / ASKED_D)}
    if not predict_number(chapter, "slowest", answer, slips, tolerance=1.0):
        return
    make_even(chapter, "wave_d")
    left, right = st.columns(2)
    with left:
        d_model = controls.slider(chapter, "wave_d", SMALLEST, step=2)
    with right:
        base = 10.0 ** controls.slider(chapter, "wave_base", step=0.25)
    lengths = wavelengths(d_model, base).numpy()
    picture = curves(
        np.arange(len(lengths)),
        {say("wavelength"): lengths},
        chapter.mode,
        x_title=say("pair_axis"),
        y_title=say("wavelength_axis"),
        levels={"2π": 2 * math.pi, say("base_level", base=number(base, 6)): 2 * math.pi * base},
        markers=len(lengths) <= 64,
        log_y=True,
    )
    last, end = lengths[-1], 2 * math.pi * base
    chart(
        chapter, "wavelengths", picture, alt=say("wavelengths.alt", shortest=number(lengths[0]), longest=number(last))
    )
    snippet = (
        f"from transformer_core import wavelengths\n\nlengths = wavelengths({d_model}, base={base!r})\nprint(lengths)\n"
    )
    caption(
        chapter,
        "wavelengths",
        provenance(f"wavelengths({d_model}, base={base:.6g})", len(lengths)),
        numbers=lengths[:, None],
        columns=[say("wavelength")],
        code=[wavelengths],
        snippet=snippet,
    )
    share = f"{100 * last / end:.1f}"
    chapter.write("wavelengths.text", longest=number(last, 6), end=number(end, 6), share=share, d=d_model)
