"""After the run of the lecture notes: their sequence decoded, beside what they print, and what makes it come back."""

from dataclasses import replace
from functools import partial

import streamlit as st

from transformer_core.training.config import TrainConfig
from transformer_core.training.notes_run import SEEDS, SEQUENCE, SMALL_EXACT, begins_as_notes
from ui.chapters.training.controls import take
from ui.chapters.training.figures.run import verdict
from ui.chapters.training.recipe import USUAL
from ui.figures import number
from ui.model import ModelAtHand, output_of
from ui.sections import AnyChapter
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
