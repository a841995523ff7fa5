"""Figure 1 on the page: mounts the drawing and its player, and says which block the reader has chosen."""

from collections.abc import Mapping
from typing import Any

from ui.canvas.component import component, noted

_mount = component("map", "story", "pictures", "motion", "player", "paper")


def figure_one_map(message: Mapping[str, Any], count: int) -> int | None:
    """Draw and play `message`, whose blocks are 0…count-1; the number of the block just chosen, or None."""
    # In a list: through a dict Streamlit goes in search of data frames, which takes longer than all else here.
    result = _mount(key="map.figure_one", data=[message], on_block_change=noted)
    block = result.get("block")
    return block if isinstance(block, int) and 0 <= block < count else None
