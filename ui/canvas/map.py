"""Figure 1 on the page: mounts the drawing and its player, and says which block the reader has chosen."""

from collections.abc import Callable, Mapping
from typing import Any

from ui.canvas.component import component, hearing

_mount = component("map")


def figure_one_map(
    message: Mapping[str, Any], count: int = 0, on_block: Callable[[int], object] | None = None
) -> int | None:
    """Draw and play `message`; `on_block` is called with the number of a block once it is chosen. Of `count` blocks the
    one just chosen is returned, or None."""

    def chosen(block: object) -> None:
        if on_block and isinstance(block, int) and not isinstance(block, bool) and block >= 0:
            on_block(block)

    # In a list: through a dict Streamlit goes in search of data frames, which takes longer than all else here.
    result = _mount(key="map.figure_one", data=[message], on_block_change=hearing("map.figure_one", "block", chosen))
    block = result.get("block")
    return block if isinstance(block, int) and 0 <= block < count else None
