"""What a drawing is worth: how far it is from the truth, and by which causes."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

MOST_CAUSES = 3  # that are told of one drawing


class Cause(NamedTuple):
    """One thing that a drawing has otherwise than the truth: its name, and the numbers that its words have."""

    name: str
    values: Mapping[str, float] = {}


class DrawingVerdict(NamedTuple):
    """`distance` is of the kind that the task names, `right` near enough; the gravest of the `causes` comes first."""

    distance: float
    right: bool
    causes: tuple[Cause, ...] = ()


def total_variation(one: np.ndarray, other: np.ndarray) -> float:
    """½ Σ |pᵢ − qᵢ| of two distributions: the share that would have to be moved to make one the other, 0 to 1."""
    return float(np.abs(one - other).sum() / 2)


def rms(one: np.ndarray, other: np.ndarray) -> float:
    """The root of the mean square of the differences, in the unit of the values."""
    return float(np.sqrt(np.mean((one - other) ** 2)))


def furthest(x: np.ndarray, drawn: np.ndarray, truth: np.ndarray) -> Cause:
    """Where a curve is furthest off: what can be said of any."""
    at = int(np.abs(drawn - truth).argmax())
    return Cause("furthest", {"x": float(x[at]), "drawn": float(drawn[at]), "true": float(truth[at])})
