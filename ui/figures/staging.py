"""What scenes are laid out with: sizes for each stage, columns with words and strips, bars, axes, beats, the pace."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from ui.figures.actors import Actor, Beat, Box, Curve, Grid, Line, Stage, Word
from ui.figures.letters import fitting

NO_GLOSSES: Mapping[str, str] = {}


@dataclass(frozen=True)
class ByStage:
    """The places and sizes of a scene by their names, for each stage."""

    wide: Any
    narrow: Any

    def on(self, stage: Stage) -> Any:
        return stage.of(self.wide, self.narrow)


def sizes(**pairs: tuple[Any, Any]) -> ByStage:
    """The places and sizes of a scene by their names, each as it is on the wide stage and on the narrow one."""
    wide, narrow = (SimpleNamespace(**{name: pair[at] for name, pair in pairs.items()}) for at in (0, 1))
    return ByStage(wide, narrow)


@dataclass(frozen=True)
class Columns:
    """Equal places side by side."""

    count: int
    left: float
    right: float

    @cached_property
    def step(self) -> float:
        """From one to the next."""
        return (self.right - self.left) / max(1, self.count)

    @cached_property
    def middles(self) -> list[float]:
        return [self.left + (at + 0.5) * self.step for at in range(self.count)]

    def base(self, y: float, name: str = "base") -> Line:
        """The line on which bars stand."""
        return Line(name, self.left, y, self.right, y, color="grid")

    def words(
        self, name: str, texts: Sequence[str], y: float, size: float, gap: float | None = None, *, least: float = 7,
        alike: bool = True, glosses: Mapping[str, str] = NO_GLOSSES, **style: Any,
    ) -> list[Word]:  # fmt: skip
        """A word in each column, called by its place, in letters of this size; beside a `gap`, at most as large as each
        has room for, or if they are `alike`, as all have."""
        room = self.step - (gap or 0)
        common = size if gap is None or not alike else fitting(texts, room, size, least)
        words = [
            Word(f"{name} {n}", x, y, text, size=common, gloss=glosses.get(text, ""), **style)
            for n, (x, text) in enumerate(zip(self.middles, texts))
        ]
        return words if alike else [word.fit(room, size, least) for word in words]

    def strips(self, name: str, table: np.ndarray, y: float, wide: float, tall: float, **style: Any) -> list[Grid]:
        """The rows of a table, one in each column."""
        return [
            Grid(f"{name} {n}", x - wide / 2, y, wide, tall, row[None], **style)
            for n, (x, row) in enumerate(zip(self.middles, table))
        ]


def centres(count: int, left: float, right: float) -> list[float]:
    """The middles of so many equal places side by side."""
    return Columns(count, left, right).middles


@dataclass(frozen=True)
class Axes:
    """A plane of numbers: from 0 to `x_end` between `left` and `right`, from 0 to `y_end` between `base` and `top`."""

    left: float
    right: float
    top: float
    base: float
    x_end: float = 1.0
    y_end: float = 1.0

    def x(self, number: float) -> float:
        return self.left + number / self.x_end * (self.right - self.left)

    def y(self, number: float) -> float:
        return self.base - number / self.y_end * (self.base - self.top)

    def curve(self, name: str, points: Iterable[tuple[float, float]], **style: Any) -> Curve:
        """A line through points of the plane."""
        drawn = [(self.x(x) - self.left, self.y(y) - self.base) for x, y in points]
        return Curve(name, self.left, self.base, drawn, **style)


@dataclass(frozen=True)
class Bars:
    """Upright bars on a line at `base`, each `wide`, and `gap` beyond the end of each its figure; a height below 0 goes
    down."""

    base: float
    wide: float
    gap: float = 12

    def bar(self, name: str, x: float, height: float, color: str, opacity: float = 1.0) -> Box:
        top, tall = self.base - max(height, 0.0), max(abs(height), 1.0)
        return Box(name, x - self.wide / 2, top, self.wide, tall, color=color, opacity=opacity)

    def figure(self, name: str, x: float, height: float, text: str = "", **style: Any) -> Word:
        return Word(name, x, self.base - height + (self.gap if height < 0 else -self.gap), text, **style)


def adding(*steps: tuple[Iterable[Actor], float, float]) -> tuple[Beat, ...]:
    """Beats each of which adds actors to those before; with its glide and its rest."""
    shown: tuple[Actor, ...] = ()
    beats = []
    for actors, glide, rest in steps:
        shown = (*shown, *actors)
        beats.append(Beat(shown, glide, rest))
    return tuple(beats)


def pace(count: int, seconds: float) -> tuple[float, float]:
    """The glide and the rest of each of so many beats that together take about `seconds`, none longer than 0.4."""
    each = min(0.4, seconds / max(1, count))
    return 0.75 * each, 0.25 * each


def end_of(*tables: np.ndarray) -> float:
    """The end of a scale that matrices share which are compared."""
    return max((float(np.abs(table).max()) for table in tables), default=1.0) or 1.0


def cut_off(grid: Grid, count: int) -> list[Actor]:
    """A row that draws the first of `count` numbers: where there are more, it ends with …, in the grid's own room."""
    if np.shape(grid.values)[1] >= count:
        return [grid]
    room = min(14.0, 0.25 * grid.width)
    x, y = grid.x + grid.width - room / 2, grid.y + grid.height / 2
    rest = Word(f"rest {grid.name}", x, y, "…", size=min(18.0, 1.2 * room), color="quiet", opacity=grid.opacity)
    born = f"rest {grid.born}" if grid.born else ""
    return [replace(grid, width=grid.width - room), replace(rest, level=grid.level, born=born)]
