"""A sheet to draw on: mounts it, and tells what the reader has drawn."""

from collections.abc import Callable, Mapping
from typing import Any

from ui.components.component import component, heard, numbered

_mount = component("draw")


def sheet(message: Mapping[str, Any], *, key: str, on_drawn: Callable[[object], object] | None = None) -> None:
    """Draw a sheet as its `message` says (ui/figures/sheet.py). `on_drawn` is called with what the browser says are the
    levels now, which may be anything; where they are none, the browser gets back those that stand."""
    # In a list: through a dict Streamlit goes in search of data frames, which takes longer than all else here.
    _mount(
        key=key,
        data=[{**message, "heard": heard().get(key, 0)}],
        on_drawn_change=numbered(key, "drawn", ("sheet", message["sheet"]), "levels", on_drawn),
    )
