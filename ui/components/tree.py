"""A search on the page: mounts the tree, and tells which node the reader has chosen."""

from collections.abc import Callable

from ui.components.component import component, hearing

_mount = component("tree")


def tree(svg: str, *, key: str, hint: str, on_node: Callable[[int], object] | None = None) -> None:
    """Draw `svg`, a search, above the sum of the node pointed at, or the `hint`; `on_node` is called
    with the place of a node once it is chosen."""

    def chosen(place: object) -> None:
        if on_node and isinstance(place, int) and not isinstance(place, bool) and place >= 0:
            on_node(place)

    _mount(key=key, data={"svg": svg, "hint": hint}, on_node_change=hearing(key, "node", chosen))
