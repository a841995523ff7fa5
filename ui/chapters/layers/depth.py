"""Pre- against post-norm: before the first update, layer by layer; and trained on the copy task."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import streamlit as st

from transformer_core.experiments.depth import Init, LayerGradients, gradient_norms
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import History
from ui.chapters.shared.pair_of_runs import OfPair, Pair, PairLab, pair_lab, trained_again
from ui.figures import TWO_COLORS, Board, Figure, Marks, Panel, Style, YAxis, number, plotted, runnable
from ui.sections import Chapter, Choice, Section, controls, provenance, show
from ui.settings.fields import Settings, choice, flag, whole

DEEPEST = 12
ARRANGEMENTS = {"pre": True, "post": False}
ASK_DEPTH = Choice("ask_depth", ("pre", "post", "same"), right="post")


class Depth(Settings):
    depth: int = whole(DEEPEST, 1, DEEPEST)
    side: str = choice("decoder", "encoder", "decoder")
    init: str = choice("xavier", "xavier", "default")
    depth_seed: int = whole(0, 0, 9999)
    table: bool = flag(False)


@lru_cache(maxsize=512)
def measured(N: int, norm_first: bool, init: Init, seed: int) -> LayerGradients:
    return gradient_norms(N, norm_first=norm_first, init=init, seed=seed)


def by_layer(N: int, side: str, init: Init, seed: int) -> np.ndarray:
    """(N, 3): the layer, and the norm of its gradient with pre- and with post-norm."""
    norms = [getattr(measured(N, first, init, seed), side) for first in ARRANGEMENTS.values()]
    return np.stack([np.arange(N), *norms], axis=1)


def by_depth(side: str, init: Init, seed: int) -> np.ndarray:
    """(2 · DEEPEST, DEEPEST): a row for each depth, first with pre-norm, then with post-norm; NaN beyond its layers."""
    depths = range(1, DEEPEST + 1)
    some = [getattr(measured(N, first, init, seed), side) for first in ARRANGEMENTS.values() for N in depths]
    return np.array([[*norms, *[np.nan] * (DEEPEST - len(norms))] for norms in some])


@Section("depth", settings=Depth, cell="depth_cell", text="text", first=ASK_DEPTH)
def depth(chapter: Chapter[Depth]) -> None:
    say = chapter.say
    with st.container(horizontal=True, gap="medium"):
        side = controls.choose(chapter, "side")
        init: Init = "xavier" if controls.choose(chapter, "init") == "xavier" else "default"
    depth, seed = controls.side_by_side(chapter, depth={}, depth_seed={"high": 100})
    numbers = by_layer(depth, side, init, seed)
    figure = plotted(
        "depth",
        numbers,
        [say(f"depth.{name}") for name in ("layer", *ARRANGEMENTS)],
        f"{provenance(f'gradient_norms({depth}).{side}', 2, depth)} · init {init} · seed {seed}",
        code=[gradient_norms],
        program=runnable(by_layer, depth, side, init, seed),
        y_axis=YAxis(say("depth.norm"), log=True, range=(0.03, 30)),
        style=Style(colors=TWO_COLORS, markers=True),
        height=320,
    )
    show(chapter, figure)
    ratios = numbers[:, 1:].max(0) / numbers[:, 1:].min(0)
    spread = {name: number(float(ratio), 3) for name, ratio in zip(ARRANGEMENTS, ratios)}
    chapter.write("depth.measured", depth=depth, **spread)
    if controls.toggle(chapter, "table"):
        _table(chapter, side, init, seed)


def _table(chapter: Chapter[Depth], side: str, init: Init, seed: int) -> None:
    say = chapter.say
    bar = st.progress(0.0, say("depth.measuring"))
    for depth in range(1, DEEPEST + 1):
        for first in ARRANGEMENTS.values():
            measured(depth, first, init, seed)
        bar.progress(depth / DEEPEST, say("depth.measuring"))
    bar.empty()
    numbers = by_depth(side, init, seed)
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
            high=float(np.nanmax(numbers)),
            vacant=np.isnan(array),
            print_values=True,
        )
        for name, array in zip(ARRANGEMENTS, np.split(numbers, 2))
    ]
    figure = Figure(
        "depths",
        Board(panels, vacant=say("depth.missing")),
        f"{provenance(f'gradient_norms(1…{DEEPEST}).{side}', 2, DEEPEST, DEEPEST)} · init {init} · seed {seed}",
        numbers=numbers,
        code=[gradient_norms],
        program=runnable(by_depth, side, init, seed),
        alt=say("depth.table_alt"),
    )
    show(chapter, figure)


STEPS = 200
WARMUP = 50
RATE = 2e-3
SECONDS = 5  # of one core, roughly, for each layer of the two


class TrainingSettings(OfPair):
    N: int = whole(4, 1, 4)  # of both trained: with fewer the two hardly differ
    warmup: bool = flag(False)
    train_seed: int = whole(0, 0, 9999)


@Section("train", settings=TrainingSettings, text="text")
def training(chapter: Chapter[TrainingSettings]) -> None:
    shown = {"N": {}, "warmup": {}, "train_seed": {"high": 20}}
    pair_lab(chapter, PairLab(tuple(shown), shown, (3, 2, 3, 2), pair_of, waiting, losses))


def pair_of(chapter: Chapter[TrainingSettings]) -> Pair:
    chosen = chapter.settings
    warmup = WARMUP if chosen.warmup else 0
    return {
        name: TrainConfig(
            N=chosen.N, norm_first=name == "pre", rate=RATE, warmup=warmup, steps=STEPS, seed=chosen.train_seed
        )
        for name in ("pre", "post")
    }


def waiting(chapter: Chapter[TrainingSettings]) -> None:
    N = chapter.settings.N
    chapter.write("train.waiting", N=N, steps=STEPS, seconds=SECONDS * N)


def losses(chapter: Chapter[TrainingSettings], histories: Mapping[str, History]) -> None:
    say, pair = chapter.say, pair_of(chapter)
    config = pair["pre"]
    table = np.stack([histories["pre"].step, *(history.loss for history in histories.values())], axis=1)
    figure = plotted(
        "training",
        table,
        [say("train.step"), *(say(f"depth.{name}") for name in histories)],
        f"loss · 2 × {STEPS + 1} · N {config.N} · rate {RATE:g} · warm-up {config.warmup} · seed {config.seed}",
        code=[train],
        program=trained_again(pair, "np.stack([histories[0].step, *(run.loss for run in histories)], axis=1)"),
        y_axis=YAxis(say("train.loss"), range=(0, 4)),
        marks=Marks(levels={"": guess_of(config)}),
        style=Style(colors=TWO_COLORS),
        height=320,
        alt=say("train.alt"),
    )
    show(chapter, figure)
    matches = {name: f"{history.exact_match[-1]:.1%}" for name, history in histories.items()}
    guessing = number(guess_of(config), 3)
    chapter.write("train.measured", steps=STEPS, answers=config.vocab - 1, guessing=guessing, **matches)
