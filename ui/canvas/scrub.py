"""A slider that tells where it is while it is dragged: mounts it, and says where the reader has moved it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from ui.canvas.component import component, noted

_mount = component("scrub")


class Moved(NamedTuple):
    """Where the slider is now; `done` when the reader has let go of it."""

    stop: int
    done: bool


@st.cache_resource(scope="session", show_spinner=False)
def _heard() -> dict[str, int]:
    """The number of the last move of each slider that was heard in this session."""
    return {}


def scrub(label: str, stops: Sequence[int], at: int, *, key: str) -> Moved | None:
    """Draw a slider along `stops`, standing at `at`, which is one of them; where it was moved since the last run."""
    data = {"label": label, "stops": list(stops), "at": at, "heard": _heard().get(key, 0)}
    move = _mount(key=key, data=data, on_moved_change=noted).get("moved")
    if not isinstance(move, Mapping) or move.get("number") == data["heard"] or move.get("stop") not in stops:
        return None
    number = move.get("number")
    if not isinstance(number, int):
        return None
    _heard()[key] = number
    return Moved(move["stop"], move.get("done") is True)
