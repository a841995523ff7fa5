"""A search on the page: mounts the tree, and tells which node the reader has chosen."""

from collections.abc import Callable

from ui.canvas.component import component, hearing

_mount = component("tree")


def tree(svg: str, *, key: str, hint: str, on_node: Callable[[int], object] | None = None) -> int | None:
    """Draw `svg`, made by ui/figures/tree.py, above the sum of the node pointed at, or the `hint`; `on_node` is called
    with the place of a node once it is chosen. Returned is the one just chosen, or None."""

    def chosen(event: object) -> None:
        place = _place(event)
        if place is not None and on_node:
            on_node(place)

    mounted = _mount(key=key, data={"svg": svg, "hint": hint}, on_node_change=hearing(key, "node", chosen))
    return _place(mounted.get("node"))


def _place(event: object) -> int | None:
    return event if isinstance(event, int) and not isinstance(event, bool) and event >= 0 else None
