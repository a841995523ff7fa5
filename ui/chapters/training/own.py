"""Chapter training: a model from the reader's own file becomes the one at hand in all chapters."""

import re

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from transformer_core.training.archive import NotAModel
from transformer_core.training.config import TrainConfig
from transformer_core.training.state_dict import heads_of
from ui import address
from ui.chapters.training.settings import AUTO
from ui.frame.chapter import Chapter
from ui.frame.style import say_within
from ui.page import controls
from ui.server import inbox
from ui.server.memory import MB
from ui.server.seat import drop_file, seat
from ui.server.uploads import MOST, Upload, take, taken_anew

FILE = "training.own"  # the widget
FIELD = ("choose", "too_large")  # what stands in it
FORMS = {"pre": True, "post": False}


def own_model(chapter: Chapter) -> None:
    """Its file, what is wrong with it, and what a state dict leaves open."""
    mine = seat()
    chapter.write("own.names")
    _read(_file(chapter, MOST // MB))
    if mine.fresh:
        address.run_again()
    if mine.no_model:
        _refused(chapter, mine.no_model)
        mine.no_model = None
    if mine.upload:
        _about(chapter, mine.upload)
    if chapter.frame.model == "own" and chapter.at_hand.own != mine.upload:
        address.run_again()  # the menu, and what all chapters show, is another one now


def show_fresh() -> None:
    """From here on all chapters show the model of a file that was read. To be called before the menu is drawn."""
    mine = seat()
    if mine.upload:
        known = mine.upload.step is not None
        address.put("training", "own_h", 0 if known else mine.upload.config.h)
        address.put("training", "own_form", AUTO if known else _form(mine.upload))
        address.put(address.FRAME, "model", "own")
    mine.fresh = False


def _file(chapter: Chapter, most: int) -> UploadedFile | None:
    """The field for it."""
    say_within(".stFileUploader", {name: chapter.say(f"own.{name}", most=most) for name in FIELD})
    return st.file_uploader(chapter.say("own.file", most=most), key=FILE, max_upload_size=most)


def _read(file: UploadedFile | None) -> None:
    """The model in a file that the reader has just given. If it has none, nothing changes.

    Not in a callback, which is called once and may be cut short at any touch of the session's state.
    """
    mine = seat()
    if file is None or file.file_id == mine.file:
        return
    content, mine.file = file.getvalue(), file.file_id
    drop_file(file.file_id)
    try:
        inbox.check(file.type)
        mine.take(take(file.name, content))
        mine.fresh = True
    except NotAModel as problem:
        mine.no_model = problem


def _about(chapter: Chapter, own: Upload) -> None:
    """What the file has told, and for a state dict the two things that it does not tell."""
    config, known = own.config, own.step is not None
    sizes = {name: getattr(config, name) for name in ("N", "d_model", "d_ff", "h", "vocab", "tgt_vocab")}
    if isinstance(config, TrainConfig):
        chapter.write("own.checkpoint", file=own.file, step=own.step, task=config.task, **sizes)
    else:
        chapter.write("own.foreign", file=own.file, **sizes)
    if own.losses:
        first, last = (f"{loss:.3g}" for loss in own.losses)
        chapter.write("own.history", first=first, last=last, step=own.step)
    if chapter.frame.model != "own":
        st.button(chapter.say("own.use"), on_click=address.put, args=(address.FRAME, "model", "own"))
    if known:
        return
    settings, options = chapter.settings, heads_of(config.d_model)
    for name, value in {"own_h": config.h, "own_form": _form(own)}.items():
        if getattr(settings, name) in (0, AUTO):
            chapter.put(name, value)
    with st.container(horizontal=True, gap="medium"):
        controls.number(chapter, "own_h", width=112)
        controls.choose(chapter, "own_form", tuple(FORMS))
    h, form = chapter.settings.own_h, chapter.settings.own_form
    if (h, form) == (config.h, _form(own)):
        return
    if h not in options:
        st.warning(chapter.say("refused.heads", h=h, d_model=config.d_model))
        return
    try:
        anew = taken_anew(own, h, FORMS[form])
    except NotAModel as problem:
        _refused(chapter, problem)
        return
    if anew:
        seat().take(anew)


def _refused(chapter: Chapter, problem: NotAModel) -> None:
    # What a file calls its weights is not to be read as anything but words.
    values = {name: re.sub(r"[^\w.,()… -]", "?", str(value)) for name, value in problem.values.items()}
    st.error(chapter.say(f"own.refused.{problem.reason}", **values))


def _form(upload: Upload) -> str:
    return next(name for name, first in FORMS.items() if first == upload.config.norm_first)
