"""A run, from its settings to what the model is at every step."""

from dataclasses import replace
from functools import partial

import streamlit as st

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.loss_gradient import by_hand
from ui import state
from ui.chapters.training.controls import described, folded_settings, settle_task, task_choice
from ui.chapters.training.lapse.embedded import embeddings
from ui.chapters.training.lapse.lapse import can_lapse, closed, time_lapse
from ui.chapters.training.notes import copied, printed, rates
from ui.chapters.training.offer import offer
from ui.chapters.training.pairs import given_pairs
from ui.chapters.training.pictures import best_head, cross_attention, run_curves, watched
from ui.chapters.training.recipe import PAIRS, ShownRunSettings
from ui.chapters.training.steer import buttons, come_back, complaints
from ui.chapters.training.values import about, pace
from ui.chapters.training.words import how_sure, of_task, of_words, readout, what_it_learned
from ui.frame.notices import and_wait
from ui.sections import Chapter, Choice, Section, fragment
from ui.session import session
from ui.training_service.progress import RunProgress, Stage

ASK_UNTRAINED = Choice("ask_untrained", ("tenth", "none", "half"), right="none")


@Section("run", settings=ShownRunSettings, look="lead", whole=True, lesson=(ASK_UNTRAINED,))
def training_run(chapter: Chapter[ShownRunSettings]) -> None:
    mine = session()
    mine.runs.warm()
    settle_task(chapter)
    steering = st.container(horizontal=True, gap="medium", vertical_alignment="center")
    with steering:
        task_choice(chapter)
    given_pairs(chapter)
    folded_settings(chapter)
    asked, why_not = described(chapter)
    if why_not:
        st.warning(why_not)
    if mine.seen is None and asked:
        come_back(chapter, asked)
    if asked is None and chapter.settings.task == PAIRS and mine.seen is None:
        return  # there is no run yet, not even an untrained one
    config = asked or TrainConfig()
    drawn = mine.progress(config, chapter.settings.at)
    chapter.put("going", drawn.going)
    rates(chapter, asked)
    with steering:
        buttons(chapter, asked, drawn)
    complaints(chapter, asked, drawn.seen)
    if drawn.history is None:
        with st.spinner(chapter.say("first_look")):
            waited = mine.progress(config, chapter.settings.at, mine.runs.patience)
        drawn = replace(drawn, history=waited.history)  # with the run that the buttons are for
    every = pace(drawn.config) if drawn.stage in ("asked", "running") or mine.racing else None
    fragment(live, run_every=every)(chapter, config, drawn.stage, mine.racing)
    if drawn.seen is None:
        chapter.write(of_task(drawn.config, "see"))  # what to expect; a run speaks for itself
    named = "name" if drawn.config.words is None else of_words(drawn.config, "name")
    chapter.write("name_pairs" if drawn.config.pairs else named)


def live(chapter: Chapter[ShownRunSettings], config: TrainConfig, drawn: Stage, racing: bool) -> None:
    """The run as it is now, or as it was at the step the reader looks back to. The page was drawn for a stage of it,
    and for a rival that moves, or does not."""
    now = session().progress(config, chapter.settings.at)
    if now.stage != drawn or now.stage == "fresh" or session().racing != racing:
        state.run_again()  # the worker has brought this
    history = now.history
    if history is None:
        st.info(and_wait(chapter.say("first_look"), now.eta, chapter.lang))
        return
    told = chapter.settings.replay and not now.going and can_lapse(history)
    if told:
        time_lapse(chapter, now.config, history, now.at)
    else:
        closed()
        left, right = st.columns([2, 5], gap="medium")
        with left:
            _state(chapter, now, history)
        with right:
            readout(chapter, now.config, history, now.last)
        _first_screen(chapter, now, history)
    if not chapter.frame.at:
        _below(chapter, now, history, told=told)


def _state(chapter: Chapter[ShownRunSettings], now: RunProgress, history: History) -> None:
    """How far the run is, or at rest which step of it is looked at."""
    if now.seen and now.going:
        step, steps = now.seen.step, now.config.steps
        state = "starting" if now.stage == "running" and step == 0 else now.seen.state
        said = chapter.say(f"state.{state}", step=step, steps=steps)
        st.progress(step / steps, and_wait(said, now.eta, chapter.lang))
    elif can_lapse(history):
        st.caption(chapter.say("rests", step=now.at, records=len(history.probe_step)))
    else:
        st.caption(chapter.say("before"))


def _first_screen(chapter: Chapter[ShownRunSettings], now: RunProgress, history: History) -> None:
    """What the model makes of what is watched, and below it, side by side, the run's curves and what a head looks at;
    at a stop of a lesson, what all of them do."""
    watched(chapter, now.config, history, now.at)
    progress = partial(run_curves, chapter, now.config, history, now.last)
    attention = partial(cross_attention if chapter.frame.at else best_head, chapter, now.config, history, now.at)
    beside = (attention, progress) if chapter.frame.at else (progress, attention)
    for place, draw in zip(st.columns([3, 2], gap="medium"), beside, strict=True):
        with place:
            draw()


def _below(chapter: Chapter[ShownRunSettings], now: RunProgress, history: History, *, told: bool) -> None:
    """What the run has come to, unless that is `told` already, and all that it has recorded."""
    config, seen, at = now.config, now.seen, now.at
    if now.last == 0:
        chapter.write("untrained")
    elif not told:
        chapter.write("story.replay", **about(chapter.say, config, history, now.last))
    if seen and seen.step > 0 and at > 0 and not seen.going:
        offer(chapter, config, at if at < history.probe_step[-1] else seen.step, history)
    if told:
        embeddings(chapter, config, history, at)
    cross_attention(chapter, config, history, at)
    printed(chapter, config, history, now.last)
    copied(chapter, config, now.last)
    if now.last > 0:
        what_it_learned(chapter, config, history, now.last)
        st.caption(chapter.say("gradient.by_hand" if by_hand(config) else "gradient.autograd"))
    if now.last == config.steps:
        how_sure(chapter, config)
    if seen and seen.place:
        st.caption(chapter.say("place", place=seen.place))
