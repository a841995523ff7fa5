"""Start, pause, stop; come back to a run; and hand its model to all chapters where it rests."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import streamlit as st

from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.run import LOST, PATIENCE
from ui import state
from ui.chapters.training.lapse.lapse import can_lapse, turn
from ui.chapters.training.recipe import END, ShownRunSettings, config_of
from ui.figures import number
from ui.model.run_link import run_text
from ui.sections import Chapter, Frame
from ui.session import session
from ui.settings.frame import LATEST
from ui.training_service.progress import RunProgress
from ui.training_service.registry import Snapshot

RETURN = 1.5  # seconds in which the end of a page that is reloaded is heard of


def use(config: TrainConfig, step: int) -> None:
    """Make a moment of a run the model at hand, which can be compared with the run before. To be called before the menu
    is drawn."""
    frame, run = state.current(state.FRAME, Frame), run_text(config)
    if frame.run not in ("", run) and frame.compare != "run":
        state.put(state.FRAME, "other", frame.run)
    state.put(state.FRAME, "run", run)
    state.put(state.FRAME, "step", LATEST if step == config.steps else step)
    state.put(state.FRAME, "model", "run")


def take_over(_: type[ShownRunSettings]) -> None:
    """Where a run has come to rest, its model becomes the one at hand in all chapters. Before the menu is drawn."""
    if seen := session().hand_over():
        use(seen.config, seen.step)


def begin(chapter: Chapter[ShownRunSettings]) -> None:
    with suppress(ConfigError):  # the page says why
        session().start(config_of(chapter.settings))
        to_the_end(chapter)


def to_the_end(chapter: Chapter[ShownRunSettings]) -> None:
    chapter.put("at", END)
    chapter.put("replay", False)


def steer(chapter: Chapter[ShownRunSettings], command: Callable[[str], None]) -> None:
    """Pause, resume, one step, stop or restart: the run and, if there is one, its rival."""
    runs = session().own_runs
    for run in runs:
        command(run)
    if runs:
        to_the_end(chapter)


def come_back(chapter: Chapter[ShownRunSettings], config: TrainConfig) -> None:
    """The run of a reader who reloaded the page, or the one that a link names: up to its step."""
    mine, frame = session(), chapter.frame
    mine.return_to(config, RETURN if chapter.settings.going else 0.0)
    if mine.seen is None and frame.model == "run" and frame.run == run_text(config):
        mine.start(config, until=frame.step if frame.step != LATEST else None, linked=True)
    elif mine.seen is None and chapter.settings.going:
        st.warning(chapter.say("state.gone"))


def buttons(chapter: Chapter[ShownRunSettings], config: TrainConfig | None, drawn: RunProgress) -> None:
    """What can be done now; the others stay in their places, switched off."""
    seen = drawn.seen
    say, phase, runs = chapter.say, seen.state if seen else "none", session().runs
    with st.container(horizontal=True, gap="small", key="run-training", width="content"):
        st.button(
            say("anew" if seen else "start"), on_click=partial(begin, chapter), disabled=config is None, type="primary"
        )
        if phase == "lost":
            st.button(say("restart"), on_click=partial(steer, chapter, runs.restart))
        elif phase == "paused":
            st.button(say("resume"), on_click=partial(steer, chapter, runs.resume))
        else:
            st.button(say("pause"), on_click=partial(steer, chapter, runs.pause), disabled=phase != "running")
        st.button(say("one_step"), on_click=partial(steer, chapter, runs.step), disabled=phase != "paused")
        st.button(say("stop"), on_click=partial(steer, chapter, runs.stop), disabled=not (seen and seen.active))
        can = not drawn.going and can_lapse(drawn.history)
        again = "close" if can and chapter.settings.replay else "name"
        st.button(
            say(f"replay.{again}"), on_click=partial(turn, chapter), disabled=not can, icon=":material/timelapse:"
        )


def complaints(chapter: Chapter[ShownRunSettings], asked: TrainConfig | None, seen: Snapshot | None) -> None:
    say, mine = chapter.say, session()
    if mine.refused:
        st.warning(say(f"refused.{mine.refused.reason}", limit=mine.refused.limit))
        mine.refused = None
    if mine.runs.engine.trouble:
        st.caption(say(f"cluster.{mine.runs.engine.trouble}"))
    if seen and seen.state == "lost":
        st.error(say("state.lost", step=seen.step, steps=seen.config.steps))
    elif seen and seen.state == "failed":
        st.error(say(f"failed.{seen.reason}", step=seen.step, times=number(LOST), count=PATIENCE))
    if seen and asked and seen.config != asked:
        st.caption(say("changed"))
