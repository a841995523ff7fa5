"""Some columns of a wide matrix, and all others as one sum."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ui.figures.formula import Index


@dataclass(frozen=True)
class Few:
    """Of `size` columns those at the places `shown`, in that order; the others, if there are any, make one more."""

    size: int
    shown: tuple[int, ...]

    @classmethod
    def every(cls, size: int) -> "Few":
        return cls(size, tuple(range(size)))

    @classmethod
    def largest(cls, row: np.ndarray, count: int, always: Iterable[int] = ()) -> "Few":
        """The places of the largest numbers of a row (size,), the largest first, with those that are shown anyway."""
        order = np.argsort(-row, kind="stable").tolist()
        kept = {*order[:count], *always}
        return cls(len(order), tuple(place for place in order if place in kept))

    @cached_property
    def others(self) -> tuple[int, ...]:
        return tuple(sorted(set(range(self.size)) - set(self.shown)))

    @property
    def borders(self) -> list[int]:
        """Before which column a line is to stand."""
        return [len(self.shown)] if self.others else []

    def of(self, values: np.ndarray) -> np.ndarray:
        """(rows, size) -> (rows, shown and the sum of the others)."""
        few = values[:, list(self.shown)]
        return np.append(few, values[:, list(self.others)].sum(1, keepdims=True), 1) if self.others else few

    def names(self, names: Sequence[str], rest: str) -> list[str]:
        """The names of the columns; `rest` is that of the sum."""
        return [names[place] for place in self.shown] + [rest] * bool(self.others)

    def at(self, index: Index) -> Index:
        """The column of the whole matrix that the shown one at `index` is."""
        return index.of(self.shown, "id") if self.others else index
