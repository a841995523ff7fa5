"""Wavelength per pair of dimensions, from 2π upwards."""

import math

import numpy as np

from transformer_core.positions import wavelengths
from ui.chapters.positions.questions import SLOWEST
from ui.chapters.positions.values import EVEN, make_even
from ui.figures.curves import curves
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.page.predict import predict
from ui.showing.caption import provenance
from ui.showing.show import show


def slowest(chapter: Chapter) -> None:
    say = chapter.say
    if not predict(chapter, SLOWEST):
        return
    make_even(chapter, "wave_d")
    d_model, power = controls.sliders(chapter, wave_d=EVEN, wave_base={"step": 0.25})
    base = 10.0**power
    lengths = wavelengths(d_model, base).numpy()
    last, end = lengths[-1], 2 * math.pi * base
    picture = curves(
        np.arange(len(lengths)),
        {say("wavelength"): lengths},
        x_title=say("pair_axis"),
        y_title=say("wavelength_axis"),
        levels={"2π": 2 * math.pi, say("base_level", base=number(base, 6)): end},
        markers=len(lengths) <= 64,
        log_y=True,
    )
    figure = Figure(
        "wavelengths",
        picture,
        say("wavelengths.alt", shortest=number(lengths[0]), longest=number(last)),
        provenance(f"wavelengths({d_model}, base={base:.6g})", len(lengths)),
        numbers=lengths[:, None],
        columns=[say("wavelength")],
        code=(wavelengths,),
        program=(
            f"import math\nimport torch\n\nd_model, base = {d_model}, {base!r}\n"
            "exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model\n"
            "shown = (2 * math.pi * base**exponents).unsqueeze(1)\nprint(shown)\n"
        ),
    )
    show(chapter, figure)
    share = f"{100 * last / end:.1f}"
    chapter.write("wavelengths.text", longest=number(last, 6), end=number(end, 6), share=share, d=d_model)
