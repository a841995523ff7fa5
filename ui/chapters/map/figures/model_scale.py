"""Models as squares whose areas are their parameters, cut into their parts: numbers and names in, HTML out."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ui.figures.markup import Markup, element, style
from ui.theme import css

LARGEST = 300  # pixels of the largest model's side
NARROWEST = 230  # pixels of the words under a small one
BREAK = Markup("<br>")
READABLE = 18  # pixels of a part that has room for its name

Written = Callable[[int], str]  # a number of parameters, in words


class ScaledModel(NamedTuple):
    """One model: what stands under it, and its parts from the top, (name, colour's meaning, parameters)."""

    words: tuple[str, ...]  # lines
    parts: tuple[tuple[str, str, int], ...]

    @property
    def total(self) -> int:
        return sum(count for _, _, count in self.parts)


def side(total: int, largest: int) -> float:
    """Pixels of the square of a model with `total` parameters, where the largest has `largest`."""
    return LARGEST * math.sqrt(total / largest)


def scale_drawing(models: Mapping[str, ScaledModel], alt: str, written: Written) -> Markup:
    largest = max(model.total for model in models.values())
    squares = [_square(name, model, side(model.total, largest), written) for name, model in models.items()]
    return element("div", *squares, class_="model-scale", role="img", aria_label=alt)


def _square(name: str, model: ScaledModel, size: float, written: Written) -> Markup:
    strips = [_strip(*part, size * part[2] / model.total, size, written) for part in model.parts if part[2]]
    square = element("div", *strips, class_="square", style=f"width:{size:.2f}px;height:{size:.2f}px")
    words = element("figcaption", element("b", name), *(part for line in model.words for part in (BREAK, line)))
    return element("figure", square, words, style=f"width:{max(size, NARROWEST):.0f}px")


def _strip(name: str, meaning: str, count: int, tall: float, wide: float, written: Written) -> Markup:
    words = f"{name} {written(count)}" if tall >= READABLE and wide > 120 else ""
    tint = css(meaning)
    pale = f"color-mix(in srgb, {tint} 33%, transparent)"
    return element("div", words, style=style(height=f"{tall:.2f}px", background=pale, border_color=tint))
