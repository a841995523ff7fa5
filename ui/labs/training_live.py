"""Chapter training: the run as it is now, looked at again and again while it goes on."""

from dataclasses import dataclass

import streamlit as st

from transformer_core.history import History
from transformer_core.train_config import TrainConfig
from ui import address, controls
from ui.labs.training_figures import cross_attention, run_curves
from ui.labs.training_steer import model_named, offer
from ui.labs.training_words import readout, what_it_learned
from ui.places import Refused
from ui.runs import PATIENCE, Snapshot
from ui.seat import seat
from ui.shell import Chapter


@dataclass(frozen=True)
class Drawn:
    """What the whole page knew when it was drawn."""

    model: tuple[str, str, int]  # that the menu names
    asked: TrainConfig | None
    ready: bool  # there is something to look at
    running: bool


def known(config: TrainConfig, seen: Snapshot | None, seconds: float = PATIENCE) -> History | None:
    """The reports of the run, or what one begins with; None while that has not come yet."""
    runs = seat().runs
    if seen and seen.active:
        seen = runs.wait(seen.run, lambda seen: len(seen.history.probe_step) > 0 or not seen.active, seconds)
    if seen and len(seen.history.probe_step):
        return seen.history
    try:
        return runs.first_look(config, seconds)
    except Refused:  # the worker has died; the next look finds another one
        return None


def live(chapter: Chapter, drawn: Drawn) -> None:
    """The run as it is now, or as it was at the step the reader looks back to."""
    say, mine = chapter.say, seat()
    if model_named(chapter) != drawn.model:
        address.run_again()
    seen = mine.seen
    if mine.watched and seen and seen.state != "running":
        address.run_again()
    config = seen.config if seen else (drawn.asked or TrainConfig())
    history = known(config, seen, 0)
    if (history is None) == drawn.ready:
        address.run_again()
    if history is None:
        st.info(say("first_look"))
        return
    stops = [int(step) for step in history.probe_step]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if seen and seen.state == "running":
            said = say("state.running", step=seen.step, steps=config.steps) if seen.step else say("state.starting")
            st.progress(seen.step / config.steps, said)
            at = stops[-1]
        elif len(stops) > 1:
            at = controls.along(chapter, "at", stops)
        else:
            at = stops[-1]
            st.markdown(say("untrained"))
    now = int(history.step[-1]) if drawn.running else at  # a run under way is past its last record of the probe
    with right:
        readout(chapter, history, now)
    cross_attention(chapter, config, history, at)
    if seen and seen.step > 0 and at > 0 and seen.state != "running":
        offer(chapter, config, at if at < stops[-1] else seen.step)
    run_curves(chapter, config, history, now)
    if now > 0:
        what_it_learned(chapter, config, history, now)
