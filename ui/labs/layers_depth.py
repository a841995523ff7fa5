"""Layers lab: pre- against post-norm before the first update, layer by layer."""

from functools import lru_cache

import numpy as np
import streamlit as st

from transformer_core.depth import Init, LayerGradients, gradient_norms
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board, chart
from ui.figures.arithmetic import number
from ui.figures.board import Panel
from ui.figures.curves import curves
from ui.figures.layers import two_colors
from ui.predict import predict_choice
from ui.shell import Chapter

DEEPEST = 12
ARRANGEMENTS = {"pre": True, "post": False}


@lru_cache(maxsize=512)
def measured(N: int, norm_first: bool, init: Init, seed: int) -> LayerGradients:
    return gradient_norms(N, norm_first=norm_first, init=init, seed=seed)


def depth_lab(chapter: Chapter) -> None:
    say = chapter.say
    if not predict_choice(chapter, "ask_depth", ("pre", "post", "same"), "post"):
        return
    with st.container(horizontal=True, gap="medium"):
        side = controls.choose(chapter, "side")
        init: Init = "xavier" if controls.choose(chapter, "init") == "xavier" else "default"
    left, right = st.columns(2)
    with left:
        depth = controls.slider(chapter, "depth")
    with right:
        seed = controls.slider(chapter, "depth_seed", 0, 100)
    norms = {name: getattr(measured(depth, first, init, seed), side) for name, first in ARRANGEMENTS.items()}
    picture = curves(
        np.arange(depth),
        {say(f"depth.{name}"): np.array(values) for name, values in norms.items()},
        chapter.mode,
        x_title=say("depth.layer"),
        y_title=say("depth.norm"),
        colors=two_colors(chapter.mode),
        markers=True,
        log_y=True,
        y_range=(0.03, 30),
        height=320,
    )
    chart(chapter, "depth", picture, alt=say("depth.alt"))
    spread = {name: number(max(values) / min(values), 3) for name, values in norms.items()}
    chapter.write("depth.measured", depth=depth, **spread)
    caption(
        chapter,
        "depth",
        f"{provenance(f'gradient_norms({depth}).{side}', 2, depth)} · init {init} · seed {seed}",
        numbers=np.stack([np.arange(depth), norms["pre"], norms["post"]], axis=1),
        columns=[say("depth.layer"), say("depth.pre"), say("depth.post")],
        code=[gradient_norms],
        snippet=depth_snippet(depth, side, init, seed),
    )
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
    largest = max(float(np.nanmax(array)) for array in values.values())
    missing = ~np.tri(DEEPEST, dtype=bool)
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
            high=largest,
            vacant=missing,
            place=(0, at),
            print_values=True,
        )
        for at, (name, array) in enumerate(values.items())
    ]
    board(chapter, "depths", panels, cell="depth_cell", alt=say("depth.table_alt"), vacant=say("depth.missing"))
    origin = f"{provenance(f'gradient_norms(1…{DEEPEST}).{side}', 2, DEEPEST, DEEPEST)} · init {init} · seed {seed}"
    both = np.concatenate([values["pre"], values["post"]])
    snippet = table_snippet(side, init, seed)
    caption(chapter, "depths", origin, numbers=both, code=[gradient_norms], snippet=snippet)


def depth_snippet(depth: int, side: str, init: str, seed: int) -> str:
    call = f"gradient_norms({depth}, norm_first={{}}, init='{init}', seed={seed}).{side}"
    return (
        "from transformer_core.depth import gradient_norms\n\n"
        f"shown = [{call.format(True)}, {call.format(False)}]\nprint(shown)\n"
    )


def table_snippet(side: str, init: str, seed: int) -> str:
    return (
        "from transformer_core.depth import gradient_norms\n\n"
        f"depths, options = range(1, {DEEPEST} + 1), dict(init='{init}', seed={seed})\n"
        "shown = [[gradient_norms(N, norm_first=first, **options)"
        f".{side} for N in depths] for first in (True, False)]\n"
        "print(*shown[0], *shown[1], sep='\\n')\n"
    )
