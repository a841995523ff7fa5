"""Who plays in the story of the scale: scores on a line, the towers of their softmax, and its Jacobian."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ui.chapters.scaling.size import KEYS
from ui.chapters.scaling.story.values import Values
from ui.figures.actors import Actor, Box, Dot, Grid, Line, Stage, Word
from ui.figures.number import number, percent
from ui.figures.staging import bar, centres, fitting

HIGH = 0.25  # the end of the Jacobian's colours: no entry of one is larger
TICKS = (-1.0, -0.5, 0.0, 0.5, 1.0)  # of the line's end
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class Line2D:
    """Where scores lie: `unit` of the stage to a score of 1, the same in every scene."""

    middle: float
    unit: float
    y: float

    def x(self, score: float) -> float:
        return self.middle + self.unit * score


def line_at(v: Values, stage: Stage, y: float) -> Line2D:
    margin = 40 if stage.wide else 14
    return Line2D(stage.width / 2, (stage.width / 2 - margin) / v.end, y)


def axis(v: Values, line: Line2D) -> list[Actor]:
    low, high = line.x(-v.end), line.x(v.end)
    shown: list[Actor] = [Line(name="axis", x=low, y=line.y, to_x=high, to_y=line.y)]
    for part in TICKS:
        x = line.x(part * v.end)
        shown.append(Line(name=f"tick {part}", x=x, y=line.y - 3, to_x=x, to_y=line.y + 3))
        shown.append(
            Word(name=f"score {part}", x=x, y=line.y + 13, text=number(part * v.end, 3), size=12, color="quiet")
        )
    return shown


def heading(v: Values, stage: Stage, d_k: int, divided: bool = False) -> list[Actor]:
    """d_k, and how far the scores spread."""
    large, small, left, y = (26, 18, 40, 24) if stage.wide else (20, 14, 14, 46)
    spread = v.say("story.spread_is", spread="#")
    return [
        Word(name="d_k", x=left, y=24, text="d_k = #", value=d_k, digits=3, size=large, weight=600, align="left"),
        Word(
            name="spread",
            x=stage.width - left,
            y=y,
            text=spread,
            value=v.spread(d_k, divided),
            digits=3,
            size=small,
            color="query",
            align="right",
        ),
    ]


def band(v: Values, line: Line2D, top: float, bottom: float, d_k: int, divided: bool = False) -> Box:
    """One standard deviation of all scores to either side of their mean, 0 but for chance."""
    half = line.unit * v.spread(d_k, divided)
    return Box(
        name="band",
        x=line.middle - half,
        y=top,
        width=2 * half,
        height=bottom - top,
        color="query",
        opacity=0.13,
        level=-1,
    )


def dots(
    v: Values, line: Line2D, rows: Sequence[tuple[int, float]], d_k: int, radius: float, divided: bool = False
) -> list[Actor]:
    """The scores of each query, with its height."""
    scores = v.scores(d_k, divided)
    return [
        Dot(
            name=f"dot {query}.{key}",
            x=line.x(float(scores[query, key])),
            y=y,
            radius=radius + (1 if query == v.row else 0),
            color="query" if query == v.row else "quiet",
            opacity=0.9 if query == v.row else 0.6,
        )
        for query, y in rows
        for key in range(KEYS)
    ]


@dataclass(frozen=True)
class Towers:
    """A place for each key, from `left` to `right`; weight 1 is `tall`."""

    left: float
    right: float
    base: float
    tall: float

    def places(self, v: Values) -> dict[int, float]:
        return dict(zip(v.order, centres(KEYS, self.left, self.right)))


def towers(v: Values, at: Towers, line: Line2D, d_k: int, divided: bool = False) -> list[Actor]:
    """A tower for each score's weight, tied to its dot."""
    weights, scores = v.weights(d_k, divided), v.scores(d_k, divided)[v.row]
    step = (at.right - at.left) / KEYS
    size = fitting(["> 99%"], step - 4, 14, 9)
    shown: list[Actor] = [Line(name="base", x=at.left, y=at.base, to_x=at.right, to_y=at.base, color="grid")]
    for key, x in at.places(v).items():
        height = at.tall * float(weights[key])
        top = at.base - height
        shown += [
            Line(
                name=f"thread {key}",
                x=line.x(float(scores[key])),
                y=line.y - 12,
                to_x=x,
                to_y=top - 2 * size,
                width=1,
                color="query",
                opacity=0.35,
                level=-1,
            ),
            bar(f"tower {key}", x, at.base, height, 0.6 * step, "attention"),
            Word(
                name=f"share {key}",
                x=x,
                y=top - 0.9 * size,
                text=percent(float(weights[key]), 0),
                size=size,
                weight=600 if key == int(weights.argmax()) else 400,
                color="attention",
            ),
            Word(
                name=f"key {key}",
                x=x,
                y=at.base + 12,
                text="k" + str(key + 1).translate(_LOW),
                size=min(13, size + 1),
                color="key",
            ),
        ]
    return shown


@dataclass(frozen=True)
class Gate:
    """Where the Jacobian stands, a square, and its size in words."""

    x: float
    y: float
    side: float
    words: tuple[float, float]
    size: tuple[float, float]


def gate(v: Values, at: Gate, d_k: int, divided: bool = False) -> list[Actor]:
    """The Jacobian, and its size."""
    order = v.order
    found = v.jacobian(d_k, divided)[order][:, order]  # in the order in which the towers stand
    name = v.say("story.jacobian")
    room = at.side + 60
    return [
        Grid(
            name="jacobian", x=at.x, y=at.y, width=at.side, height=at.side, values=found, ends=(-HIGH, HIGH), rim="text"
        ),
        Word(name="name", x=at.words[0], y=at.words[1], text=name, size=fitting([name], room, 14, 9), color="quiet"),
        Word(
            name="size",
            x=at.size[0],
            y=at.size[1],
            text=v.say("story.size_is", size="#"),
            value=v.size(d_k, divided),
            digits=2,
            size=16,
            weight=600,
        ),
    ]


def divisor(v: Values, stage: Stage, d_k: int) -> Word:
    """What every score is divided by."""
    root = number(math.sqrt(d_k), 3)
    x, size = (stage.width / 2, 26) if stage.wide else (250, 20)
    return Word(name="divisor", x=x, y=24, text=f"÷ √{d_k} = {root}", size=size, weight=600, color="right")
