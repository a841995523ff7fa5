"""Attention weights as lines from query tokens to key tokens: arrays and labels in, an SVG out."""

from collections.abc import Sequence
from html import escape

import numpy as np

from ui import theme

WIDTH, TOP = 440, 34
ROOMY, DENSE, FEW = 26, 18, 16  # height of a row for up to FEW tokens, and for more
LEFT, RIGHT = 90, 300  # where the lines start and end
FAINT = 1 / 255  # a weight below this would be a line that cannot be seen


def lines(
    weights: np.ndarray,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    heads: tuple[str, str],
    query: int | None,
    key: int | None,
    mode: theme.Mode,
    alt: str,
) -> str:
    """`weights` (T, S), a line each, the more opaque the larger. `heads` name the two columns.

    The lines of the chosen `query` are gold, and its weights are printed beside the keys; it and `key` are outlined.
    """
    longest = max(len(queries), len(keys))
    row = ROOMY if longest <= FEW else DENSE
    pairs = sorted(zip(*np.nonzero(weights >= FAINT)), key=lambda pair: pair[0] == query)  # the chosen ones on top
    drawn = [_line(int(i), int(j), row, float(weights[i, j]), query, mode) for i, j in pairs]
    tokens = [_token("query", i, row, label, i == query, "") for i, label in enumerate(queries)]
    tokens += [
        _token("key", j, row, label, j == key, "" if query is None else f"{weights[query, j]:.3f}")
        for j, label in enumerate(keys)
    ]
    names = _name("query", LEFT - 14, "end", heads[0]) + _name("key", RIGHT + 14, "start", heads[1])
    return (
        f'<svg viewBox="0 0 {WIDTH} {TOP + row * longest}" role="group" aria-label="{escape(alt)}" font-size="14">'
        f"{names}{''.join(drawn)}{''.join(tokens)}</svg>"
    )


def _name(meaning: str, x: int, anchor: str, text: str) -> str:
    place = f'x="{x}" y="16" text-anchor="{anchor}" fill="currentColor" font-weight="600"'
    return f'<text class="{meaning}" {place}>{escape(text)}</text>'


def _y(index: int, row: int) -> float:
    return TOP + row * (index + 0.5)


def _line(i: int, j: int, row: int, weight: float, query: int | None, mode: theme.Mode) -> str:
    color = theme.color("chosen", mode) if i == query else theme.scale(mode, "probability")[6]
    place = f'x1="{LEFT}" y1="{_y(i, row)}" x2="{RIGHT}" y2="{_y(j, row)}"'
    stroke = f'stroke="{color}" stroke-width="{1 + 3 * weight:.2f}" stroke-opacity="{weight:.3f}"'
    return f'<line data-query="{i}" data-key="{j}" {place} {stroke} stroke-linecap="round"/>'


def _token(side: str, index: int, row: int, label: str, chosen: bool, weight: str) -> str:
    y = _y(index, row)
    of_query = side == "query"
    x, anchor = (LEFT - 14, "end") if of_query else (RIGHT + 14, "start")
    start, end = (8, LEFT - 6) if of_query else (RIGHT + 6, WIDTH - 8)
    box = f'<rect x="{start}" y="{y - row / 2 + 1}" width="{end - start}" height="{row - 2}"'
    rim = 'stroke="var(--chosen)" stroke-width="2" rx="3"' if chosen else ""
    aside = f'<text x="{WIDTH - 18}" y="{y + 5}" text-anchor="end" fill="var(--quiet)">{weight}</text>'
    return (
        f'<g class="token" data-side="{side}" data-index="{index}" tabindex="0" role="button"'
        f' aria-label="{escape(label)} {weight}">{box} fill="transparent" {rim}/>'
        f'<text x="{x}" y="{y + 5}" text-anchor="{anchor}" fill="currentColor">{escape(label)}</text>'
        f"{aside if weight else ''}</g>"
    )
