"""Chapter training: a run, from its settings to what the model is at every step."""

import streamlit as st

from transformer_core.train_config import TrainConfig
from ui import address
from ui.fragment import fragment
from ui.labs.training_live import Drawn, known, live
from ui.labs.training_settings import main_settings, wanted
from ui.labs.training_steer import buttons, come_back, complaints, hand_over, model_named
from ui.labs.training_values import pace
from ui.seat import seat
from ui.settings.training import Training
from ui.shell import Chapter, open_chapter


def opened() -> Chapter:
    """Open the chapter. Where a run has come to its end, its model is handed over before the menu is drawn."""
    mine = seat()
    if mine.watched and mine.seen and mine.seen.state != "running":
        mine.watched = False
        address.open_link("training", Training)  # before it is changed
        hand_over(mine.seen)
    return open_chapter("training", Training)


def training_run(chapter: Chapter) -> None:
    mine, model = seat(), model_named(chapter)
    mine.runs.warm()
    main_settings(chapter)
    asked = wanted(chapter)
    if mine.seen is None and asked:
        come_back(chapter, asked)
    seen = mine.seen
    running = seen is not None and seen.state == "running"
    mine.watched |= running
    buttons(chapter, asked, seen)
    complaints(chapter, asked, seen)
    config = seen.config if seen else (asked or TrainConfig())
    ready = known(config, seen, 0) is not None
    if not ready:
        with st.spinner(chapter.say("first_look")):
            ready = known(config, seen) is not None
    look = fragment(live, run_every=pace(config) if running or not ready else None)
    look(chapter, Drawn(model, asked, ready, running))
    if seen is None:
        chapter.write("see")  # what to expect; a run speaks for itself
    chapter.write("name", "formula", "why")
