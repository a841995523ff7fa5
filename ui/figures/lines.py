"""Attention weights as lines from query tokens to key tokens: arrays and labels in, an SVG out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ui.figures.markup import Markup, element, tongues
from ui.theme import css

TOP, SPAN, EDGE = 34, 210, 28  # px: where the tokens begin, how long a level line is, a name's space and margin
ROOMY, DENSE, FEW = 26, 18, 16  # height of a row for up to FEW tokens, and for more
LEAST, WEIGHT, MARK = 62, 56, 22  # room for names, at least; for a printed weight; for a mark
SMALL = 11  # px, of what a word means; its name has 14
FAINT = 1 / 255  # a weight below this would be a line that cannot be seen
WIDE, NARROW = 14.0, 7.6  # of a Chinese character and of a letter, as the browser sets them
NONE: Mapping[str, str] = MappingProxyType({})
BOLD = 1.1  # times as wide as a name: a heading


@dataclass(frozen=True)
class Reference:
    """The links that a head may be compared with: `pairs` (T, S) bool. `marks`, one per query, say how it compares; of
    the mark's colour is a `right` one."""

    pairs: np.ndarray
    marks: Sequence[str]
    right: Sequence[bool]


@dataclass(frozen=True)
class _Column:
    """One side of the drawing: where its lines end, which way its names run from there, and the room they have."""

    x: float
    away: int  # −1 to the left, 1 to the right
    room: float

    def text(self, *words: str, y: float, outside: bool = False, **more: object) -> Markup:
        """Words, or what is made of them, beside the lines or at the outer edge."""
        x = self.x + self.away * (self.room + 10 if outside else 14)
        anchor = "end" if (self.away < 0) != outside else "start"
        return element("text", *words, x=x, y=y, text_anchor=anchor, **more)


def lines(
    weights: np.ndarray,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    heads: tuple[str, str],
    query: int | None,
    key: int | None,
    alt: str,
    reference: Reference | None = None,
    keys_first: bool = False,
    glosses: Mapping[str, str] = NONE,
) -> Markup:
    """`weights` (T, S), a line each, the more opaque the larger. `heads` name the two columns, queries and keys; the
    keys stand on the right, or on the left if they come first.

    The lines of the chosen `query` are gold, and its weights are printed beside the keys; it and `key` are outlined.
    Wide bands below the lines are the links of `reference`. What words mean, by the `glosses`, stands beside them.
    """
    longest = max(len(queries), len(keys))
    row = ROOMY if longest <= FEW else DENSE
    of_queries, of_keys = (
        max(LEAST, *(length(name) + meaning_length(glosses.get(name)) for name in names)) for names in (queries, keys)
    )
    of_queries = max(of_queries + (MARK if reference else 0), BOLD * length(heads[0]))
    of_keys = max(of_keys + WEIGHT, BOLD * length(heads[1]))
    first, second = (of_keys, of_queries) if keys_first else (of_queries, of_keys)
    left, right = _Column(EDGE + first, -1, first), _Column(EDGE + first + SPAN, 1, second)
    columns = {"query": right, "key": left} if keys_first else {"query": left, "key": right}
    pairs = sorted(zip(*np.nonzero(weights >= FAINT)), key=lambda pair: pair[0] == query)  # the chosen ones on top
    linked = [] if reference is None else zip(*np.nonzero(reference.pairs))
    bands = [_band(int(i), int(j), row, columns) for i, j in linked]
    drawn = [_line(int(i), int(j), row, float(weights[i, j]), query, columns) for i, j in pairs]
    shares = [""] * len(keys) if query is None else [f"{weight:.3f}" for weight in weights[query]]
    tokens = [
        *(
            _token("query", i, row, (name, glosses.get(name)), i == query, columns, *_mark(reference, i))
            for i, name in enumerate(queries)
        ),
        *(
            _token("key", j, row, (name, glosses.get(name)), j == key, columns, shares[j], css("quiet"))
            for j, name in enumerate(keys)
        ),
    ]
    names = [
        columns[side].text(name, y=16, class_=side, fill="currentColor", font_weight=600)
        for side, name in zip(("query", "key"), heads)
    ]
    box = f"0 0 {right.x + second + EDGE:g} {TOP + row * longest}"
    return element("svg", *names, *bands, *drawn, *tokens, viewBox=box, role="group", aria_label=alt, font_size=14)


def length(label: str) -> float:
    return sum(WIDE if ord(letter) > 0x2E80 else NARROW for letter in label)


def meaning(gloss: str | None) -> Markup:
    """What a word means, to be drawn after it in a text of an SVG."""
    told = {"font_size": SMALL, "fill": css("quiet"), "font_weight": 400}
    return element("tspan", f" {gloss}", lang=tongues("", gloss)[1], **told) if gloss else Markup()


def tongue(word: str, gloss: str | None) -> str | None:
    """The language of a word that is explained."""
    return tongues(word, gloss)[0] if gloss else None


def meaning_length(gloss: str | None) -> float:
    return length(f" {gloss}") * SMALL / 14 if gloss else 0.0


def _y(index: int, row: int) -> float:
    return TOP + row * (index + 0.5)


def _place(i: int, j: int, row: int, columns: dict[str, _Column]) -> dict[str, object]:
    ends = {"x1": columns["query"].x, "y1": _y(i, row), "x2": columns["key"].x, "y2": _y(j, row)}
    return {"data_query": i, "data_key": j, **ends, "stroke_linecap": "round"}


def _band(i: int, j: int, row: int, columns: dict[str, _Column]) -> Markup:
    place = _place(i, j, row, columns)
    return element("line", class_="reference", **place, stroke=css("right"), stroke_width=11, stroke_opacity=0.35)


def _line(i: int, j: int, row: int, weight: float, query: int | None, columns: dict[str, _Column]) -> Markup:
    ink = css("chosen") if i == query else css("probability-6")
    weighed = {"stroke_width": f"{1 + 3 * weight:.2f}", "stroke_opacity": f"{weight:.3f}"}
    return element("line", **_place(i, j, row, columns), stroke=ink, **weighed)


def _mark(reference: Reference | None, i: int) -> tuple[str, str]:
    return ("", "") if reference is None else (reference.marks[i], css("right" if reference.right[i] else "wrong"))


def _token(
    side: str,
    index: int,
    row: int,
    name: tuple[str, str | None],
    chosen: bool,
    columns: dict[str, _Column],
    aside: str,
    ink: str,
) -> Markup:
    """A name with what is said of it at the outer edge."""
    column, y, (label, gloss) = columns[side], _y(index, row), name
    start = column.x + 6 if column.away > 0 else column.x - 20 - column.room
    place = {"x": start, "y": y - row / 2 + 1, "width": column.room + 14, "height": row - 2}
    rim = {"stroke": css("chosen"), "stroke_width": 2, "rx": 3} if chosen else {}
    drawn = [
        element("rect", **place, fill="transparent", **rim),
        column.text(label, meaning(gloss), y=y + 5, fill="currentColor", lang=tongue(label, gloss)),
    ]
    if aside:
        drawn.append(column.text(aside, y=y + 5, outside=True, fill=ink))
    button = {"tabindex": 0, "role": "button", "aria_label": f"{label} {aside}"}
    return element("g", *drawn, class_="token", data_side=side, data_index=index, **button)
