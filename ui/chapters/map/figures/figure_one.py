"""Figure 1 of the paper as an SVG: blocks, arrows and labels in, drawing out. No Streamlit, no wording.

Its colours are those of the page's style sheet, so that one drawing serves by day and by night.
"""

from collections.abc import Mapping, Sequence

from ui.chapters.map.figures.figure_one_blocks import BLOCK, COLUMN, HEIGHT, WIDTH, Arrow, Block
from ui.figures.markup import Markup, element, joined

TIP = Markup(
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" '
    'markerUnits="userSpaceOnUse"><path d="M0 0 8 4 0 8Z" fill="context-stroke"/></marker></defs>'
)


def figure_one(drawn: Sequence[Block], ways: Sequence[Arrow], texts: Mapping[str, str], told: Sequence[str]) -> Markup:
    """The SVG. `texts` has a label for every block's key, and `alt`, `times`, `inputs`, `outputs`, `probabilities`;
    `told` says of each block what goes in, what its picture shows and what goes out."""
    drawn_there = [
        TIP,
        *(_stack(side, drawn, texts["times"]) for side in COLUMN),
        *map(_arrow, ways),
        *(_block(index, block, texts[block.key], told[index]) for index, block in enumerate(drawn)),
        _aside("inputs", "encoder", HEIGHT - 4, texts),
        _aside("outputs", "decoder", HEIGHT - 4, texts),
        _aside("probabilities", "decoder", 11, texts),
    ]
    return element("svg", *drawn_there, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="group", aria_label=texts["alt"])


def _block(index: int, block: Block, label: str, told: str) -> Markup:
    left, top, tall = COLUMN[block.side], block.top, block.tall
    place = {"x": left, "y": top, "width": BLOCK, "height": tall, "rx": 5}
    name, words = label, [element("text", label, class_="label", x=left + 9, y=top + (16 if block.is_norm else 15))]
    if not block.is_norm:
        name = f"{label} {block.shape}"
        words += [Markup(" "), element("text", block.shape, class_="shape", x=left + BLOCK - 9, y=top + 15)]
    rects = [element("rect", class_=kind, **place) for kind in ("paper", "tint")]
    which = {"data_block": index, "aria_label": f"{name}, {told}"}
    kind = f"block {block.side}{' norm' * block.is_norm}"
    return element("a", element("title", told), *rects, *words, class_=kind, tabindex=0, role="link", **which)


def _arrow(arrow: Arrow) -> Markup:
    start, end = ("" if place is None else place for place in (arrow.start, arrow.end))
    corners = " ".join(f"{x},{y}" for x, y in arrow.points)
    ends = {"data_start": start, "data_end": end, "marker_end": "url(#tip)"}
    return element("polyline", class_=f"arrow {arrow.kind}", points=corners, **ends)


def _stack(side: str, drawn: Sequence[Block], times: str) -> Markup:
    inside = [block for block in drawn if block.side == side and (block.is_norm or block.chapter == "attention")]
    top, bottom = min(block.top for block in inside) - 10, max(block.top + block.tall for block in inside) + 10
    left = COLUMN[side] - 10
    x, y = (left, top - 5) if side == "encoder" else (left - 5, top + 14)
    size = {"width": BLOCK + 20, "height": bottom - top, "rx": 10}
    frame = element("rect", class_=f"stack {side}", x=left, y=top, **size)
    return joined([frame, element("text", times, class_=f"times {side}", x=x, y=y)])


def _aside(name: str, side: str, y: int, texts: Mapping[str, str]) -> Markup:
    x = COLUMN[side] + BLOCK // 2
    return element("text", texts[name], class_=f"aside {name}", x=x, y=y)
