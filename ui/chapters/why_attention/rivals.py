"""The Transformer and two rivals of its size learn to copy, side by side."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st

from transformer_core.experiments.rivals import ConvolutionDecoder, RecurrentDecoder, make_rival, width_of
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from ui.chapters.shared.pair_of_runs import OfPair, Pair, PairLab, pair_lab, trained_again
from ui.figures import Curves, Figure, Style, XAxis, YAxis, curves, number
from ui.sections import Chapter, Section, show
from ui.settings.fields import choice, flag, whole
from ui.theme import css

COLORS = {"transformer": "attention", "recurrent": "recurrent", "convolution": "convolution"}
LEARNED = 0.9  # exact match that counts as learned


class Rivals(OfPair):
    updates: str = choice("180", "180", "600")
    run_seed: int = whole(0, 0, 20)
    seconds: bool = flag(False)  # instead of updates


@Section("rivals", settings=Rivals, text="text")
def rivals(chapter: Chapter[Rivals]) -> None:
    names = "updates", "run_seed"
    shown: dict[str, dict[str, int]] = {"updates": {}, "run_seed": {}, "seconds": {}}
    pair_lab(chapter, PairLab(names, shown, (2, 3, 2, 2), runs_of, waiting, trained))


def runs_of(chapter: Chapter[Rivals]) -> Pair:
    config = TrainConfig(steps=int(chapter.settings.updates), seed=chapter.settings.run_seed)
    return {name: replace(config, architecture=name) for name in COLORS}


def waiting(chapter: Chapter[Rivals]) -> None:
    chapter.write("rivals.waiting", steps=chapter.settings.updates)


def trained(chapter: Chapter[Rivals], histories: Mapping[str, History]) -> None:
    say, runs = chapter.say, runs_of(chapter)
    names = {name: say(f"rival.{name}") for name in histories}
    first = next(iter(runs.values()))
    figure = Figure(
        "rivals",
        [curves_of(chapter, histories, runs, names, measured) for measured in ("match", "loss")],
        f"exact match, loss · 3 × {first.steps} · batch {first.batch} · length {first.length} · seed {first.seed}",
        numbers=np.column_stack(
            [histories["transformer"].step, *(c for h in histories.values() for c in (h.exact_match, h.loss))]
        ),
        columns=[
            say("rivals.updates"),
            *(f"{names[name]}: {say(f'rivals.{column}')}" for name in histories for column in ("match", "loss")),
        ],
        code=[make_rival, RecurrentDecoder, ConvolutionDecoder, width_of, train],
        program=trained_again(
            runs,
            "np.column_stack([histories[0].step, *(c for h in histories for c in (h.exact_match, h.loss))])",
        ),
        alt=[say("rivals.match_alt"), say("rivals.loss_alt")],
    )
    show(chapter, figure)
    rows = [outcome(runs[name], history, names[name]) for name, history in histories.items()]
    heads = ["model", "parameters", "width", "reached", "reached_seconds", "final"]
    st.dataframe({say(f"rivals.{head}"): list(column) for head, column in zip(heads, zip(*rows))}, hide_index=True)
    chapter.write("rivals.why")


def curves_of(
    chapter: Chapter[Rivals], histories: Mapping[str, History], runs: Pair, names: Mapping[str, str], measured: str
) -> Curves:
    """The exact match or the loss of each model, against updates or seconds."""
    in_seconds = chapter.settings.seconds
    along = {
        name: clock(history, runs[name]) if in_seconds else history.step.astype(np.float64)
        for name, history in histories.items()
    }
    lines = {}
    for name, history in histories.items():
        values = history.exact_match if measured == "match" else history.loss
        seen = np.isfinite(values)
        lines[names[name]] = (along[name][seen], values[seen])
    return curves(
        np.array([0.0, max(float(x[-1]) for x in along.values())]),
        lines,
        x_axis=XAxis(chapter.say("rivals.seconds" if in_seconds else "rivals.updates")),
        y_axis=YAxis(chapter.say(f"rivals.{measured}"), range=(0, 1) if measured == "match" else (0, 2.6)),
        style=Style(colors=[css(COLORS[name]) for name in histories], markers=measured == "match"),
        height=320,
    )


def clock(history: History, config: TrainConfig) -> np.ndarray:
    """Seconds of training by each report, (n,): the updates alone, without what is measured on the way."""
    tokens = config.batch * (config.length - 1)
    return np.concatenate([[0.0], np.cumsum(tokens / history.tokens_per_second[1:].astype(np.float64))])


def outcome(config: TrainConfig, history: History, name: str) -> list[str]:
    """A row of the table: when the model had learned to copy, if it had."""
    learned = np.flatnonzero(history.exact_match >= LEARNED)
    at = int(learned[0]) if len(learned) else None
    return [
        name,
        f"{config.parameters:,}",
        str(config.width),
        "–" if at is None else str(int(history.step[at])),
        "–" if at is None else number(float(clock(history, config)[at]), 3),
        f"{history.exact_match[-1]:.1%}",
    ]
