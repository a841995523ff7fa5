"""Weights as lines on the page: mounts the drawing, and tells which token the reader has chosen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ui.components.component import component, hearing

_mount = component("lines")


@dataclass(frozen=True)
class Token:
    """A token of one of the two columns."""

    side: str  # query or key
    index: int


def lines(svg: str, *, key: str, on_token: Callable[[Token], object] | None = None) -> None:
    """Draw `svg`, made by ui/figures/lines.py; `on_token` is called with a token once it is chosen."""

    def chosen(event: object) -> None:
        token = _token(event)
        if token and on_token:
            on_token(token)

    _mount(key=key, data={"svg": svg}, on_token_change=hearing(key, "token", chosen))


def _token(event: object) -> Token | None:
    if not isinstance(event, Mapping) or event.get("side") not in ("query", "key"):
        return None
    index = event.get("index")
    return Token(event["side"], index) if isinstance(index, int) and index >= 0 else None
