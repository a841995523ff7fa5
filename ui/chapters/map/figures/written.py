"""A sentence and what a model makes of it: two columns of tokens, and the attention between them as lines, an SVG."""

from collections.abc import Sequence

import numpy as np

from ui.figures.markup import Markup, element

WIDTH, TOP = 280, 30
LEAST, MOST, ROOM = 11, 34, 400  # height of a row, and of all of them
LEFT, RIGHT = 96, 152  # where the lines start and end
FAINT = 0.04  # a weight below this would be a line that cannot be seen


def written(
    sources: Sequence[str],
    words: Sequence[str],
    chances: Sequence[str],
    weights: np.ndarray,
    names: tuple[str, str],
    alt: str,
) -> Markup:
    """`words` are written one after the other, each with its chance; `weights` (words, sources) are lines between them,
    the more opaque the larger. `names` stand over the two columns."""
    longest = max(len(sources), len(words))
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
    given = [_text("given", LEFT - 6, y, "end", token) for token, y in zip(sources, middle)]
    output = [
        element(
            "g",
            _text("word", RIGHT + 6, y, "start", word),
            _text("chance", WIDTH - 2, y, "end", chance),
            class_="said",
            data_turn=turn,
        )
        for turn, (word, chance, y) in enumerate(zip(words, chances, middle), 1)
    ]
    heads = _text("encoder", LEFT - 6, 14, "end", names[0]), _text("decoder", RIGHT + 6, 14, "start", names[1])
    box = f"0 0 {WIDTH} {TOP + row * longest:.0f}"
    drawn = (*heads, *lines, *given, *output)
    return element("svg", *drawn, viewBox=box, role="img", aria_label=alt, font_size=f"{size:.1f}")


def _text(kind: str, x: float, y: float, anchor: str, text: str) -> Markup:
    return element("text", text, class_=kind, x=x, y=f"{y:.1f}", text_anchor=anchor, dy=".35em")
