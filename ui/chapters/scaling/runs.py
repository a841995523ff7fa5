"""The same model trained with and without 1/√d_k, from the page, side by side."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch

from transformer_core import MultiHeadedAttention, entropy
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from ui.chapters.scaling import programs
from ui.chapters.shared.pair_of_runs import OfPair, Pair, PairLab, pair_lab
from ui.figures import Board, Curves, Figure, Operand, Panel, Style, XAxis, YAxis, curves, number, paper
from ui.figures.formula import I, J, Matrix
from ui.model import ModelAtHand, recorded
from ui.sections import Chapter, Choice, Section, show
from ui.settings.fields import choice, whole
from ui.theme import css

COLORS = {"scaled": "right", "plain": "wrong"}
MEASURED = ("loss", "entropy", "query_norm", "key_norm")


PROBE = (1, 3, 2, 5, 4, 6, 7, 8, 9, 10)  # what the untrained models read
FIRST = "encoder.layers.0.self_attn"
ASK_START = Choice("ask_start", ("root", "same", "all"), right="root", about_figure=True)


class ScaledRunsSettings(OfPair):
    run_heads: str = choice("1", "1", "2", "4", "8")
    run_seed: int = whole(0, 0, 20)


@Section("run", settings=ScaledRunsSettings, cell="run_cell", text="text", why="why", lesson=(ASK_START,))
def with_and_without(chapter: Chapter[ScaledRunsSettings]) -> None:
    names = "run_heads", "run_seed"
    pair_lab(chapter, PairLab(names, {"run_heads": {}, "run_seed": {}}, (2, 2, 1), pair_of, waiting, finished))


def pair_of(chapter: Chapter[ScaledRunsSettings]) -> Pair:
    config = TrainConfig(h=int(chapter.settings.run_heads), seed=chapter.settings.run_seed)
    return {"scaled": config, "plain": replace(config, scale=False)}


def waiting(chapter: Chapter[ScaledRunsSettings]) -> None:
    """The scores that both begin with; those without the scale after the reply, where they are asked for."""
    say, pair = chapter.say, pair_of(chapter)
    config = pair["scaled"]
    d_k = config.d_model // config.h
    scores = {name: _first(one) for name, one in pair.items()}
    shown = ["scaled"] if chapter.waits else ["plain", "scaled"]
    labels = [str(token) for token in PROBE]
    panels = [
        Panel(
            name, scores[name], say(f"run.{name}"), labels, labels, say("query_axis"), say("key_axis"),
            high=float(max(np.abs(scores[one]).max() for one in shown)),
            made=None if chapter.waits else paper.scaled(Matrix("products")[I, J], d_k if name == "scaled" else None),
            symbol="s", print_values=True,
        )
        for name in shown
    ]  # fmt: skip
    figure = Figure(
        "first_scores",
        Board(panels, [Operand("products", scores["plain"], "q·k")]),
        f"{FIRST}.scores · head 0 · {len(labels)} × {len(labels)} · step 0 · seed {config.seed}",
        code=[MultiHeadedAttention],
        program=programs.first_scores(config.h, config.seed, PROBE, FIRST),
    )
    show(chapter, figure)
    chapter.write("run.waiting", steps=config.steps, d_k=d_k)


def _first(config: TrainConfig) -> np.ndarray:
    """(S, S) scores of the first head of the untrained encoder."""
    at_hand = ModelAtHand("run", config, 0, config.seed)
    return recorded(at_hand, PROBE, PROBE)[f"{FIRST}.scores"][0, 0].numpy()


def finished(chapter: Chapter[ScaledRunsSettings], histories: Mapping[str, History]) -> None:
    """Loss, entropy and gradient norms of both runs, and what they came to."""
    say, config = chapter.say, pair_of(chapter)["scaled"]
    names = {name: say(f"run.{name}") for name in histories}
    titles = {measured: say(f"run.{measured}") for measured in MEASURED}

    def curve(measured: str) -> Curves:
        found = {names[name]: series(history, measured) for name, history in histories.items()}
        (steps, _), *_ = found.values()
        return curves(
            steps,
            found,  # each over steps of its own
            x_axis=XAxis(say("run.step")),
            y_axis=YAxis(titles[measured], log=measured != "entropy"),
            style=Style(colors=[css(COLORS[name]) for name in histories]),
        )

    scaled, plain = histories["scaled"], histories["plain"]
    shown = [column(history, measured) for history in histories.values() for measured in MEASURED]
    figure = Figure(
        "runs",
        [curve(measured) for measured in MEASURED],
        f"loss, entropy, W_Q, W_K · 2 × {config.steps} · d_model {config.d_model} · h {config.h} · seed {config.seed}",
        np.column_stack([scaled.step, *shown]),
        [say("run.step"), *(f"{title}, {name}" for name in names.values() for title in titles.values())],
        code=[train, entropy],
        program=programs.runs(config.h, config.seed),
        alt=list(titles.values()),
    )
    show(chapter, figure)
    chapter.write(
        "run.outcome",
        scaled=f"{scaled.exact_match[-1]:.1%}",
        plain=f"{plain.exact_match[-1]:.1%}",
        scaled_loss=number(float(scaled.loss[-1]), 2),
        plain_loss=number(float(plain.loss[-1]), 2),
        ratio=number(float(plain.query_norm[1] / scaled.query_norm[1]), 2),
        **{f"{name}_late": number(late(history), 2) for name, history in histories.items()},
        **{
            f"{name}_entropy": number(float(series(history, "entropy")[1][-1]), 2)
            for name, history in histories.items()
        },
    )


def late(history: History) -> float:
    """The gradient norm of W_Q over the second half of the run: the median, which no single spike moves."""
    return float(np.median(history.query_norm[len(history.step) // 2 :]))


def series(history: History, measured: str) -> tuple[np.ndarray, np.ndarray]:
    """Steps and values of one measured quantity. The cross-attention is known at the steps with a probe."""
    if measured == "entropy":
        weights = torch.tensor(history.cross_attention, dtype=torch.float32)  # (k, N, h, T, L)
        return history.probe_step, entropy(weights).flatten(1).mean(1).numpy()
    return history.step[1:], getattr(history, measured)[1:]  # at step 0 there is no gradient yet


def column(history: History, measured: str) -> np.ndarray:
    """The series as a column of the table, a row per step: NaN at the steps that it leaves out."""
    steps, values = series(history, measured)
    rows = np.full(len(history.step), np.nan)
    rows[np.searchsorted(history.step, steps)] = values
    return rows
