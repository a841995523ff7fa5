"""What a reader's file tells of its training: its run's curves and time-lapse, and its settings for a run here."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from transformer_core.training.checkpoint import load
from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.guess import guess_of
from ui.chapters.training.controls import take
from ui.chapters.training.figures.run import curves
from ui.chapters.training.lapse.lapse import can_lapse, lapse_of
from ui.chapters.training.pictures import labels_of
from ui.chapters.training.recipe import Recipe, config_of, settings_of
from ui.components.story import put_away
from ui.figures import Figure, number
from ui.sections import AnyChapter, show
from ui.training_service.earlier_runs import thinned
from ui.uploads import TOLD, Upload

LAPSE = "training.own_lapse"
PROGRAM = """import numpy as np
from transformer_core.training.checkpoint import load

told = load({file!r}).history
shown = np.array([told[name] for name in {names}], float).T
print(shown)
"""


def told(chapter: AnyChapter, own: Upload, config: TrainConfig) -> None:
    """The curves, if the file has them, and the button that sets the run on the page to the file's settings."""
    if own.told is not None:
        _curves(chapter, own, own.told, config)
        _time_lapse(chapter, own, config)
    if _can_be_set(config):
        st.button(chapter.say("own.recipe"), on_click=partial(take, chapter.of(Recipe), config))


def _curves(chapter: AnyChapter, own: Upload, columns: np.ndarray, config: TrainConfig) -> None:
    say, guess = chapter.say, guess_of(config)
    step, loss, rate, match = columns.T
    first, last = (number(float(value), 3) for value in loss[[0, -1]])
    chapter.write("own.history", first=first, last=last, step=int(step[-1]))
    drawn, checked = thinned(len(step)), np.isfinite(match)
    lines = (step[drawn], loss[drawn]), (step[checked], match[checked]), (step[drawn], rate[drawn])
    figure = Figure(
        "own_curves",
        curves(*lines, last=config.steps, guess=guess, at=int(step[-1]), labels=labels_of(say, config)),
        f"{own.file} · {len(step)} × {len(TOLD)} · seed {config.seed}",
        numbers=columns,
        columns=TOLD,
        code=[load],
        program=PROGRAM.format(file=own.file, names=TOLD),
        alt=say("curves_alt", step=int(step[-1]), loss=last, guess=f"{guess:.2f}"),
    )
    show(chapter, figure)


def _time_lapse(chapter: AnyChapter, own: Upload, config: TrainConfig) -> None:
    """Of all that the file has recorded, once it is asked for."""
    history = own.history
    if history is None or not can_lapse(history):
        return
    opened = chapter.settings.own_lapse
    turn = chapter.then(partial(chapter.put, "own_lapse", not opened))
    if not opened:
        put_away(LAPSE)
        st.button(chapter.say("replay.name"), on_click=turn, icon=":material/timelapse:", key=f"{LAPSE}.open")
        return
    lapse_of(
        chapter,
        config,
        history,
        what=(own.id,),
        key=LAPSE,
        moment=None,
        play=True,
        fixed=False,
        on_moment=lambda _: None,
        on_close=turn,
    )


def _can_be_set(config: TrainConfig) -> bool:
    """Whether the controls of the page can say all settings of this run."""
    with suppress(ConfigError):
        return config_of(replace(Recipe.default(), **settings_of(config))) == config
    return False
