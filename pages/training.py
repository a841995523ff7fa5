"""Training on the copy task, live (paper, section 5)."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, START, EncoderDecoder, greedy_decode, padding_mask
from transformer_core.history import History
from transformer_core.train_config import ConfigError, TrainConfig
from transformer_core.training_run import TrainingRun, copied, learning_rate, probe_of
from ui import address, controls, session
from ui.caption import caption
from ui.drawing import board
from ui.figures.arithmetic import number
from ui.figures.tokens import named
from ui.figures.training import CURVES_HEIGHT, curves, probe_wall, verdict
from ui.fragment import fragment
from ui.labs.training_values import config_of, guess_of, pace, plan, settings_of, snippet, thinned
from ui.labs.training_words import readout, what_it_learned
from ui.places import Refused
from ui.recorded import measured
from ui.runs import PATIENCE, Snapshot
from ui.seat import seat
from ui.settings.frame import LATEST
from ui.settings.training import END, Training
from ui.shell import close_chapter, open_chapter

SETTINGS = (("N", 1), ("h", 1), ("d_model", 8), ("batch", 8), ("rate", 0.001), ("steps", 50), ("seed", 1))
PRESETS = {"quick": TrainConfig(), "notes": TrainConfig.notes(), "notes_250": TrainConfig.notes(eval_updates=True)}
RETURN = 1.5  # seconds in which the end of a page that is reloaded is heard of
NARROW = 112  # pixels of a number's field: seven of them stand side by side


def use(config: TrainConfig, step: int) -> None:
    """Make a moment of a run the model at hand. To be called before the menu is drawn."""
    address.put(address.FRAME, "run", session.run_text(config))
    address.put(address.FRAME, "step", LATEST if step == config.steps else step)
    address.put(address.FRAME, "model", "run")


def hand_over(seen: Snapshot | None) -> None:
    """Where a run rests, its model becomes the one at hand in all chapters."""
    address.put("training", "going", seen is not None and seen.state == "running")
    if seen is not None and seen.step > 0 and seen.state in ("paused", "done", "stopped"):
        use(seen.config, seen.step)


mine = seat()
if mine.watched and mine.seen and mine.seen.state != "running":
    mine.watched = False
    address.open_link("training", Training)  # before it is changed
    hand_over(mine.seen)
chapter = open_chapter("training", Training)
say = chapter.say


def wanted() -> TrainConfig | None:
    """The run that the settings describe; None, with a sentence, if there can be no such run."""
    try:
        config = config_of(chapter.settings)
        mine.runs.places.fit(config)
    except ConfigError as problem:
        st.warning(say(f"refused.{problem.reason}", **problem.values))
    except Refused as problem:
        st.warning(say(f"refused.{problem.reason}", limit=problem.limit))
    else:
        return config
    return None


def begin() -> None:
    """Start: a new run with the settings as they are."""
    with suppress(ConfigError):  # the page says why
        mine.start(config_of(chapter.settings))
        chapter.put("at", END)
        chapter.put("going", mine.refused is None)


def steer(command: Callable[[str], None]) -> None:
    """Pause, resume, one step, stop or restart."""
    if mine.run is not None:
        command(mine.run)
        chapter.put("at", END)
        hand_over(mine.seen)


def take(preset: TrainConfig) -> None:
    for name, value in settings_of(preset).items():
        chapter.put(name, value)


def come_back(config: TrainConfig) -> None:
    """The run of a reader who reloaded the page, or the one that a link names: up to its step."""
    mine.return_to(config, RETURN if chapter.settings.going else 0.0)
    frame = chapter.frame
    if mine.run is None and frame.model == "run" and frame.run == session.run_text(config):
        mine.start(config, until=frame.step if frame.step != LATEST else None, linked=True)
    elif mine.run is None and chapter.settings.going:
        chapter.put("going", False)
        st.warning(say("state.gone"))


def main_settings() -> None:
    refusals = list[str]()
    with st.container(horizontal=True, gap="small"):
        for name, step in SETTINGS:
            if name == "rate" and chapter.settings.schedule == "noam":
                name, step = "factor", 0.1  # d_model and the warm-up give the rest of Noam's rate
            controls.number(chapter, name, step, NARROW, refusals)
    for refusal in refusals:
        st.warning(refusal)


def more_settings() -> None:
    more = st.popover(say("more"), key="training.more", on_change="rerun")
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


def buttons(config: TrainConfig | None, seen: Snapshot | None) -> None:
    """What can be done now; the others stay in their places, switched off."""
    state, runs = seen.state if seen else "none", mine.runs
    with st.container(horizontal=True, gap="small"):
        st.button(say("again" if seen else "start"), on_click=begin, disabled=config is None, type="primary")
        if state == "lost":
            st.button(say("restart"), on_click=partial(steer, runs.restart))
        elif state == "paused":
            st.button(say("resume"), on_click=partial(steer, runs.resume))
        else:
            st.button(say("pause"), on_click=partial(steer, runs.pause), disabled=state != "running")
        st.button(say("one_step"), on_click=partial(steer, runs.step), disabled=state != "paused")
        st.button(say("stop"), on_click=partial(steer, runs.stop), disabled=state not in ("running", "paused"))
        more_settings()
        st.space("stretch")
        for name, preset in PRESETS.items():
            st.button(say(f"preset.{name}"), on_click=partial(take, preset), type="tertiary")


def known(config: TrainConfig, seen: Snapshot | None, seconds: float = PATIENCE) -> History | None:
    """The reports of the run, or what one begins with; None while that has not come yet."""
    if seen and seen.active:
        seen = mine.runs.wait(seen.run, lambda seen: len(seen.history.probe_step) > 0 or not seen.active, seconds)
    if seen and len(seen.history.probe_step):
        return seen.history
    try:
        return mine.runs.first_look(config, seconds)
    except Refused:  # the worker has died; the next look finds another one
        return None


def model_named() -> tuple[str, str, int]:
    frame = chapter.frame
    return frame.model, frame.run, frame.step


def live() -> None:
    """The run as it is now, or as it was at the step the reader looks back to."""
    if model_named() != in_menu:
        address.run_again()
    seen = mine.seen
    if mine.watched and seen and seen.state != "running":
        address.run_again()
    config = seen.config if seen else (asked or TrainConfig())
    history = known(config, seen, 0)
    if (history is None) == ready:
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
    now = int(history.step[-1]) if running else at  # a run under way is past its last record of the probe
    with right:
        readout(chapter, history, now)
    cross_attention(config, history, at)
    if seen and seen.step > 0 and at > 0 and seen.state != "running":
        offer(config, at if at < stops[-1] else seen.step)
    run_curves(config, history, now)
    if now > 0:
        what_it_learned(chapter, config, history, now)
    under_the_figure(config, history, at)


def offer(config: TrainConfig, step: int) -> None:
    """The model of this moment for all chapters, unless they show it already."""
    model, run, at = model_named()
    if (model, run, at or config.steps) == ("run", session.run_text(config), step):
        st.caption(say("used", step=step))
    else:
        st.button(say("use", step=step), on_click=partial(use, config, step))


def cross_attention(config: TrainConfig, history: History, at: int) -> None:
    """What every head of every layer looks at in the probe sequence, and what the model makes of it."""
    record = int(np.searchsorted(history.probe_step, at))
    labels = {name: say(f"label.{name}") for name in ("predicted", "source")}
    titles = [[say("label.map", layer=layer, head=head) for head in range(config.h)] for layer in range(config.N)]
    probe = probe_of(config)
    panels = probe_wall(history.cross_attention[record], probe, titles, labels)
    alt = say("probe_alt", layers=config.N, heads=config.h, step=at)
    chosen = board(chapter, "probe", panels, alt=alt, given=True).chosen
    if chosen:
        panel, row, column = chosen
        layer, head = map(int, panel.split(".")[1:])
        weight = number(float(history.cross_attention[record, layer, head, row, column]), 3)
        token, source = probe[row + 1], probe[column]
        chapter.write("chosen", token=token, layer=layer, head=head, weight=weight, source=source, place=column)
    choices = history.log_probs[record].argmax(-1).tolist()
    st.html(verdict(say("label.probe"), choices, probe[1:], say("label.mistake")))


def run_curves(config: TrainConfig, history: History, at: int) -> None:
    guess = guess_of(config)
    labels = {name: say(f"label.{name}") for name in ("step", "loss", "match", "rate")}
    if config.smoothing:
        labels["guess"] = say("label.guess_smoothed", guess=f"{guess:.2f}")
    else:
        labels["guess"] = say("label.guess", answers=config.vocab - 1, guess=f"{guess:.2f}")
    drawn, checked = thinned(history), np.isfinite(history.exact_match)
    loss = (history.step[drawn], history.loss[drawn])
    match = (history.step[checked], history.exact_match[checked])
    spec = curves(loss, match, plan(config), config.steps, guess, at, labels, chapter.mode)
    alt = say("curves_alt", step=int(history.step[-1]), loss=number(float(history.loss[-1]), 3), guess=f"{guess:.2f}")
    st.echarts_chart(spec, height=CURVES_HEIGHT, theme=None, key="training.curves", alt=alt)


def under_the_figure(config: TrainConfig, history: History, at: int) -> None:
    length = len(probe_of(config))
    caption(
        chapter,
        "run",
        f"decoder.layers.*.src_attn.weights · {config.N} × {config.h} × {length - 1} × {length} · "
        f"step {at} · seed {config.seed} · {say('size', parameters=f'{config.parameters:,}')}",
        numbers=np.stack(history[:8], axis=1),
        columns=history._fields[:8],
        code=[TrainingRun.update, learning_rate, copied],
        snippet=snippet(config, at),
    )


def decode(src: tuple[int, ...]) -> None:
    """The reader's own sequence through the model as it is."""
    try:
        model, step = mine.latest() or (mine.runs.model(shown, 0), 0)
    except Refused:
        model, step = None, 0
    if model is None:  # it had to make room for other readers' and is trained again, or the worker is
        st.info(say("model_again"))
        return
    here = session.ModelAtHand("run", shown, step, shown.seed)
    output = measured(here, ("greedy", src), partial(copy_of, model, src))["ids"].tolist()
    st.html(verdict(say("output"), named(output), named(src), say("label.mistake")))
    right = sum(given == token for given, token in zip(output[1:], src[1:]))
    st.markdown(say("output_of", step=step, right=right, of=len(src) - 1))


