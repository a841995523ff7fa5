"""Figure 1 on the page: mounts the drawing, and says which block the reader has chosen."""

from pathlib import Path

import streamlit as st

_ASSETS = Path(__file__).parents[1] / "assets" / "map"
_mount = st.components.v2.component(
    "figure_one",
    html=(_ASSETS / "map.html").read_text(encoding="utf-8"),
    css=(_ASSETS / "map.css").read_text(encoding="utf-8"),
    js=(_ASSETS / "map.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def figure_one_map(svg: str, count: int) -> int | None:
    """Draw `svg`, whose links carry `data-block` = 0…count-1; the number of the block just chosen, or None."""
    result = _mount(key="map.figure_one", data={"svg": svg}, on_block_change=_noted)
    block = result.get("block")
    return block if isinstance(block, int) and 0 <= block < count else None


def _noted() -> None:
    """Streamlit keeps a trigger only if a callback is named; the value itself is read from the result."""
