"""Figure 1 of the paper as an SVG: blocks, arrows and labels in, drawing out. No Streamlit, no wording.

Its colours are those of the page's style sheet, so that one drawing serves by day and by night.
"""

from collections.abc import Mapping, Sequence
from html import escape

from ui.figures.figure_one_blocks import BLOCK, COLUMN, HEIGHT, WIDTH, Arrow, Block


def figure_one(drawn: Sequence[Block], ways: Sequence[Arrow], texts: Mapping[str, str], told: Sequence[str]) -> str:
    """The SVG. `texts` has a label for every block's key, and `alt`, `times`, `inputs`, `outputs`, `probabilities`;
    `told` says of each block what goes in, what its picture shows and what goes out."""
    lines = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{escape(texts["alt"])}">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" '
        'markerUnits="userSpaceOnUse"><path d="M0 0 8 4 0 8Z" fill="context-stroke"/></marker></defs>',
        *(_stack(side, drawn, texts["times"]) for side in COLUMN),
        *map(_arrow, ways),
        *(_block(index, block, texts[block.key], told[index]) for index, block in enumerate(drawn)),
        _aside("inputs", "encoder", HEIGHT - 4, texts),
        _aside("outputs", "decoder", HEIGHT - 4, texts),
        _aside("probabilities", "decoder", 11, texts),
    ]
    return "".join([*lines, "</svg>"])


def _block(index: int, block: Block, label: str, told: str) -> str:
    left, top, tall = COLUMN[block.side], block.top, block.tall
    place = f'x="{left}" y="{top}" width="{BLOCK}" height="{tall}" rx="5"'
    name, words = (
        label,
        f'<text class="label" x="{left + 9}" y="{top + (16 if block.is_norm else 15)}">{escape(label)}</text>',
    )
    if not block.is_norm:
        name = f"{label} {block.shape}"
        words += f' <text class="shape" x="{left + BLOCK - 9}" y="{top + 15}">{escape(block.shape)}</text>'
    return (
        f'<a class="block {block.side}{" norm" * block.is_norm}" tabindex="0" role="link" '
        f'data-block="{index}" data-section="{block.section}" '
        f'aria-label="{escape(name)}, {escape(told)}"><title>{escape(told)}</title>'
        f'<rect class="paper" {place}/><rect class="tint" {place}/>{words}</a>'
    )


def _arrow(arrow: Arrow) -> str:
    start, end = ("" if place is None else place for place in (arrow.start, arrow.end))
    corners = " ".join(f"{x},{y}" for x, y in arrow.points)
    return (
        f'<polyline class="arrow {arrow.kind}" data-start="{start}" data-end="{end}" points="{corners}" '
        'marker-end="url(#tip)"/>'
    )


def _stack(side: str, drawn: Sequence[Block], times: str) -> str:
    """The frame around a layer."""
    inside = [block for block in drawn if block.side == side and (block.is_norm or block.chapter == "attention")]
    top, bottom = min(block.top for block in inside) - 10, max(block.top + block.tall for block in inside) + 10
    left = COLUMN[side] - 10
    x, y = (left, top - 5) if side == "encoder" else (left - 5, top + 14)
    return (
        f'<rect class="stack {side}" x="{left}" y="{top}" width="{BLOCK + 20}" height="{bottom - top}" rx="10"/>'
        f'<text class="times {side}" x="{x}" y="{y}">{escape(times)}</text>'
    )


def _aside(name: str, side: str, y: int, texts: Mapping[str, str]) -> str:
    x = COLUMN[side] + BLOCK // 2
    return f'<text class="aside {name}" x="{x}" y="{y}">{escape(texts[name])}</text>'
