"""What a story shows: actors on a stage, beat after beat.

An actor that keeps its name from beat to beat is the same one: it glides from where it was, its size, colour and
numbers with it. A new one comes in where it is `born`, or fades in; one that is gone goes `into` another, or fades out.
Lengths are those of the stage, which the page enlarges as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, Literal, TypedDict, TypeVar

import numpy as np

from ui.figures.letters import fitting
from ui.theme import MODES, canvas

T = TypeVar("T")
Values = Sequence[Sequence[float]] | np.ndarray


@dataclass(frozen=True)
class Stage:
    """The room there is: wide as on a screen, or narrow as on a phone."""

    width: float
    height: float

    @property
    def wide(self) -> bool:
        return self.width > self.height

    def of(self, wide: T, narrow: T) -> T:
        """What differs between the two: a place or a size for each."""
        return wide if self.wide else narrow


WIDE, NARROW = Stage(960, 400), Stage(360, 430)


@dataclass(frozen=True)
class Actor:
    """`name` is unique on the stage; (x, y) is its centre, of a line its beginning, of grids and boxes the upper left
    corner. What has a higher `level` lies over the others. `color` is a meaning of ui/theme.py."""

    name: str
    x: float
    y: float
    _: KW_ONLY
    opacity: float = 1.0
    level: int = 0
    born: str = ""  # the actor of the beat before from whose place it comes
    into: str = ""  # the actor of the next beat to whose place it goes, once it is gone


@dataclass(frozen=True)
class Word(Actor):
    """A text in one line, `size` high; with a `value` the number that it is, which counts on while it changes. A `chip`
    is a rounded box around it; a `gloss` stands small below, if it takes no more than its `room`."""

    text: str = ""
    _: KW_ONLY
    value: float | None = None
    digits: int = 2  # significant ones of its value
    size: float = 16
    weight: int = 400
    color: str = "text"
    align: Literal["left", "center", "right"] = "center"
    chip: str = ""  # the meaning whose colour its box has
    gloss: str = ""
    room: float = math.inf

    def fit(self, room: float, most: float = 18, least: float = 7) -> Word:
        """In letters as large as `most`, or as its text has room."""
        return replace(self, size=fitting([self.text], room, most, least))

    def lit(self, on: bool, color: str = "") -> Word:
        """Set off from others of its kind if it is `on`: bold, and in a colour of its own."""
        return replace(self, weight=600, color=color or self.color) if on else self


@dataclass(frozen=True)
class Grid(Actor):
    """Cells with a colour for each number: a strip, a table, a matrix. Its scale goes from -`end` to `end`, which is
    the author's, so that scales that are compared are one; that of `shares` from 0 to 1. `digits` > 0 writes the
    numbers into the cells. NaN is an empty cell."""

    width: float
    height: float
    values: Values
    _: KW_ONLY
    shares: bool = False
    end: float = 1.0
    digits: int = 0
    rim: str = ""  # the meaning of a border around it

    @property
    def ends(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.shares else (-self.end, self.end)


@dataclass(frozen=True)
class Box(Actor):
    """A rectangle: a bar, a card, a frame; an outline alone where it is not `filled`."""

    width: float
    height: float
    _: KW_ONLY
    color: str = "text"
    filled: bool = True
    hatched: bool = False
    radius: float = 0


@dataclass(frozen=True)
class Dot(Actor):
    radius: float
    _: KW_ONLY
    color: str = "text"
    filled: bool = True


@dataclass(frozen=True)
class Line(Actor):
    """From (x, y) to (to_x, to_y), `bend` away from the straight line; with an arrow's head at its end."""

    to_x: float
    to_y: float
    _: KW_ONLY
    width: float = 1.5
    color: str = "quiet"
    bend: float = 0
    arrow: bool = False
    dashed: bool = False


@dataclass(frozen=True)
class Curve(Actor):
    """A line through points (x, y), relative to its place, drawn `until` an x of theirs."""

    points: Values
    _: KW_ONLY
    width: float = 2
    color: str = "text"
    until: float = math.inf


@dataclass(frozen=True)
class Cloud(Actor):
    """A text at each of some points (x, y), relative to its place, `size` high; a dot where another is in its way."""

    points: Values
    texts: tuple[str, ...]
    _: KW_ONLY
    size: float = 10
    weight: int = 400
    color: str = "text"


