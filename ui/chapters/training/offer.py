"""The model of a moment of a run: for all chapters, to compare with, and as a file."""

from functools import partial

import streamlit as st

from transformer_core.training.checkpoint import megabytes, to_bytes
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.memory import NUMBER
from transformer_core.training.tensor_file import SUFFIX
from ui import state
from ui.chapters.training.steer import use
from ui.frame.style import say_within
from ui.model.run_link import run_text
from ui.sections import AnyChapter
from ui.session import session
from ui.training_service.memory_budget import MB
from ui.training_service.runs import Runs
from ui.uploads import MOST

# The file of a run: its name, and how much of what the run was watched by it has room for.

PARTS = 2**19  # bytes, at most, besides the weights of a model so small
RECORDS = 2**21  # and those of the records


def saved_as(config: TrainConfig, step: int) -> str:
    """The name of a file with the model of that moment."""
    return f"{config.task}-step{step}{SUFFIX}"


def size(config: TrainConfig) -> int:
    """Bytes of the file without records, at most."""
    return config.parameters * NUMBER + PARTS + NUMBER * len(config.pairs)


def room(config: TrainConfig) -> int:
    """Bytes for records: as many as leave it a file that can be opened here."""
    return max(0, min(RECORDS, MOST - size(config)))


SAVED_WITHIN = 5.0  # seconds that a click waits for a step that is looked back to: the server can wait for few clicks


def offer(chapter: AnyChapter, config: TrainConfig, step: int, history: History) -> None:
    """The model of this moment: for all chapters, unless they show it already, to compare with, and as a file."""
    frame = chapter.frame
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if (frame.model, frame.run, frame.step or config.steps) == ("run", run_text(config), step):
            st.caption(chapter.say("used", step=step), width="content")
        else:
            other = chapter.then(partial(compare, chapter, config, step))
            st.button(chapter.say("use", step=step), on_click=chapter.then(partial(use, config, step)))
            st.button(chapter.say("compare", step=step), on_click=other, type="tertiary")
        save(chapter, config, step, history)


def compare(chapter: AnyChapter, config: TrainConfig, step: int) -> None:
    """Compare the model at hand with a moment of a run, which may be its own."""
    own = config == chapter.at_hand.config
    named = {"compare": "step" if own else "run", "other_step": step}
    for name, value in (named if own else named | {"other": run_text(config)}).items():
        state.put(state.FRAME, name, value)


def save(chapter: AnyChapter, config: TrainConfig, step: int, history: History) -> None:
    """The model of this moment as a file, with what its run has reported; a sentence for one that no page could open.

    It is made when it is asked for. A model that is not there is trained again; where that takes long, the style sheet
    says to come back.
    """
    if size(config) > MOST:
        st.caption(chapter.say("save_large", size=megabytes(size(config), MOST), most=MOST // MB), width="content")
        return
    say_within(".stDownloadButton", {"not_yet": chapter.say("save_not_yet", step=step)})
    st.download_button(
        chapter.say("save", step=step),
        partial(_file, session().runs, config, step, history),
        saved_as(config, step),
        "application/octet-stream",
        key="training.save",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
    )


def _file(runs: Runs, config: TrainConfig, step: int, history: History) -> bytes:
    """Refused, or TimeoutError, where the model is not to be had now; another click finds its training further on."""
    model = runs.model(config, step, SAVED_WITHIN)
    if model is None:
        raise TimeoutError("the model is still being trained again")
    return to_bytes(model, config, step, history.columns(step), history.records(step, room(config)))
