"""A slider that tells where it is while it is dragged: mounts it, and says where the reader has moved it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import streamlit as st

_ASSETS = Path(__file__).parents[1] / "assets" / "scrub"
_mount = st.components.v2.component(
    "scrub",
    html=(_ASSETS / "scrub.html").read_text(encoding="utf-8"),
    css=(_ASSETS / "scrub.css").read_text(encoding="utf-8"),
    js=(_ASSETS / "scrub.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


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
    move = _mount(key=key, data=data, on_moved_change=_noted).get("moved")
    if not isinstance(move, Mapping) or move.get("number") == data["heard"] or move.get("stop") not in stops:
        return None
    number = move.get("number")
    if not isinstance(number, int):
        return None
    _heard()[key] = number
    return Moved(move["stop"], move.get("done") is True)


def _noted() -> None:
    """Streamlit keeps a value only if a callback is named; the value itself is read from the result."""
