"""A sheet on which a reader draws: axes and points in, a message to the script out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ui.figures.number import number


@dataclass(frozen=True)
class DrawingSheet:
    """`name` is that of the question: with another one a drawing begins anew. `points` are named as they are spoken.

    Below them stand `labels`, each a word and what it means, or numbers as `marks`, by the place of their point; beside
    the y axis, from `low` to `high`, those of `grid`. `bars` share one sum, of which they are percentages; `stems` are
    bars that stand by themselves, up or down from 0.
    """

    name: str
    shape: Literal["bars", "stems", "line"]
    points: Sequence[str]
    x: str
    y: str
    low: float
    high: float
    grid: Sequence[float]
    labels: Sequence[tuple[str, str]] = ()
    marks: Sequence[tuple[int, float]] = ()

    @property
    def shared(self) -> bool:
        return self.shape == "bars"

    def values(self, levels: Sequence[int], full: int) -> np.ndarray:
        """What a drawing in levels, `full` at the top, means: (points,) float64."""
        return self.low + (self.high - self.low) * np.asarray(levels, dtype=np.float64) / full

    def message(
        self,
        blank: Sequence[int],
        drawn: Sequence[int],
        first: Sequence[int],
        truth: np.ndarray | None,
        alt: str,
        words: Mapping[str, str],
    ) -> dict[str, Any]:
        """As assets/draw/sheet.js reads it. What is empty, or None, is not there."""
        return {
            "sheet": self.name,
            "shape": self.shape,
            "shared": self.shared,
            "percent": self.shared,
            "alt": alt,
            "names": list(self.points),
            "labels": [{"text": text, "gloss": gloss} for text, gloss in self.labels],
            "marks": [[at, number(value)] for at, value in self.marks],
            "grid": [[value, f"{value:.0%}" if self.shared else number(value)] for value in self.grid],
            "x": self.x,
            "y": self.y,
            "low": self.low,
            "high": self.high,
            "blank": list(blank),
            "drawn": list(drawn) or None,
            "first": list(first) or None,
            "truth": None if truth is None else truth.tolist(),
            "words": dict(words),
        }
