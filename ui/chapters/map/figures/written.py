"""A sentence and what a model makes of it: two columns of tokens, and the attention between them as lines, an SVG."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ui.figures.markup import Markup, element

WIDTH, TOP = 280, 24
LEAST, MOST, ROOM = 11, 31, 330  # height of a row, and of all of them
GLOSSED = 22  # height of a row in which there is room under a word
LEFT, RIGHT = 96, 152  # where the lines start and end
FAINT = 0.04  # a weight below this would be a line that cannot be seen


class Column(NamedTuple):
    """Tokens from top to bottom under a `name`; below each its gloss, "" for none, as long as there is room."""

    name: str
    tokens: Sequence[str]
    glosses: Sequence[str] = ()
    unknown: Sequence[bool] = ()  # to the model, which of them are


def written(source: Column, output: Column, chances: Sequence[str], weights: np.ndarray, alt: str) -> Markup:
    """What the `output` column has is written one after the other, each with its chance; `weights` (outputs, sources)
    are lines between them, the more opaque the larger."""
    longest = max(len(source.tokens), len(output.tokens), 1)
    row = min(MOST, max(LEAST, ROOM / longest))
    size = min(14.0, row * 0.85)
    middle = [TOP + row * (at + 0.5) for at in range(longest)]
    lines = [
        element(
            "line",
            data_turn=i + 1,
            x1=LEFT,
            y1=f"{middle[j]:.1f}",
            x2=RIGHT,
            y2=f"{middle[i]:.1f}",
            stroke_width=f"{1 + 3 * weights[i, j]:.2f}",
            stroke_opacity=f"{weights[i, j]:.2f}",
        )
        for i, j in np.argwhere(weights >= FAINT)
    ]
    roomy = row >= GLOSSED
    given = [part for at, y in enumerate(middle[: len(source.tokens)]) for part in _given(source, at, y, roomy)]
    said = [
        element(
            "g",
            *_word("word", RIGHT + 6, y, "start", output, at, roomy),
            _text("chance", WIDTH - 2, y, "end", chance),
            class_="said",
            data_turn=at + 1,
        )
        for at, (chance, y) in enumerate(zip(chances, middle))
    ]
    heads = _text("encoder", LEFT - 6, 12, "end", source.name), _text("decoder", RIGHT + 6, 12, "start", output.name)
    box = f"0 0 {WIDTH} {TOP + row * longest:.0f}"
    drawn = (*heads, *lines, *given, *said)
    return element("svg", *drawn, viewBox=box, role="img", aria_label=alt, font_size=f"{size:.1f}")


def _given(source: Column, at: int, y: float, roomy: bool) -> Iterator[Markup]:
    kind = "given unknown" if at < len(source.unknown) and source.unknown[at] else "given"
    yield from _word(kind, LEFT - 6, y, "end", source, at, roomy)


def _word(kind: str, x: float, y: float, anchor: str, column: Column, at: int, roomy: bool) -> Iterator[Markup]:
    gloss = column.glosses[at] if roomy and at < len(column.glosses) else ""
    yield _text(kind, x, y - (5 if gloss else 0), anchor, column.tokens[at])
    if gloss:
        yield _text("gloss", x, y + 8, anchor, gloss)


def _text(kind: str, x: float, y: float, anchor: str, text: str) -> Markup:
    return element("text", text, class_=kind, x=x, y=f"{y:.1f}", text_anchor=anchor, dy=".35em")
