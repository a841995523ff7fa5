"""Mixed-up lines on the page: mounts the bench, and tells in which order the reader has put them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ui.components.component import component, heard, numbered

_mount = component("mend")


def mend(
    puzzle: str,
    header: str,
    code: Sequence[str],
    pool: Sequence[int],
    order: Sequence[tuple[int, int]],
    *,
    key: str,
    words: Mapping[str, str],
    marked: int | None = None,
    on_order: Callable[[object], object],
) -> None:
    """Draw the lines of a puzzle: those in `order`, each with its level, below the header, and the others as `pool` has
    mixed them; the `marked` one stands out. `on_order` is called with what the browser says is the order now, which may
    be anything; where it is none, the browser gets back the one that stands."""

    message: dict[str, Any] = {
        "puzzle": puzzle,
        "header": header,
        "code": list(code),
        "pool": list(pool),
        "order": [list(placed) for placed in order],
        "heard": heard().get(key, 0),
        "marked": marked,
        "words": dict(words),
    }
    # In a list: through a dict Streamlit goes in search of data frames, which takes longer than all else here.
    _mount(key=key, data=[message], on_order_change=numbered(key, "order", ("puzzle", puzzle), "lines", on_order))
