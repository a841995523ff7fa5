"""Pre- against post-norm before the first update, layer by layer."""

from functools import lru_cache

import numpy as np
import streamlit as st

from transformer_core.experiments.depth import Init, LayerGradients, gradient_norms
from ui.chapters.layers.questions import DEPTH
from ui.figures.board import Panel
from ui.figures.curves import TWO_COLORS, curves
from ui.figures.figure import Board, Figure
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.page.predict import predict
from ui.showing.caption import provenance
from ui.showing.show import show

DEEPEST = 12
ARRANGEMENTS = {"pre": True, "post": False}
IMPORTS = "import torch\nfrom transformer_core.experiments.depth import gradient_norms\n\n"


@lru_cache(maxsize=512)
def measured(N: int, norm_first: bool, init: Init, seed: int) -> LayerGradients:
    return gradient_norms(N, norm_first=norm_first, init=init, seed=seed)


def depth_lab(chapter: Chapter) -> None:
    say = chapter.say
    if not predict(chapter, DEPTH):
        return
    with st.container(horizontal=True, gap="medium"):
        side = controls.choose(chapter, "side")
        init: Init = "xavier" if controls.choose(chapter, "init") == "xavier" else "default"
    depth, seed = controls.side_by_side(chapter, depth={}, depth_seed={"high": 100})
    layers = np.arange(depth)
    norms = {name: np.array(getattr(measured(depth, first, init, seed), side)) for name, first in ARRANGEMENTS.items()}
    picture = curves(
        layers,
        {say(f"depth.{name}"): values for name, values in norms.items()},
        x_title=say("depth.layer"),
        y_title=say("depth.norm"),
        colors=TWO_COLORS,
        markers=True,
        log_y=True,
        y_range=(0.03, 30),
        height=320,
    )
    options = f"norm_first={{}}, init='{init}', seed={seed}"
    both = ", ".join(f"gradient_norms({depth}, {options.format(first)}).{side}" for first in ARRANGEMENTS.values())
    figure = Figure(
        "depth",
        picture,
        say("depth.alt"),
        f"{provenance(f'gradient_norms({depth}).{side}', 2, depth)} · init {init} · seed {seed}",
        numbers=np.stack([layers, *norms.values()], axis=1),
        columns=[say(f"depth.{name}") for name in ("layer", *norms)],
        code=[gradient_norms],
        program=f"{IMPORTS}shown = torch.tensor([range({depth}), {both}]).T\nprint(shown)\n",
    )
    show(chapter, figure)
    spread = {name: number(float(values.max() / values.min()), 3) for name, values in norms.items()}
    chapter.write("depth.measured", depth=depth, **spread)
    if controls.toggle(chapter, "table"):
        table(chapter, side, init, seed)


def table(chapter: Chapter, side: str, init: Init, seed: int) -> None:
    """Every depth from 1 to 12, one row each."""
    say = chapter.say
    bar = st.progress(0.0, say("depth.measuring"))
    values = {name: np.full((DEEPEST, DEEPEST), np.nan) for name in ARRANGEMENTS}
    for depth in range(1, DEEPEST + 1):
        for name, first in ARRANGEMENTS.items():
            values[name][depth - 1, :depth] = getattr(measured(depth, first, init, seed), side)
        bar.progress(depth / DEEPEST, say("depth.measuring"))
    bar.empty()
    panels = [
        Panel(
            name,
            array,
            say(f"depth.{name}"),
            [str(depth) for depth in range(1, DEEPEST + 1)],
            [str(layer) for layer in range(DEEPEST)],
            say("depth.depth"),
            say("depth.layer_axis"),
            scale="magnitude",
            high=max(float(np.nanmax(other)) for other in values.values()),
            vacant=np.isnan(array),
            place=(0, at),
            print_values=True,
        )
        for at, (name, array) in enumerate(values.items())
    ]
    figure = Figure(
        "depths",
        Board(panels, cell="depth_cell", vacant=say("depth.missing")),
        say("depth.table_alt"),
        f"{provenance(f'gradient_norms(1…{DEEPEST}).{side}', 2, DEEPEST, DEEPEST)} · init {init} · seed {seed}",
        numbers=np.concatenate([*values.values()]),
        code=[gradient_norms],
        program=table_program(side, init, seed),
    )
    show(chapter, figure)


def table_program(side: str, init: str, seed: int) -> str:
    return (
        f"{IMPORTS}deepest = {DEEPEST}\nshown = torch.full((2, deepest, deepest), torch.nan)\n"
        "for which, first in enumerate((True, False)):\n"
        "    for N in range(1, deepest + 1):\n"
        f"        norms = gradient_norms(N, norm_first=first, init='{init}', seed={seed})\n"
        f"        shown[which, N - 1, :N] = torch.tensor(norms.{side})\n"
        "shown = shown.flatten(0, 1)\nprint(shown)\n"
    )
