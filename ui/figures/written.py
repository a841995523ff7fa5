"""A sentence and what a model makes of it: two columns of tokens, and the attention between them as lines, an SVG."""

from collections.abc import Sequence
from html import escape

import numpy as np

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
) -> str:
    """`words` are written one after the other, each with its chance; `weights` (words, sources) are lines between them,
    the more opaque the larger. `names` stand over the two columns."""
    longest = max(len(sources), len(words))
    row = min(MOST, max(LEAST, ROOM / longest))
    size = min(14.0, row * 0.85)
    middle = [TOP + row * (at + 0.5) for at in range(longest)]
    lines = [
        f'<line data-turn="{i + 1}" x1="{LEFT}" y1="{middle[j]:.1f}" x2="{RIGHT}" y2="{middle[i]:.1f}" '
        f'stroke-width="{1 + 3 * weights[i, j]:.2f}" stroke-opacity="{weights[i, j]:.2f}"/>'
        for i, j in np.argwhere(weights >= FAINT)
    ]
    given = [_text("given", LEFT - 6, y, "end", token) for token, y in zip(sources, middle)]
    output = [
        f'<g class="said" data-turn="{turn}">{_text("word", RIGHT + 6, y, "start", word)}'
        f"{_text('chance', WIDTH - 2, y, 'end', chance)}</g>"
        for turn, (word, chance, y) in enumerate(zip(words, chances, middle), 1)
    ]
    heads = _text("encoder", LEFT - 6, 14, "end", names[0]) + _text("decoder", RIGHT + 6, 14, "start", names[1])
    return (
        f'<svg viewBox="0 0 {WIDTH} {TOP + row * longest:.0f}" role="img" aria-label="{escape(alt)}" '
        f'font-size="{size:.1f}">{heads}{"".join(lines + given + output)}</svg>'
    )


def _text(kind: str, x: float, y: float, anchor: str, text: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y:.1f}" text-anchor="{anchor}" dy=".35em">{escape(text)}</text>'
