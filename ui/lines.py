"""Weights as lines on the page: mounts the drawing, and says which token the reader has chosen."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

_ASSETS = Path(__file__).parents[1] / "assets" / "lines"
_mount = st.components.v2.component(
    "lines",
    html=(_ASSETS / "lines.html").read_text(encoding="utf-8"),
    css=(_ASSETS / "lines.css").read_text(encoding="utf-8"),
    js=(_ASSETS / "lines.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


@dataclass(frozen=True)
class Token:
    """A token of one of the two columns."""

    side: str  # query or key
    index: int


def lines(svg: str, *, key: str) -> Token | None:
    """Draw `svg`, made by ui/figures/lines.py; the token just chosen, or None."""
    token = _mount(key=key, data={"svg": svg}, on_token_change=_noted).get("token")
    if not isinstance(token, Mapping) or token.get("side") not in ("query", "key"):
        return None
    index = token.get("index")
    return Token(token["side"], index) if isinstance(index, int) and index >= 0 else None


def _noted() -> None:
    """Streamlit keeps a trigger only if a callback is named; the value itself is read from the result."""
