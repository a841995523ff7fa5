"""Wavelength per pair of dimensions, from 2π upwards."""

import math

import numpy as np

from transformer_core.positions import wavelengths
from ui.chapters.positions.values import EVEN, make_even
from ui.chapters.shared.draw_one import draw_one
from ui.figures import Figure, curves, number, runnable
from ui.sections import Chapter, Quantity, Section, controls, provenance, show
from ui.settings.fields import Settings, real, whole

D_MODEL, BASE = 4, 10000.0  # that are asked about
SLOWEST = Quantity(
    "slowest",
    wavelengths(D_MODEL, BASE)[-1].item(),
    {"slowest.wrong.rounded": 2 * math.pi * BASE, "slowest.wrong.halved": 2 * math.pi * BASE ** (1 / D_MODEL)},
    tolerance=1.0,
)


class Wavelengths(Settings):
    wave_d: int = whole(512, 0, 512)
    wave_base: float = real(4.0, 0.5, 6.0)  # power of ten


@Section("wavelengths", settings=Wavelengths, first=SLOWEST)
def slowest(chapter: Chapter[Wavelengths]) -> None:
    say = chapter.say
    make_even(chapter, "wave_d")
    d_model, power = controls.side_by_side(chapter, wave_d=EVEN, wave_base={"step": 0.25})
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
        provenance(f"wavelengths({d_model}, base={base:.6g})", len(lengths)),
        numbers=lengths[:, None],
        columns=[say("wavelength")],
        code=(wavelengths,),
        program=runnable(wavelengths, d_model, base, then=".unsqueeze(1)"),
        alt=say("wavelengths.alt", shortest=number(lengths[0]), longest=number(last)),
    )
    show(chapter, figure)
    share = f"{100 * last / end:.1f}"
    chapter.write("wavelengths.text", longest=number(last, 6), end=number(end, 6), share=share, d=d_model)
    draw_one(chapter, "wave")
