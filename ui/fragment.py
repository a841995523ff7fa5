"""A part of a page that runs by itself when only it has changed."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st

from ui import address

P = ParamSpec("P")
R = TypeVar("R")


def fragment(part: Callable[P, R], *, run_every: float | None = None) -> Callable[P, R]:
    """Streamlit's fragment, which writes to the address what it has set when it is done, in one go."""

    @wraps(part)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with address.one_entry():
            return part(*args, **kwargs)

    return st.fragment(run, run_every=run_every)
