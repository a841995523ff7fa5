"""A search on the page: mounts the tree, and says which node the reader has chosen."""

from ui.canvas.component import component, noted

_mount = component("tree")


def tree(svg: str, *, key: str, hint: str) -> int | None:
    """Draw `svg`, made by ui/figures/tree.py, above the sum of the node pointed at, or the `hint`; the place of the
    node just chosen, or None."""
    place = _mount(key=key, data={"svg": svg, "hint": hint}, on_node_change=noted).get("node")
    return place if isinstance(place, int) and not isinstance(place, bool) and place >= 0 else None
