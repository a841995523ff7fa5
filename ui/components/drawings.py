"""What readers draw, order or choose from: each mounts a picture and tells what the reader has done with it.

A message that is a mapping goes in a list: through a dict Streamlit goes in search of data frames, which takes longer
than all else here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ui.components.component import component, heard, hearing, numbered

_sheet = component("draw")
_puzzle = component("mend")
_lines = component("lines")
_map = component("map")
_tree = component("tree")


def sheet(message: Mapping[str, Any], *, key: str, on_drawn: Callable[[object], object] | None = None) -> None:
    """Draw a sheet as its `message` says (ui/figures/sheet.py). `on_drawn` is called with what the browser says are the
    levels now, which may be anything; where they are none, the browser gets back those that stand."""
    _sheet(
        key=key,
        data=[{**message, "heard": heard().get(key, 0)}],
        on_drawn_change=numbered(key, "drawn", ("sheet", message["sheet"]), "levels", on_drawn),
    )


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
    _puzzle(key=key, data=[message], on_order_change=numbered(key, "order", ("puzzle", puzzle), "lines", on_order))


@dataclass(frozen=True)
class Token:
    """A token of one of the two columns."""

    side: str  # query or key
    index: int


def lines(svg: str, *, key: str, on_token: Callable[[Token], object] | None = None) -> None:
    """Draw `svg`, made by ui/figures/lines.py; `on_token` is called with a token once it is chosen."""

    def chosen(event: object) -> None:
        token = _token(event)
        if token and on_token:
            on_token(token)

    _lines(key=key, data={"svg": svg}, on_token_change=hearing(key, "token", chosen))


def _token(event: object) -> Token | None:
    if not isinstance(event, Mapping) or event.get("side") not in ("query", "key"):
        return None
    index = event.get("index")
    return Token(event["side"], index) if isinstance(index, int) and index >= 0 else None


def figure_one_map(svg: str, told: Mapping[str, Any], on_block: Callable[[int], object] | None = None) -> None:
    """Draw `svg` and play what it is `told`, both made by ui/figures; `on_block` is called with the number of a block
    once it is chosen."""

    def chosen(block: object) -> None:
        if on_block and isinstance(block, int) and not isinstance(block, bool) and block >= 0:
            on_block(block)

    data = [{"svg": svg, **told}]
    _map(key="map.figure_one", data=data, on_block_change=hearing("map.figure_one", "block", chosen))


def tree(svg: str, *, key: str, hint: str, on_node: Callable[[int], object] | None = None) -> None:
    """Draw `svg`, a search, above the sum of the node pointed at, or the `hint`; `on_node` is called
    with the place of a node once it is chosen."""

    def chosen(place: object) -> None:
        if on_node and isinstance(place, int) and not isinstance(place, bool) and place >= 0:
            on_node(place)

    _tree(key=key, data={"svg": svg, "hint": hint}, on_node_change=hearing(key, "node", chosen))