def copy_of(model: EncoderDecoder, src: tuple[int, ...]) -> dict[str, Tensor]:
    sources = torch.tensor([src])
    with torch.inference_mode():
        return {"ids": greedy_decode(model, sources, padding_mask(sources, PAD), len(src), START)[0]}


def complaints(seen: Snapshot | None) -> None:
    """What went wrong, where the reader looks for it."""
    if mine.refused:
        st.warning(say(f"refused.{mine.refused.reason}", limit=mine.refused.limit))
        mine.refused = None
    if seen and seen.state == "lost":
        st.error(say("state.lost", step=seen.step, steps=seen.config.steps))
    elif seen and seen.state == "failed":
        st.error(say(f"failed.{seen.reason}", step=seen.step))
    if seen and asked and seen.config != asked:
        st.caption(say("changed"))


in_menu = model_named()
mine.runs.warm()
main_settings()
asked = wanted()
if mine.seen is None and asked:
    come_back(asked)
seen = mine.seen
running = seen is not None and seen.state == "running"
mine.watched |= running
buttons(asked, seen)
complaints(seen)
shown = seen.config if seen else (asked or TrainConfig())
every = pace(shown)
ready = known(shown, seen, 0) is not None
if not ready:
    with st.spinner(say("first_look")):
        ready = known(shown, seen) is not None
fragment(live, run_every=every if running or not ready else None)()
if seen is None:
    chapter.write("see")  # what to expect; a run speaks for itself
chapter.write("name", "formula", "why")
chapter.section("decode")
typed = controls.sequence(chapter, "src", shown.vocab, session.LONGEST)
if typed and len(typed) < 2:
    st.warning(say("too_short"))
elif typed:
    fragment(decode, run_every=2.5 * every if running else None)(typed)  # seldom together with the figure's look
chapter.write("same", "notes")
close_chapter(chapter)
