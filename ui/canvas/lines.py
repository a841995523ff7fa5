"""Weights as lines on the page: mounts the drawing, and says which token the reader has chosen."""

from collections.abc import Mapping
from dataclasses import dataclass

from ui.canvas.component import component, noted

_mount = component("lines")


@dataclass(frozen=True)
class Token:
    """A token of one of the two columns."""

    side: str  # query or key
    index: int


def lines(svg: str, *, key: str) -> Token | None:
    """Draw `svg`, made by ui/figures/lines.py; the token just chosen, or None."""
    token = _mount(key=key, data={"svg": svg}, on_token_change=noted).get("token")
    if not isinstance(token, Mapping) or token.get("side") not in ("query", "key"):
        return None
    index = token.get("index")
    return Token(token["side"], index) if isinstance(index, int) and index >= 0 else None
