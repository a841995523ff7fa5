"""Chapter training: the settings of the next run, and whether there can be such a run."""

import streamlit as st

from transformer_core.training.config import ConfigError, TrainConfig
from ui import controls
from ui.chapters.training.values import config_of, settings_of
from ui.server.places import Refused
from ui.server.seat import seat
from ui.shell import Chapter

SETTINGS = (("N", 1), ("h", 1), ("d_model", 8), ("batch", 8), ("rate", 0.001), ("steps", 50), ("seed", 1))
PRESETS = {"quick": TrainConfig(), "notes": TrainConfig.notes(), "notes_250": TrainConfig.notes(eval_updates=True)}
NARROW = 112  # pixels of a number's field: seven of them stand side by side


def described(chapter: Chapter) -> TrainConfig:
    """The run that the settings describe. ConfigError or Refused if there can be no such run."""
    config = config_of(chapter.settings)
    seat().runs.places.fit(config)
    return config


def wanted(chapter: Chapter) -> TrainConfig | None:
    """The run that the settings describe; None, with a sentence, if there can be no such run."""
    try:
        return described(chapter)
    except ConfigError as problem:
        st.warning(chapter.say(f"refused.{problem.reason}", **problem.values))
    except Refused as problem:
        st.warning(chapter.say(f"refused.{problem.reason}", limit=problem.limit))
    return None


def shown_run(chapter: Chapter) -> TrainConfig:
    """The run on the page: the reader's own, or the one that the settings describe, or else the default's."""
    seen = seat().seen
    if seen:
        return seen.config
    try:
        return described(chapter)
    except (ConfigError, Refused):
        return TrainConfig()


def main_settings(chapter: Chapter) -> None:
    refusals = list[str]()
    with st.container(horizontal=True, gap="small"):
        for name, step in SETTINGS:
            if name == "rate" and chapter.settings.schedule == "noam":
                name, step = "factor", 0.1  # d_model and the warm-up give the rest of Noam's rate
            controls.number(chapter, name, step, NARROW, refusals)
    for refusal in refusals:
        st.warning(refusal)


def more_settings(chapter: Chapter) -> None:
    more = st.popover(chapter.say("more"), key="training.more", on_change="rerun")
    if not more.open:
        return
    with more, st.container(width=520):  # left alone, it is a little narrower than what it holds
        left, right = st.columns(2, gap="medium")
        with left:
            controls.choose(chapter, "schedule")
            controls.number(chapter, "warmup", 10)
            controls.number(chapter, "clip", 0.5)
            controls.slider(chapter, "dropout", step=0.05)
            controls.toggle(chapter, "eval_updates")
            controls.slider(chapter, "smoothing", step=0.05)
        with right:
            controls.number(chapter, "vocab")
            controls.number(chapter, "length")
            controls.toggle(chapter, "padded")
            controls.choose(chapter, "embedding")
            controls.choose(chapter, "form")
            controls.toggle(chapter, "scale")


def take(chapter: Chapter, preset: TrainConfig) -> None:
    for name, value in settings_of(preset).items():
        chapter.put(name, value)
