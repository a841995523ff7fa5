"""Figure 1 on the page: mounts the drawing, and says which block the reader has chosen."""

from ui.component import component, noted

_mount = component("map")


def figure_one_map(svg: str, count: int) -> int | None:
    """Draw `svg`, whose links carry `data-block` = 0…count-1; the number of the block just chosen, or None."""
    result = _mount(key="map.figure_one", data={"svg": svg}, on_block_change=noted)
    block = result.get("block")
    return block if isinstance(block, int) and 0 <= block < count else None
