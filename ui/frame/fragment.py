"""A part of a page that runs by itself when only it has changed."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st

from ui import state
from ui.rerun_metrics import all_reruns

P = ParamSpec("P")
R = TypeVar("R")


def fragment(
    part: Callable[P, R],
    *,
    run_every: float | None = None,
    key: str | None = None,
    place: AbstractContextManager[object] | None = None,
) -> Callable[P, R]:
    """Streamlit's fragment, which writes to the address what it has set when it is done, in one go.

    One with a `key` can be run from what a widget elsewhere calls. A fragment stands in a container of its own, or in
    the `place` further up that is for it alone. Where it is asked for while the whole page runs, Streamlit drops what
    that run has drawn of it and not sent yet. The browser then drops the old elements, the neighbour moves up, and the
    fragment would be drawn over it.
    """

    @wraps(part)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with all_reruns.timed("fragment") if state.runs_alone() else nullcontext(), state.one_entry():
            return part(*args, **kwargs)

    if key is not None:
        state.draw(key)

    def in_place(*args: P.args, **kwargs: P.kwargs) -> R:
        with st.container() if place is None else place:
            return st.fragment(run, run_every=run_every, key=key)(*args, **kwargs)

    return in_place


def run_fragments(keys: Collection[str]) -> None:
    """From what a widget calls: run those of these that are on the page, from its top, and nothing else.

    In a run of the whole page, which has all of them, this changes nothing.
    """
    there = dict.fromkeys(fragment for key, fragment in state.drawn().items() if key in keys)
    if there and state.runs_alone():
        st.rerun([*there])


def run_page() -> None:
    """From what a widget calls: run the whole page, as for a change of what all its sections show."""
    if state.runs_alone():
        st.rerun()
