"""Figure 1 on the page: mounts the drawing and its player, and tells which block the reader has chosen."""

from collections.abc import Callable, Mapping
from typing import Any

from ui.components.component import component, hearing

_mount = component("map")


def figure_one_map(svg: str, told: Mapping[str, Any], on_block: Callable[[int], object] | None = None) -> None:
    """Draw `svg` and play what it is `told`, both made by ui/figures; `on_block` is called with the number of a block
    once it is chosen."""

    def chosen(block: object) -> None:
        if on_block and isinstance(block, int) and not isinstance(block, bool) and block >= 0:
            on_block(block)

    # In a list: through a dict Streamlit goes in search of data frames, which takes longer than all else here.
    data = [{"svg": svg, **told}]
    _mount(key="map.figure_one", data=data, on_block_change=hearing("map.figure_one", "block", chosen))
