"""Clock hands: a dial per angle, the hand before and after a turn, and the sector between. HTML without a script."""

import math
from collections.abc import Sequence

import numpy as np

from ui.figures import number
from ui.figures.markup import Markup, element, px, style
from ui.theme import css

SIZE = 84  # of a dial, in px


def clocks(before: np.ndarray, after: np.ndarray, names: Sequence[str], *, alt: str) -> Markup:
    """Angles (n,) in radians, clockwise from twelve, so that a hand's tip lies sin to the right and cos up."""
    dials = [_dial(float(a), float(b), name) for a, b, name in zip(before, after, names, strict=True)]
    return element("div", *dials, role="img", aria_label=alt, style="display:flex;flex-wrap:wrap;gap:16px")


def _dial(before: float, after: float, name: str) -> Markup:
    text, quiet, gold, grid = (css(meaning) for meaning in ("text", "quiet", "chosen", "grid"))
    turned = min(after - before, 2 * math.pi)
    pale = f"color-mix(in srgb, {gold} 25%, transparent)"
    sector = f"conic-gradient(from {before:.4f}rad, {pale} 0 {turned:.4f}rad, transparent 0)"
    face = style(
        position="relative", width=px(SIZE), height=px(SIZE), border_radius="50%", border=f"1.5px solid {grid}"
    )
    return element(
        "div",
        element("div", _hand(before, text, 2), _hand(after, gold, 3), style=f"{face};background:{sector}"),
        element("div", name),
        element("small", f"+{number(after - before, 3)}", style=style(color=quiet)),
        style="text-align:center;line-height:1.4",
    )


def _hand(angle: float, color: str, width: int) -> Markup:
    length = SIZE / 2 - 5
    place = {"position": "absolute", "left": f"calc(50% - {width / 2}px)", "bottom": "50%", "background": color}
    turn = {"transform_origin": "bottom", "transform": f"rotate({angle:.4f}rad)"}
    return element("div", style=style(**place, width=px(width), height=px(length), **turn))
