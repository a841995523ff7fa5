"""The run of the lecture notes, its learning rate, the lines that they print, and what comes out."""

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.notes_run import (
    ABOVE,
    LOSSES,
    PARTED,
    QUICK_BELOW,
    SEEDS,
    SEQUENCE,
    SMALL_EXACT,
    SPEEDS,
    begins_as_notes,
    is_notes_run,
    printed_steps,
)
from transformer_core.training.recipes import NOTES_RATES
from transformer_core.training.run import TrainingRun
from ui.chapters.training.controls import take
from ui.chapters.training.figures.run import verdict
from ui.chapters.training.pictures import program
from ui.chapters.training.recipe import USUAL, Recipe
from ui.figures import TWO_COLORS, Figure, Style, XAxis, YAxis, curves, number
from ui.model import ModelAtHand, output_of
from ui.sections import AnyChapter, Chapter, show
from ui.session import session
from ui.training_service.queue import Refused


def copied(chapter: AnyChapter, config: TrainConfig, at: int) -> None:
    """At the end of the notes' run, or of the same with small embeddings. Nothing for any other run."""
    if at < config.steps or not begins_as_notes(config):
        return
    say = chapter.say
    chapter.write("copied.text")
    try:
        there = session().runs.model(config, at) is not None
    except Refused:
        there = False
    if not there:
        st.info(say("model_again"))
        return
    written = output_of(ModelAtHand("run", config, at, config.seed), SEQUENCE)
    for name, given in (("copied.theirs", SEQUENCE), ("copied.ours", written)):
        st.html(verdict(say(name), given, SEQUENCE, say("label.mistake"), {}))
    right = sum(given == token for given, token in zip(written[1:], SEQUENCE[1:]))
    end = "back" if written == SEQUENCE else "not_back"
    chapter.write(f"copied.{end}", right=right, all=len(SEQUENCE) - 1)
    if config.embedding_std is None:
        chapter.write(
            "copied.change", spread=number(USUAL.embedding_std or 0, 2), seeds=SEEDS, exact=f"{SMALL_EXACT:.0%}"
        )
        smaller = partial(take, chapter, replace(config, embedding_std=USUAL.embedding_std))
        st.button(say("copied.take"), on_click=smaller, key="training.copied")


SHOWN = """from transformer_core.training.notes_run import LOSSES, printed_steps

losses = {report.step: report.loss for report in reports}
shown = np.array([[at, line, losses.get(at, np.nan)] for at, line in zip(printed_steps(), LOSSES)])"""


def rates(chapter: Chapter[Recipe], asked: TrainConfig | None) -> None:
    """Noam's factor and warm-up, to choose from, where the settings are those of the notes' run."""
    if asked is None or not is_notes_run(asked, asked.eval_updates) or chapter.hides("factor"):
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(chapter.say("notes.rates"), width="content")
        for name, (factor, warmup) in NOTES_RATES.items():
            chosen = (asked.factor, asked.warmup) == (factor, warmup)
            label = chapter.say(f"notes.rate.{name}", factor=f"{factor:g}", warmup=warmup)
            other = partial(take, chapter, replace(asked, factor=factor, warmup=warmup))
            icon = ":material/check:" if chosen else None
            st.button(label, on_click=other, icon=icon, type="tertiary", key=f"training.rate.{name}")


def printed(chapter: AnyChapter, config: TrainConfig, history: History, at: int) -> None:
    """The notes' twenty lines, and the same losses of this run up to step `at`. Nothing for any other run."""
    if not is_notes_run(config):
        return
    say, steps, theirs = chapter.say, np.array(printed_steps()), np.array(LOSSES)
    known = np.flatnonzero(np.isin(steps, history.step) & (steps <= at))
    ours = np.full(len(steps), np.nan)
    ours[known] = history.loss[np.searchsorted(history.step, steps[known])]
    parts = {"train": slice(0, None, 2), "evaluate": slice(1, None, 2)}
    columns = [say("label.step"), say("notes.theirs"), say("notes.ours")]
    lines = {
        say(f"notes.part.{name}", whose=whose): (steps[part], values[part])
        for whose, values in zip(columns[1:], (theirs, ours))
        for name, part in parts.items()
    }
    figure = Figure(
        "printed",
        curves(
            np.array([0, config.steps]),
            lines,
            x_axis=XAxis(columns[0]),
            y_axis=YAxis(say("label.loss"), range=(0.0, 4.0)),
            style=Style(
                colors=[color for color in reversed(TWO_COLORS) for _ in parts],
                dashed=[say("notes.part.evaluate", whose=whose) for whose in columns[1:]],
                markers=True,
            ),
            height=300,
        ),
        f"TrainingRun.work() · {len(steps)} × {len(columns)} · Noam {config.factor:g} / {config.warmup} · "
        f"seed {config.seed}",
        np.stack([steps, theirs, ours], axis=1),
        columns,
        code=[TrainingRun.update, printed_steps],
        program=program(config, at, SHOWN),
        alt=say("notes.alt", lines=len(known)),
    )
    chapter.write("notes.lines")
    show(chapter, figure)
    if len(known) > 1:
        last = {
            f"{whose}_{name}": number(float(values[: len(known)][part][-1]), 3)
            for whose, values in (("theirs", theirs), ("ours", ours))
            for name, part in parts.items()
        }
        speeds = history.tokens_per_second[(history.step > 0) & (history.step <= at)]
        chapter.write(
            "notes.measured",
            **last,
            lines=len(known),
            speed=f"{np.median(speeds):,.0f}",
            slowest=f"{min(SPEEDS):.0f}",
            fastest=f"{max(SPEEDS):.0f}",
        )
    chapter.write("notes.known", **_measured())


def _measured() -> dict[str, str]:
    """What runs of these settings have come to, and what the notes print there."""
    above = {
        f"{rate}_{part}": number(loss, 2)
        for rate, ends in ABOVE.items()
        for part, loss in zip(("train", "evaluate"), ends)
    }
    _, second, *_, train, evaluate = (number(loss, 3) for loss in LOSSES)
    theirs = {"theirs_second": second, "theirs_train": train, "theirs_evaluate": evaluate}
    return above | theirs | {"parted": str(PARTED), "quick": number(QUICK_BELOW, 2)}
