"""A search as a tree: a column for each turn, the outputs that stayed above those that did not, as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from ui.figures.lines import length
from ui.theme import css

TOP, ROW, GAP, PAD = 8, 40, 34, 9  # px: above the first row, height of a row, between columns, beside a name
LEAST = 40  # width of a name, for its score stands below it


Kind = Literal["won", "kept", "pruned"]


@dataclass(frozen=True)
class Twig:
    """A node of the tree: `parent` is the `place` of another. `sum` says how its score adds up."""

    place: int
    parent: int
    turn: int
    name: str
    score: float
    kind: Kind
    sum: str


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float


def tree(twigs: Sequence[Twig], alt: str, chosen: int | None = None) -> str:
    """`twigs` from the root on, parents first. In a column those that stayed stand in the order of their scores, and
    below them, grey, the best of those that did not."""
    columns: dict[int, list[Twig]] = {}
    for twig in twigs:
        columns.setdefault(twig.turn, []).append(twig)
    boxes: dict[int, _Box] = {}
    x = 2.0
    for turn in sorted(columns):
        column = sorted(columns[turn], key=lambda twig: (twig.kind == "pruned", -twig.score))
        width = max(LEAST, *(length(twig.name) for twig in column)) + 2 * PAD
        boxes |= {twig.place: _Box(x, TOP + ROW * row, width) for row, twig in enumerate(column)}
        x += width + GAP
    height = TOP + ROW * max(map(len, columns.values()))
    ordered = sorted(twigs, key=lambda twig: ("pruned", "kept", "won").index(twig.kind))  # the winner on top
    edges = [_edge(twig, boxes) for twig in ordered if twig.parent in boxes]
    named = [_twig(twig, boxes[twig.place], twig.place == chosen) for twig in twigs]
    return (
        f'<svg viewBox="0 0 {x - GAP + 2:g} {height}" width="{x - GAP + 2:g}" height="{height}" role="group" '
        f'aria-label="{escape(alt)}" font-size="14">{"".join(edges + named)}</svg>'
    )


def log_prob(value: float, digits: int) -> str:
    """With so many decimals; none is above 0, and nothing has no sign."""
    text = f"{abs(value):.{digits}f}"
    return f"−{text}" if float(text) else text


def _edge(twig: Twig, boxes: dict[int, _Box]) -> str:
    start, end = boxes[twig.parent], boxes[twig.place]
    x, y, to, level = start.x + start.width, start.y + ROW / 2 - 2, end.x, end.y + ROW / 2 - 2
    ink, width, dashes = {
        "won": (css("decoder"), 3, ""),
        "kept": (css("decoder"), 1.2, ""),
        "pruned": (css("masked"), 1, ' stroke-dasharray="3 3"'),
    }[twig.kind]
    middle = (x + to) / 2
    return (
        f'<path data-at="{twig.place}" d="M{x:g} {y:g}C{middle:g} {y:g} {middle:g} {level:g} {to:g} {level:g}" '
        f'fill="none" stroke="{ink}" stroke-width="{width}"{dashes}/>'
    )


def _twig(twig: Twig, box: _Box, chosen: bool) -> str:
    ink = css("quiet") if twig.kind == "pruned" else "currentColor"
    rim = {"won": css("decoder"), "kept": css("grid"), "pruned": "none"}[twig.kind]
    stroke = f'stroke="{css("chosen")}" stroke-width="2"' if chosen else f'stroke="{rim}"'
    middle, weight = box.x + box.width / 2, ' font-weight="600"' if twig.kind == "won" else ""
    score = log_prob(twig.score, 2) if twig.turn else ""
    return (
        f'<g class="token" data-at="{twig.place}" data-parent="{twig.parent}" data-sum="{escape(twig.sum)}" '
        f'tabindex="0" role="button" aria-label="{escape(f"{twig.name} {twig.sum}")}">'
        f'<rect x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{ROW - 4}" rx="4" fill="transparent" '
        f'{stroke}/><text x="{middle:g}" y="{box.y + 15:g}" text-anchor="middle" fill="{ink}"{weight}>'
        f'{escape(twig.name)}</text><text x="{middle:g}" y="{box.y + 30:g}" text-anchor="middle" font-size="12" '
        f'fill="{css("quiet")}">{score}</text></g>'
    )
