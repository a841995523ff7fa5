"""The posters of pages, as newcomers have seen them: a page shows its own while it loads, before it is drawn.

A poster is what a component was told, so that its own script draws it again, without the server.
"""

import json
from typing import Any, NamedTuple

from ui import state


class Poster(NamedTuple):
    component: str
    message: str  # JSON


_seen: dict[tuple[str, str], Poster] = {}  # by chapter and language


def poster(chapter: str, lang: str) -> Poster | None:
    """None as long as nobody has come there without a link."""
    return _seen.get((chapter, lang))


def note(component: str, message: Any) -> None:
    """A component is drawn: the first one that a newcomer to a page sees is its poster."""
    page = state.arrived()
    if page and page not in _seen:
        _seen[page] = Poster(component, json.dumps(message, ensure_ascii=False))
