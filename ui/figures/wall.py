"""All heads at once: a wall of small matrices, a line for each kind of attention."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from ui.figures.board import Panel


class HeadName(NamedTuple):
    """Which head: the kind of attention, its layer, its number."""

    kind: str
    layer: int
    head: int

    @property
    def key(self) -> str:
        return f"{self.kind}.{self.layer}.{self.head}"


def named(key: str) -> HeadName:
    """The head of a panel's key."""
    kind, layer, head = key.split(".")
    return HeadName(kind, int(layer), int(head))


def wall(
    heads: Mapping[HeadName, np.ndarray],
    blocked: Mapping[str, np.ndarray],
    titles: Mapping[str, str],
    scale: Literal["probability", "signed"],
) -> list[Panel]:
    """A panel per head, (T, S) each, a layer's heads together; `blocked` and `titles` are by kind. Signed walls share
    the ends of their scale."""
    per_layer = 1 + max(name.head for name in heads)
    lines = list(dict.fromkeys(name.kind for name in heads))
    largest = max(float(np.abs(values[~blocked[name.kind]]).max()) for name, values in heads.items())
    return [
        Panel(
            name.key,
            values,
            title=f"{titles[name.kind]} {name.layer}·{name.head}",
            scale=scale,
            high=1.0 if scale == "probability" else largest,
            blocked=blocked[name.kind],
            place=(lines.index(name.kind), at),
            wall=per_layer,
            meaning="encoder" if name.kind == "encoder" else "decoder",
        )
        for at, (name, values) in enumerate(heads.items())
    ]
