"""Settings and their widgets: what a reader moves is a setting from then on, and a widget shows what is set."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import streamlit as st

from ui.settings.fields import Settings
from ui.state.store import FRAME, session_value, session_values, store, this_run

S = TypeVar("S", bound=Settings)


def current(owner: str, kind: type[S]) -> S:
    """The settings as they are now, in a page's run or in a fragment's: `owner` is a chapter or FRAME."""
    names = _unread(owner, kind)
    if names:
        news = moved(owner, kind, names)
        names.clear()
        if news:
            store()[owner] = replace(store().get(owner, kind()), **news)
            fall_behind()
    return store().get(owner) or kind()


def put(owner: str, name: str, value: Any) -> None:
    """Set one setting that is not a widget (a chosen cell, a preset), or a widget that is not drawn yet in this run."""
    settings, key = store()[owner], widget_key(owner, name)
    news = getattr(settings, name) != value
    if news:  # first of all: Streamlit may end a run at any touch of its session state, and a click is heard once
        store()[owner] = replace(settings, **{name: value})
    under_way: set[str] = session_value("under_way", set())
    if news:
        under_way.add(key)
        tell_widget(owner, name, value)
    if key in under_way:
        under_way.remove(key)
        fall_behind()


def fit(owner: str, name: str, low: float, high: float) -> Any:
    """Move a number into low…high, for which there is room now. It goes back as soon as there is room for it again."""
    wishes: dict[str, tuple[Any, Any]] = session_value("wishes", {})
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
    _with_widgets().add(key)
    _unread(owner, type(store()[owner])).add(name)
    return key


def prepare(key: str, value: Any) -> str:
    if session_values().get("deliver") or st.session_state.get(key, ...) != value:
        st.session_state[key] = value
    return key


def picked(key: str) -> Any:
    """What the reader has picked with a widget, to know before it is drawn; None where there is none."""
    return st.session_state.get(key)


def tell_widget(owner: str, name: str, value: Any) -> None:
    key = widget_key(owner, name)
    if key in st.session_state:
        st.session_state[key] = value


def leave(chapter: str) -> None:
    """Keep what was still being typed when the reader followed a link to another chapter."""
    for owner in (FRAME, chapter):
        settings = store()[owner]
        store()[owner] = replace(settings, **moved(owner, type(settings)))


def _unread(owner: str, kind: type[Settings]) -> set[str]:
    """The settings whose widgets may hold news: in a new run all of them, then only those that are drawn. Not a copy.

    A page asks for its settings a hundred times.
    """
    unread = this_run().unread
    if owner not in unread:
        unread[owner] = set(kind.kinds())
    return unread[owner]


def _with_widgets() -> set[str]:
    """The keys of the widgets that this session has drawn for settings: Streamlit holds no value of any other."""
    return session_value("with_widgets", set())


def moved(owner: str, kind: type[Settings], names: Iterable[str] | None = None) -> dict[str, Any]:
    """What the reader has set with widgets since the settings were stored.

    An emptied widget says nothing new, nor does a value that no browser would send: the setting does not allow it.
    """
    settings = store().get(owner) or kind()
    found, drawn = {}, _with_widgets()
    for name in kind.kinds() if names is None else names:
        key, stored = widget_key(owner, name), getattr(settings, name)
        shown = st.session_state.get(key, stored) if key in drawn else stored
        if shown != stored and kind.allows(name, shown):
            found[name] = shown
    return found


def fall_behind() -> None:
    session_values()["behind"] = True
