"""A model from the reader's own file becomes the one at hand in all chapters."""

import re
from contextlib import suppress

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from transformer_core.tasks import OwnPairs
from transformer_core.training.config import TrainConfig
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.state_dict import heads_of
from ui import state, upload_limits
from ui.chapters.training.recipe import AUTO, Recipe
from ui.chapters.training.told import told
from ui.frame.style import say_within
from ui.inputs.sequence import example
from ui.sections import Chapter, Section, controls
from ui.session import ReaderSession, drop_file, keep_pairs, session
from ui.settings.fields import Settings, by_click, choice, flag, whole
from ui.training_service.memory_budget import MB
from ui.training_service.queue import Refused
from ui.uploads import MOST, Upload, take, taken_anew

FILE = "training.own"  # the widget
FIELD = ("choose", "too_large")  # what stands in it
FORMS = {"pre": True, "post": False}
IN_PYTHON = """from transformer_core import load_any
from transformer_core.predict import predicted
print(predicted(load_any({file!r}), {text!r}).output)"""


class OwnFileSettings(Settings):
    """What the reader's file does not tell: by default as it was taken."""

    own_h: int = whole(0, 0, 16)
    own_form: str = choice(AUTO, AUTO, *FORMS)
    own_lapse: bool = by_click(flag(False))  # the time-lapse of the run that it tells of is open


def take_given(kind: type[OwnFileSettings]) -> None:
    """Take the model in a file that the reader has just given, then what is set of it. Before the menu is drawn.

    All of it may be cut short at any touch of the session's state: then the next run finds the file once more.
    """
    mine, file = session(), state.picked(FILE)
    try:
        if isinstance(file, UploadedFile) and file.file_id != mine.file:
            upload_limits.check(file.type)
            _show(mine, take(file.name, file.getvalue()))
        elif mine.upload:
            _understand(mine, mine.upload, state.current("training", kind))
    except NotAModel as problem:
        mine.no_model = problem
    if file is not None and file.file_id != mine.file:
        mine.file = file.file_id
        drop_file(file.file_id)


def _show(mine: ReaderSession, upload: Upload) -> None:
    mine.take(upload)
    if isinstance(upload.config.words, OwnPairs):
        with suppress(Refused):  # then its model is shown all the same
            keep_pairs(upload.config.words)
    for name, taken in zip(("own_h", "own_form"), (0, AUTO) if upload.step is not None else _as_taken(upload)):
        state.put("training", name, taken)
    state.put(state.FRAME, "model", "own")


def _understand(mine: ReaderSession, upload: Upload, own: OwnFileSettings) -> None:
    """Read a state dict with the heads and the form that are set. NotAModel if it cannot be understood so."""
    taken_h, taken_form = _as_taken(upload)
    h, form = own.own_h or taken_h, taken_form if own.own_form == AUTO else own.own_form
    if upload.step is not None or h not in heads_of(upload.config.d_model) or (h, form) == (taken_h, taken_form):
        return
    if anew := taken_anew(upload, h, FORMS[form]):
        mine.take(anew)


@Section("own", settings=OwnFileSettings, sets=(Recipe,), text="text", whole=True)
def own_model(chapter: Chapter[OwnFileSettings]) -> None:
    """Its file, what is wrong with it, and what a state dict leaves open."""
    mine, most = session(), MOST // MB
    if chapter.notes:
        chapter.write("own.names")
    say_within(".stFileUploader", {name: chapter.say(f"own.{name}", most=most) for name in FIELD})
    st.file_uploader(chapter.say("own.file", most=most), key=FILE, max_upload_size=most)
    if mine.no_model:  # what a file calls its weights is not to be read as anything but words
        values = {name: re.sub(r"[^\w.,()/… -]", "?", str(value)) for name, value in mine.no_model.values.items()}
        st.error(chapter.say(f"own.refused.{mine.no_model.reason}", **values))
        mine.no_model = None
    if mine.upload:
        _about(chapter, mine.upload)
    chapter.write("own.python")
    file = mine.upload.file if mine.upload else "model.safetensors"
    st.code(IN_PYTHON.format(file=file, text=example(chapter.at_hand.config, "1 3 2 5", chapter.lang)), "python")


def _about(chapter: Chapter[OwnFileSettings], own: Upload) -> None:
    """What the file has told, and for a state dict the two things that it does not tell."""
    config, known = own.config, own.step is not None
    sizes = {name: getattr(config, name) for name in ("N", "d_model", "d_ff", "h", "vocab", "tgt_vocab")}
    if isinstance(config, TrainConfig):
        chapter.write("own.checkpoint", file=own.file, step=own.step, task=config.task, **sizes)
        told(chapter, own, config)
    else:
        chapter.write("own.foreign", file=own.file, **sizes)
    if chapter.frame.model != "own":
        st.button(chapter.say("own.use"), on_click=state.put, args=(state.FRAME, "model", "own"))
    if known:
        return
    for name, taken in zip(("own_h", "own_form"), _as_taken(own)):
        if getattr(chapter.settings, name) in (0, AUTO):
            chapter.put(name, taken)
    with st.container(horizontal=True, gap="medium"):
        h = controls.number(chapter, "own_h", width=112)
        controls.choose(chapter, "own_form", tuple(FORMS))
    if h not in heads_of(config.d_model):
        st.warning(chapter.say("refused.heads", h=h, d_model=config.d_model))


def _as_taken(upload: Upload) -> tuple[int, str]:
    return upload.config.h, next(name for name, first in FORMS.items() if first == upload.config.norm_first)
