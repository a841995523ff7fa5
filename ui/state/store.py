"""What a session keeps: the settings of each chapter, where its figures stand, what has been so before, and which
replies the reader has given by a press. A link, a scene or a stop shows a reply, and gives none.

Settings live in a store of our own, because Streamlit forgets a widget that is not drawn.
"""

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

FRAME = "frame"

T = TypeVar("T")


class _Run(threading.local):
    """What this thread has looked up in the run it is in: to ask Streamlit costs more than all else here."""

    token: object = None
    values: dict[str, Any]  # of the session
    settings: dict[str, Any]
    unread: dict[str, set[str]]
    section: str | None
    known: dict[str, Any]  # what was asked once
    depth: int = 0  # fragments within fragments


run = _Run()


def this_run() -> _Run:
    context = get_script_run_ctx()
    token = context and context.cursors  # made anew for every run of a page or a fragment
    if token is None or run.token is not token:
        run.token, run.unread, run.section, run.known = token, {}, None, {}
        run.values, run.settings = (st.session_state.setdefault(name, {}) for name in ("kept", "settings"))
    return run


def session_values() -> dict[str, Any]:
    """What the session keeps beside its settings and its widgets, by name: one entry for Streamlit, which goes through
    all that there are for each field and each menu."""
    return this_run().values


def session_value(name: str, empty: T) -> T:
    """What the session keeps by this name, a dict or a set that is never replaced; `empty` at first."""
    value: T = this_run().values.setdefault(name, empty)
    return value


def store() -> dict[str, Any]:
    return this_run().settings


def enter(section: str) -> None:
    """From here on the page, or the fragment, shows what stands under the heading with this anchor."""
    this_run().section = section


def section_of(figure: str) -> str:
    """The anchor of the heading that this figure stands under; "" above the first.

    A fragment that runs alone may not draw that heading: then it is the one of the last time.
    """
    known: dict[str, str] = session_value("sections", {})
    section = this_run().section
    if section is None:
        return known.get(figure, "")
    known[figure] = section
    return section


def stays(name: str, now: bool, *, anew: bool = False) -> bool:
    """Whether `now` has been true at some time in this session, since it began or began `anew`."""
    seen: set[str] = session_value("seen", set())
    if anew:
        seen.discard(name)
    if now:
        seen.add(name)
    return name in seen


def remember(name: str, value: T | None) -> T | None:
    """Keep this value for the session, unless it is None; what is kept by this name now."""
    ones: dict[str, T | None] = session_value("remembered", {})
    if value is not None:
        ones[name] = value
    return ones.get(name)


def recall(name: str) -> Any:
    """What this session has been given to `remember` last; None if nothing was."""
    return remember(name, None)


def remember_first(name: str, value: T | None, *, anew: bool = False) -> T | None:
    """The first value that there was in this session, since it began or began `anew`."""
    firsts: dict[str, T | None] = session_value("firsts", {})
    if anew:
        firsts.pop(name, None)
    if value is not None:
        firsts.setdefault(name, value)
    return firsts.get(name)


def once(name: str, ask: Callable[[], T]) -> T:
    """What `ask` gives, asked once in a run; after `ask_again` once more."""
    known = this_run().known
    if name not in known:
        known[name] = ask()
    value: T = known[name]
    return value


def ask_again(name: str) -> None:
    this_run().known.pop(name, None)


def chapter_on_page() -> str | None:
    """None before the first page has begun."""
    return once("chapter", lambda: session_values().get("chapter"))


def changed(name: str, value: Hashable) -> bool:
    """Whether this value was another one the last time."""
    last: dict[str, Hashable] = session_value("last", {})
    before, last[name] = last.get(name, value), value
    return before != value


def draw(name: str, within: str = "") -> None:
    """A fragment is on the page from here on, or what runs `within` another one; the page forgets it when it begins
    anew."""
    drawn()[name] = within or name


def draw_anew() -> None:
    """The page begins anew, with no fragments yet."""
    drawn().clear()


def drawn() -> dict[str, str]:
    """What is on the page and runs without it, from the top, and the fragment that runs it."""
    return session_value("drawn", {})


OF_LINKS = "replies.of_links"  # in a session without a reader, whose link's replies are taken for given


def give(chapter: str, name: str) -> None:
    """From what a press calls: the reply as it is now is the reader's own."""
    counts = _given().setdefault((chapter, name), {})
    value = getattr(store()[chapter], name)
    counts[value] = counts.get(value, 0) + 1


def is_given(chapter: str, name: str) -> bool:
    """Whether the reply as it is now is one that the reader has given in this session."""
    value = getattr(store().get(chapter), name, None)
    return value in _given().get((chapter, name), ()) or bool(st.session_state.get(OF_LINKS))


def presses(chapter: str, *names: str) -> int:
    """How many replies the reader has given in this session."""
    count = sum(sum(_given().get((chapter, name), {}).values()) for name in names)
    return count or int(bool(st.session_state.get(OF_LINKS)))


def take_back(chapter: str, name: str) -> None:
    """What was asked is another thing now."""
    _given().pop((chapter, name), None)


def _given() -> dict[tuple[str, str], dict[Any, int]]:
    given: dict[tuple[str, str], dict[Any, int]] = session_value("given", {})
    return given