@dataclass(frozen=True)
class Beat:
    """Who is on the stage, after a glide of `glide` seconds, and for how long it `rests` before the next beat. A reader
    who takes over here does so with `settings` other than those of the scene."""

    actors: tuple[Actor, ...]
    glide: float = 0.6
    rest: float = 0.5
    settings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [actor.name for actor in self.actors]
        if len(set(names)) < len(names):
            twice = {name for name in names if names.count(name) > 1}
            raise ValueError(f"a name is one actor's: {', '.join(sorted(twice))}")


class BeatMessage(TypedDict):
    """What is new on the stage since the beat before, and who is gone; times in milliseconds. An actor that was there
    has its name and the fields that are others now, and no `kind`; any other one is whole."""

    glide: int
    rest: int
    actors: list[dict[str, Any]]
    gone: list[str]


def message(beats: Iterable[Beat]) -> list[BeatMessage]:
    """JSON-ready: each beat of a scene as what changes from the one before it, the first one whole."""
    told: list[BeatMessage] = []
    there: dict[str, tuple[Actor, dict[str, Any]]] = {}
    for beat in beats:
        now, changed = dict[str, tuple[Actor, dict[str, Any]]](), list[dict[str, Any]]()
        for actor in beat.actors:
            was, before = there.get(actor.name, (None, None))
            said = before if before is not None and was is actor else _said(actor)
            now[actor.name] = actor, said
            if said != before:
                changed.append(_news(before, said))
        gone = [name for name in there if name not in now]
        glide, rest = (round(1000 * seconds) for seconds in (beat.glide, beat.rest))
        told.append({"glide": glide, "rest": rest, "actors": changed, "gone": gone})
        there = now
    return told


def _news(before: dict[str, Any] | None, now: dict[str, Any]) -> dict[str, Any]:
    """What has changed of an actor; all of it if it is another one, or a field is as by default again."""
    if before is None or before["kind"] != now["kind"] or before.keys() - now.keys():
        return now
    return {name: value for name, value in now.items() if name == "name" or before.get(name) != value}


def colors() -> dict[str, Any]:
    return {mode: canvas(mode) for mode in MODES}


# More than a screen can show: of lengths, two places after the point; of numbers, five significant digits; of one that
# is only a colour, a thousandth of its scale.
LENGTHS = {"x", "y", "width", "height", "to_x", "to_y", "bend", "radius", "size", "until"}
PLACES, DIGITS, SHADES = 2, 5, 3
DEFAULTS: dict[type[Actor], dict[str, object]] = {
    kind: {one.name: one.default for one in fields(kind)} for kind in (Word, Grid, Box, Dot, Line, Curve, Cloud)
}


def _said(actor: Actor) -> dict[str, Any]:
    """Its kind, and of its fields those that are not as by default."""
    said: dict[str, Any] = {"kind": type(actor).__name__.lower()}
    defaults = DEFAULTS[type(actor)]
    for name, value in vars(actor).items():
        if name == "values":
            table = np.atleast_2d(np.asarray(value, dtype=float))
            said |= {"rows": table.shape[0], "values": _cells(table.ravel(), actor)}
        elif name == "points":
            said[name] = np.round(np.asarray(value, dtype=float).ravel(), PLACES).tolist()
        elif value != defaults[name]:
            said[name] = (
                value if not isinstance(value, float) else round(value, PLACES) if name in LENGTHS else _short(value)
            )
    return said


def _rounded(name: str, value: float) -> float | None:
    return round(value, PLACES) if name in LENGTHS else _short(value)


def _cells(values: np.ndarray, grid: Any) -> list[float | None]:
    if grid.digits:
        return [_short(number) for number in values.tolist()]
    end = grid.ends[1]
    rounded = np.round(values, SHADES - math.floor(math.log10(end)) if end > 0 else SHADES)
    cells: list[float | None] = rounded.tolist()
    return [None if number != number else number for number in cells] if np.isnan(values).any() else cells


def _short(number: float) -> float | None:
    return None if math.isnan(number) else float(f"{number:.{DIGITS}g}")
