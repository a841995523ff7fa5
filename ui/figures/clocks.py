"""Clock hands: a dial per angle, the hand before and after a turn, and the sector between. HTML without a script."""

import math
from collections.abc import Sequence

import numpy as np

from ui.figures.number import number
from ui.theme import css

SIZE = 84  # of a dial, in px


def clocks(before: np.ndarray, after: np.ndarray, names: Sequence[str], *, alt: str) -> str:
    """Angles (n,) in radians, clockwise from twelve, so that a hand's tip lies sin to the right and cos up."""
    dials = "".join(_dial(float(a), float(b), name) for a, b, name in zip(before, after, names, strict=True))
    return f'<div role="img" aria-label="{alt}" style="display:flex;flex-wrap:wrap;gap:16px">{dials}</div>'


def _dial(before: float, after: float, name: str) -> str:
    text, quiet, gold, grid = (css(meaning) for meaning in ("text", "quiet", "chosen", "grid"))
    turned = min(after - before, 2 * math.pi)
    pale = f"color-mix(in srgb, {gold} 25%, transparent)"
    sector = f"conic-gradient(from {before:.4f}rad, {pale} 0 {turned:.4f}rad, transparent 0)"
    face = f"position:relative;width:{SIZE}px;height:{SIZE}px;border-radius:50%;border:1.5px solid {grid};"
    return (
        '<div style="text-align:center;line-height:1.4">'
        f'<div style="{face}background:{sector}">{_hand(before, text, 2)}{_hand(after, gold, 3)}</div>'
        f'<div>{name}</div><small style="color:{quiet}">+{number(after - before, 3)}</small></div>'
    )


def _hand(angle: float, color: str, width: int) -> str:
    length = SIZE / 2 - 5
    place = f"position:absolute;left:calc(50% - {width / 2}px);bottom:50%;width:{width}px;height:{length}px;"
    turn = f"transform-origin:bottom;transform:rotate({angle:.4f}rad)"
    return f'<div style="{place}background:{color};{turn}"></div>'
