"""A run, from its settings to what the model is at every step."""

from functools import partial

import streamlit as st

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from ui import address
from ui.chapters.training.controls import main_settings, settle_task, task_choice, wanted
from ui.chapters.training.figures import cross_attention, run_curves, watched
from ui.chapters.training.notes import printed, rates
from ui.chapters.training.offer import offer
from ui.chapters.training.recipe import Run
from ui.chapters.training.steer import buttons, come_back, complaints, hand_over
from ui.chapters.training.values import pace
from ui.chapters.training.words import of_task, readout, what_it_learned
from ui.frame.chapter import Chapter
from ui.frame.fragment import fragment
from ui.frame.waiting import and_wait
from ui.page import controls
from ui.page.predict import Choice
from ui.page.section import Section
from ui.server.places import Refused
from ui.server.records import Snapshot
from ui.server.seat import seat

ASK_UNTRAINED = Choice("ask_untrained", ("tenth", "none", "half"), right="none")


def take_over(_: type[Run]) -> None:
    """Hand over the model of a run that has come to rest since. Before the menu is drawn."""
    mine = seat()
    if mine.watched and mine.seen and not mine.seen.going:
        mine.watched = False
        hand_over(mine.seen)


def training_run(chapter: Chapter[Run]) -> None:
    mine = seat()
    mine.runs.warm()
    settle_task(chapter)
    task_choice(chapter)
    main_settings(chapter)
    asked = wanted(chapter)
    if mine.seen is None and asked:
        come_back(chapter, asked)
    seen = mine.seen
    going = seen.state if seen and seen.going else ""
    mine.watched |= bool(going)
    rates(chapter, asked)
    buttons(chapter, asked, seen)
    complaints(chapter, asked, seen)
    config = seen.config if seen else (asked or TrainConfig())
    ready = known(config, seen, 0) is not None
    if not ready:
        with st.spinner(chapter.say("first_look")):
            ready = known(config, seen) is not None
    every = pace(config) if going or not ready else None
    fragment(live, run_every=every)(chapter, asked, ready, going)
    if seen is None:
        chapter.write(of_task(config, "see"))  # what to expect; a run speaks for itself
    chapter.write("name" if config.words is None else "name_words")


def known(config: TrainConfig, seen: Snapshot | None, seconds: float | None = None) -> History | None:
    """The reports of the run, or what one begins with; None while that has not come yet."""
    runs = seat().runs
    seconds = runs.patience if seconds is None else seconds
    if seen and seen.placed:
        seen = runs.wait(seen.run, lambda seen: len(seen.history.probe_step) > 0 or not seen.active, seconds)
    if seen and len(seen.history.probe_step):
        return seen.history
    try:
        return runs.first_look(config, seconds, ask=not (seen and seen.placed))  # such a run brings it by itself
    except Refused:  # the worker has died; the next look finds another one
        return None


def live(chapter: Chapter[Run], asked: TrainConfig | None, ready: bool, going: str) -> None:
    """The run as it is now, or as it was at the step the reader looks back to.

    What the page knew when it was drawn: the run it asks for, whether there was one to look at, and whether it waited,
    was under way or (empty) at rest. Where that has changed, the whole page runs again.
    """
    say, mine = chapter.say, seat()
    seen = mine.seen
    if mine.watched and seen and seen.state != going:
        address.run_again()
    config = seen.config if seen else (asked or TrainConfig())
    history = known(config, seen, 0)
    if (history is None) == ready:
        address.run_again()
    outlook = mine.runs.outlook(seen.run) if seen else mine.runs.outlook_of(config)
    if history is None:
        st.info(and_wait(say("first_look"), outlook, chapter.lang))
        return
    stops = [int(step) for step in history.probe_step]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if seen and seen.going:
            said = say(_state(seen), step=seen.step, steps=config.steps)
            st.progress(seen.step / config.steps, and_wait(said, outlook, chapter.lang))
            at = stops[-1]
        elif len(stops) > 1:
            at = controls.along(chapter, "at", stops)
        else:
            at = stops[-1]
            st.markdown(say("untrained"))
    now = int(history.step[-1]) if going else at  # a run under way is past its last record of the probe
    with right:
        readout(chapter, history, now)
    watched(chapter, config, history, at)
    attention = partial(cross_attention, chapter, config, history, at)
    progress = partial(run_curves, chapter, config, history, now)
    first, second = (attention, progress) if config.words is None else (progress, attention)  # named rows are tall
    if chapter.frame.at:  # one screen has both, side by side
        for place, draw in zip(st.columns([3, 2], gap="medium"), (attention, progress), strict=True):
            with place:
                draw()
        return
    first()
    if seen and seen.step > 0 and at > 0 and not seen.going:
        offer(chapter, config, at if at < stops[-1] else seen.step, history)
    second()
    printed(chapter, config, history, now)
    if now > 0:
        what_it_learned(chapter, config, history, now)


def _state(seen: Snapshot) -> str:
    """The key of what is said of a run that goes on, or waits to."""
    if seen.state == "waiting":
        return "state.waiting"
    return "state.running" if seen.step else "state.starting"


RUN = Section("run", training_run, settings=Run, look="lead", whole=True, lesson=(ASK_UNTRAINED,))
