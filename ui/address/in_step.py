"""Keeping it in step: widgets write to the store, links fill it, the URL shows what in it differs from the defaults.

The URL is written once per run, when all that follows from what the reader did is known: so one press of Back undoes
one thing done.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui.address.link import NEWCOMERS, is_bare, query
from ui.address.store import FRAME, run, store, this_run
from ui.settings.chapters import BEGINNINGS
from ui.settings.fields import Settings
from ui.settings.frame import Frame

S = TypeVar("S", bound=Settings)


def open_link(chapter: str, kind: type[Settings]) -> None:
    """Start a run of a page: take the settings from the URL if it is news (a link, Back, another chapter)."""
    st.session_state["deliver"] = not st.session_state.get("closed", True)
    st.session_state["closed"] = False
    st.session_state["drawn"] = set()
    query = st.query_params.to_dict()
    before, written = st.session_state.get("address", (None, None))
    if before == chapter and type(store()[chapter]) is not kind:
        before = None  # the code was saved and loaded anew (`make dev`): what is kept is of the old classes
    if before not in (None, chapter):
        _leave(before)
    # A rerun for something done may still carry the link from before the last: it is news only if nothing was done.
    if before != chapter or (query != written and not (_behind() or _moved(FRAME, Frame) or _moved(chapter, kind))):
        st.session_state["chapter"] = chapter
        # From chapter to chapter the frame stays as it is: a link in the menu has it as it was when that was drawn.
        # But for a link to a stop of a lesson, which leads to all that the class is to see, wherever it is opened.
        named_stop = Frame.from_query(query)
        first = named_stop.stop_sets(chapter)
        if named_stop.at and not first:
            st.session_state["next"] = query
        if before in (None, chapter) or first:
            if is_bare(query):
                first = {"model": NEWCOMERS, **BEGINNINGS.get(chapter, {})}
            frame = Frame.from_query(first | query)
            st.session_state.pop("task", None)  # a link brings its own sequences
        else:
            frame = store()[FRAME].without_stop()
        # What was typed may arrive with the page it was typed on after the click that leads away from there.
        named = replace(kind.from_query(first | query), **_moved(chapter, kind))
        for owner, settings in ((FRAME, frame), (chapter, named)):
            store()[owner] = settings
            for name in settings.kinds():
                _tell_widget(owner, name, getattr(settings, name))
        st.session_state["address"] = (chapter, query)


def elsewhere() -> tuple[str, dict[str, str]] | None:
    """The chapter and the link that the page is to go on to: to a stop of a lesson."""
    link: dict[str, str] = st.session_state.pop("next", {})
    stop = Frame.from_query(link).at
    return None if stop is None else (stop.chapter, link)


def go_to_stop(number: int) -> None:
    """Go to another stop of the lesson, from what is called on a click; the language stays, and what is hidden."""
    _leave(st.session_state["chapter"])
    frame = current(FRAME, Frame)
    kept = replace(Frame.default(), lang=frame.lang, hide=frame.hide, lesson=frame.lesson, at_stop=number)
    st.session_state["next"] = kept.to_query()
    st.session_state["behind"] = False  # what is not written yet stays behind


def close_link() -> None:
    """End a run of a page. One that is cut short drops what it has not sent yet, so the next delivers all anew."""
    st.session_state["closed"], st.session_state["deliver"] = True, False
    _write_url()


@contextmanager
def one_entry() -> Iterator[None]:
    """Around a fragment: one that runs by itself, and not within another or the page, writes what it has changed."""
    run.depth += 1
    try:
        yield
    finally:
        run.depth -= 1
    if run.depth == 0 and _runs_alone() and _behind():
        _write_url()


def current(owner: str, kind: type[S]) -> S:
    """The settings as they are now, in a page's run or in a fragment's: `owner` is a chapter or FRAME."""
    names = _unread(owner, kind)
    if names:
        moved = _moved(owner, kind, names)
        names.clear()
        if moved:
            store()[owner] = replace(store().get(owner, kind()), **moved)
            _fall_behind()
    return store().get(owner) or kind()


def put(owner: str, name: str, value: Any, *, passing: bool = False) -> None:
    """Set one setting that is not a widget (a chosen cell, a preset), or a widget that is not drawn yet in this run.

    A `passing` value, of a slider under the reader's hand, does not make it into the link.
    """
    settings, key = store()[owner], widget_key(owner, name)
    news = getattr(settings, name) != value
    if news:  # first of all: Streamlit may end a run at any touch of its session state, and a click is heard once
        store()[owner] = replace(settings, **{name: value})
    under_way: set[str] = st.session_state.setdefault("under_way", set())
    if news:
        under_way.add(key)
        _tell_widget(owner, name, value)
    if key in under_way and not passing:
        under_way.remove(key)
        _fall_behind()


def run_again() -> NoReturn:
    """From a fragment: run the whole page, with the settings as they are.

    What the fragment answers may have been asked before the last change, with the link of that time; taken along, it
    would look like the reader's way back to it.
    """
    _write_url()
    st.rerun()


def speak(lang: str) -> None:
    """Change the language. A browser names a chosen option by its words, so every control's value is delivered anew."""
    put(FRAME, "lang", lang)
    st.session_state["closed"] = False


