"""The address bar: a link that is news fills the store, and the URL shows what in it differs from the defaults.

The URL is written once per run, when all that follows from what the reader did is known: so one press of Back undoes
one thing done.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NoReturn

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui.settings.chapters import beginning
from ui.settings.fields import Settings
from ui.settings.frame import Frame
from ui.state.borrowed_settings import give_back, note_lent, take_up
from ui.state.link import is_bare, newcomers_model, query
from ui.state.store import FRAME, ask_again, draw_anew, run, session_values, store
from ui.state.typed_sequences import read_anew
from ui.state.widgets import current, leave, moved, put, tell_widget


def open_link(chapter: str, kind: type[Settings], language: Callable[[str], str]) -> None:
    """Start a run of a page: take the settings from the URL if it is news (a link, Back, another chapter). `language`
    is that of the page, by what the link says of it."""
    session_values()["deliver"] = not session_values().get("closed", True)
    session_values()["closed"] = False
    draw_anew()
    query = st.query_params.to_dict()
    before, written = session_values().get("address", (None, None))
    if before == chapter and type(store()[chapter]) is not kind:
        before = None  # the code was saved and loaded anew (`make dev`): what is kept is of the old classes
    if before not in (None, chapter):
        leave(before)
    if before != chapter:
        give_back()
    # A rerun for something done may still carry the link from before the last: it is news only if nothing was done.
    if before != chapter or (query != written and not (_behind() or moved(FRAME, Frame) or moved(chapter, kind))):
        session_values()["chapter"] = chapter
        ask_again("chapter")
        # From chapter to chapter the frame stays as it is: a link in the menu has it as it was when that was drawn.
        # But for a link to a stop of a lesson, which leads to all that the class is to see, wherever it is opened.
        named_stop = Frame.from_query(query)
        first = named_stop.stop_sets(chapter)
        if any(name in query for names in kind.names().values() for name in names):
            first.pop("scene", None)  # it lands where the link says, and not in the story before
        if named_stop.at and not first:
            go_to(named_stop.at.chapter, query)
        if before in (None, chapter) or first:
            session_values()["newcomer"] = is_bare(query)
            if is_bare(query):
                lang = language(query.get("lang", ""))
                model = newcomers_model(query, lang)
                first = {"model": model, **beginning(chapter, model, lang == "zh")}
            frame = Frame.from_query(first | query)
            session_values().pop("task", None)  # a link brings its own sequences
        else:
            frame = store()[FRAME].whole()
        # What was typed may arrive with the page it was typed on after the click that leads away from there.
        named = replace(kind.from_query(first | query), **moved(chapter, kind))
        taken_along = session_values().pop("taken_along", False) or named_stop.at is not None
        if FRAME not in store():
            take_up(frame)
        for owner, settings in ((FRAME, frame), (chapter, named)):
            if taken_along and FRAME in store():
                note_lent(owner, store().get(owner) or type(settings).default(), settings)
            store()[owner] = settings
            for name in settings.kinds():
                tell_widget(owner, name, getattr(settings, name))
        session_values()["address"] = (chapter, query)


def go_to(chapter: str, link: dict[str, str], *, anew: bool = False) -> None:
    """Go to a chapter with what the link says, once the whole page runs: from what is called on a click, or first of
    all. Where that is `anew` the link says all, as one from outside, and nothing goes along."""
    session_values()["next"] = chapter, link
    if anew:
        leave(session_values()["chapter"])
        session_values()["address"], session_values()["behind"] = (None, None), False
        session_values()["taken_along"] = True


def elsewhere() -> tuple[str, dict[str, str]] | None:
    """The chapter and the link that the page is to go on to."""
    there: tuple[str, dict[str, str]] | None = session_values().pop("next", None)
    return there


def go_to_stop(number: int) -> None:
    """Go to another stop of the lesson, from what is called on a click; the language stays, and what is hidden."""
    leave(session_values()["chapter"])
    frame = current(FRAME, Frame)
    kept = replace(Frame.default(), lang=frame.lang, hide=frame.hide, lesson=frame.lesson, at_stop=number)
    kept = replace(kept, room=frame.room, follow=frame.follow)
    if kept.at:
        go_to(kept.at.chapter, kept.to_query())
    session_values()["behind"] = False  # what is not written yet stays behind


def arrive(lang: str) -> None:
    """The page is drawn in this language: in its first run for who has come without a link, as everybody finds it."""
    chapter, query = session_values()["address"]
    newcomer = is_bare(query) and not current(FRAME, Frame).present
    session_values()["arrived"] = (chapter, lang) if newcomer else None


def arrived() -> tuple[str, str] | None:
    """The page and its language, if what is drawn is what every newcomer finds."""
    found: tuple[str, str] | None = session_values().get("arrived")
    return found


def close_link() -> None:
    """End a run of a page. One that is cut short drops what it has not sent yet, so the next delivers all anew."""
    session_values()["arrived"] = None
    session_values()["closed"], session_values()["deliver"] = True, False
    _write_url()


@contextmanager
def one_entry() -> Iterator[None]:
    """Around a fragment: one that runs by itself, and not within another or the page, writes what it has changed."""
    run.depth += 1
    try:
        yield
    finally:
        run.depth -= 1
    if run.depth == 0 and runs_alone() and _behind():
        _write_url()


def run_again() -> NoReturn:
    """From a fragment: run the whole page, with the settings as they are.

    What the fragment answers may have been asked before the last change, with the link of that time; taken along, it
    would look like the reader's way back to it.
    """
    _write_url()
    st.rerun()


def speak(lang: str, before: str) -> None:
    """Change the language. A browser names a chosen option by its words, so every control's value is delivered anew.

    Who still has the model that newcomers meet in the language `before` has that of the new one from here on.
    """
    put(FRAME, "lang", lang)
    session_values()["closed"] = False
    model, other = newcomers_model({}, before), newcomers_model({}, lang)
    if session_values().get("newcomer") and current(FRAME, Frame).model == model != other:
        _begin_anew(beginning(session_values()["chapter"], model, before == "zh"), other, lang == "zh")


def _begin_anew(begun: dict[str, str], model: str, chinese: bool) -> None:
    """With another newcomers' model, whose beginning takes the place of what is still as this one's has `begun`."""
    chapter = session_values()["chapter"]
    kind, after = type(store()[chapter]), beginning(chapter, model, chinese)
    put(FRAME, "model", model)
    read_anew(after.get("src", Frame.default().src))
    was, is_now = kind.from_query(begun), kind.from_query(after)
    for name in kind.kinds():
        if getattr(was, name) != getattr(is_now, name) and getattr(current(chapter, kind), name) == getattr(was, name):
            put(chapter, name, getattr(is_now, name))


def _behind() -> bool:
    """Whether the URL does not say yet what is set."""
    return session_values().get("behind", False)


def runs_alone() -> bool:
    """Whether what runs is a fragment, and not the whole page."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def _write_url() -> None:
    chapter = session_values()["chapter"]
    written, there = query(chapter), st.query_params.to_dict()
    if written == there:
        written = there  # in its own order, which is no news to the browser
    st.query_params.from_dict(written)  # also what is there already: a link to the same page does not reach the bar
    session_values()["address"] = (chapter, written)
    session_values()["behind"] = False
