"""A search as a tree: a column for each turn, the outputs that stayed above those that did not, as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ui.figures.lines import length, meaning, meaning_length, tongue
from ui.figures.markup import Markup, element
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
    gloss: str | None = None  # what its word means


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float


def tree(twigs: Sequence[Twig], alt: str, chosen: int | None = None) -> Markup:
    """`twigs` from the root on, parents first. In a column those that stayed stand in the order of their scores, and
    below them, grey, the best of those that did not."""
    columns: dict[int, list[Twig]] = {}
    for twig in twigs:
        columns.setdefault(twig.turn, []).append(twig)
    boxes: dict[int, _Box] = {}
    x = 2.0
    for turn in sorted(columns):
        column = sorted(columns[turn], key=lambda twig: (twig.kind == "pruned", -twig.score))
        width = max(LEAST, *(length(twig.name) + meaning_length(twig.gloss) for twig in column)) + 2 * PAD
        boxes |= {twig.place: _Box(x, TOP + ROW * row, width) for row, twig in enumerate(column)}
        x += width + GAP
    height = TOP + ROW * max(map(len, columns.values()))
    ordered = sorted(twigs, key=lambda twig: ("pruned", "kept", "won").index(twig.kind))  # the winner on top
    edges = [_edge(twig, boxes) for twig in ordered if twig.parent in boxes]
    named = [_twig(twig, boxes[twig.place], twig.place == chosen) for twig in twigs]
    width = x - GAP + 2
    size = {"viewBox": f"0 0 {width:g} {height}", "width": width, "height": height}
    return element("svg", *edges, *named, **size, role="group", aria_label=alt, font_size=14)


def log_prob(value: float, digits: int) -> str:
    """With so many decimals; none is above 0, and nothing has no sign."""
    text = f"{abs(value):.{digits}f}"
    return f"−{text}" if float(text) else text


def _edge(twig: Twig, boxes: dict[int, _Box]) -> Markup:
    start, end = boxes[twig.parent], boxes[twig.place]
    x, y, to, level = start.x + start.width, start.y + ROW / 2 - 2, end.x, end.y + ROW / 2 - 2
    ink, width, dashes = {
        "won": (css("decoder"), 3, None),
        "kept": (css("decoder"), 1.2, None),
        "pruned": (css("masked"), 1, "3 3"),
    }[twig.kind]
    middle = (x + to) / 2
    curve = f"M{x:g} {y:g}C{middle:g} {y:g} {middle:g} {level:g} {to:g} {level:g}"
    stroke = {"stroke": ink, "stroke_width": width, "stroke_dasharray": dashes}
    return element("path", data_at=twig.place, d=curve, fill="none", **stroke)


def _twig(twig: Twig, box: _Box, chosen: bool) -> Markup:
    ink = css("quiet") if twig.kind == "pruned" else "currentColor"
    rim = {"won": css("decoder"), "kept": css("grid"), "pruned": "none"}[twig.kind]
    stroke = {"stroke": css("chosen"), "stroke_width": 2} if chosen else {"stroke": rim}
    middle = {"x": box.x + box.width / 2, "text_anchor": "middle"}
    weight = 600 if twig.kind == "won" else None
    score = log_prob(twig.score, 2) if twig.turn else ""
    return element(
        "g",
        element("rect", x=box.x, y=box.y, width=box.width, height=ROW - 4, rx=4, fill="transparent", **stroke),
        element(
            "text",
            twig.name,
            meaning(twig.gloss),
            **middle,
            y=box.y + 15,
            fill=ink,
            font_weight=weight,
            lang=tongue(twig.name, twig.gloss),
        ),
        element("text", score, **middle, y=box.y + 30, font_size=12, fill=css("quiet")),
        class_="token",
        data_at=twig.place,
        data_parent=twig.parent,
        data_sum=twig.sum,
        tabindex=0,
        role="button",
        aria_label=f"{twig.name} {twig.sum}",
    )