def fit(owner: str, name: str, low: float, high: float) -> Any:
    """Move a number into low…high, for which there is room now. It goes back as soon as there is room for it again."""
    wishes: dict[str, tuple[Any, Any]] = st.session_state.setdefault("wishes", {})
    value = getattr(current(owner, type(store()[owner])), name)
    wish, fitted = wishes.get(widget_key(owner, name), (value, value))
    if value != fitted:  # the reader has moved it since
        wish = value
    fitted = min(max(wish, low), high)
    wishes[widget_key(owner, name)] = (wish, fitted)
    put(owner, name, fitted)
    return fitted


def refused(owner: str, name: str) -> Any:
    """What the reader has given the widget of a setting that does not allow it; None if there is no such thing.

    To be asked before the widget is drawn, which shows the setting again.
    """
    given = st.session_state.get(widget_key(owner, name))
    return None if given is None or type(store()[owner]).allows(name, given) else given


def widget_key(owner: str, name: str) -> str:
    return f"{owner}:{name}"


def prepare_widget(owner: str, name: str, value: Any) -> str:
    """The key for the widget of a setting, which will show `value`. To be called right before it is drawn.

    The widget takes the value as its default too: of a run that is slower than a fragment's clock Streamlit may lose
    what it has not sent yet, the values set here with it, and the browser would send the widget's own default back.
    """
    key = prepare(widget_key(owner, name), value)
    _unread(owner, type(store()[owner])).add(name)
    return key


def prepare(key: str, value: Any) -> str:
    """The key of a widget that is to show `value`, also where it is not the widget of one setting alone."""
    if st.session_state.get("deliver") or key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return key


def picked(key: str) -> Any:
    """What the reader has picked with a widget, to know before it is drawn; None where there is none."""
    return st.session_state.get(key)


def _tell_widget(owner: str, name: str, value: Any) -> None:
    """Let the widget of a setting show `value`, if it has one: text fields copy all that the session's state holds."""
    key = widget_key(owner, name)
    if key in st.session_state:
        st.session_state[key] = value


def _leave(chapter: str) -> None:
    """Keep what was still being typed when the reader followed a link to another chapter."""
    for owner in (FRAME, chapter):
        settings = store()[owner]
        store()[owner] = replace(settings, **_moved(owner, type(settings)))


def _unread(owner: str, kind: type[Settings]) -> set[str]:
    """The settings whose widgets may hold news: in a new run all of them, then only those that are drawn. Not a copy.

    A page asks for its settings a hundred times.
    """
    unread = this_run().unread
    if owner not in unread:
        unread[owner] = set(kind.kinds())
    return unread[owner]


def _moved(owner: str, kind: type[Settings], names: Iterable[str] | None = None) -> dict[str, Any]:
    """What the reader has set with widgets since the settings were stored.

    An emptied widget says nothing new, nor does a value that no browser would send: the setting does not allow it.
    """
    settings = store().get(owner) or kind()
    moved = {}
    for name in kind.kinds() if names is None else names:
        stored = getattr(settings, name)
        shown = st.session_state.get(widget_key(owner, name), stored)
        if shown != stored and kind.allows(name, shown):
            moved[name] = shown
    return moved


def _fall_behind() -> None:
    st.session_state["behind"] = True


def _behind() -> bool:
    """Whether the URL does not say yet what is set."""
    return st.session_state.get("behind", False)


def _runs_alone() -> bool:
    """Whether what runs is a fragment, and not the whole page."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def _write_url() -> None:
    chapter = st.session_state["chapter"]
    written, there = query(chapter), st.query_params.to_dict()
    if written == there:
        written = there  # in its own order, which is no news to the browser
    st.query_params.from_dict(written)  # also what is there already: a link to the same page does not reach the bar
    st.session_state["address"] = (chapter, written)
    st.session_state["behind"] = False
