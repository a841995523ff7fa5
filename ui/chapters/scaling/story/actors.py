"""Who plays in the story of the scale: scores on a line, the towers of their softmax, and its Jacobian."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ui.chapters.scaling.size import KEYS
from ui.chapters.scaling.story.values import ScalingStoryValues
from ui.figures import number, percent
from ui.sections.scene import Actor, Box, Dot, Grid, Line, Stage, Word, bar, centres, fitting

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


def line_at(v: ScalingStoryValues, stage: Stage, y: float) -> Line2D:
    margin = 40 if stage.wide else 14
    return Line2D(stage.width / 2, (stage.width / 2 - margin) / v.end, y)


def axis(v: ScalingStoryValues, line: Line2D) -> list[Actor]:
    low, high = line.x(-v.end), line.x(v.end)
    shown: list[Actor] = [Line("axis", low, line.y, high, line.y)]
    for part in TICKS:
        x = line.x(part * v.end)
        shown.append(Line(f"tick {part}", x, line.y - 3, x, line.y + 3))
        shown.append(Word(f"score {part}", x, line.y + 13, number(part * v.end, 3), size=12, color="quiet"))
    return shown


def heading(v: ScalingStoryValues, stage: Stage, d_k: int, divided: bool = False) -> list[Actor]:
    """d_k, and how far the scores spread."""
    large, small, left, y = (26, 18, 40, 24) if stage.wide else (20, 14, 14, 46)
    text, spread = v.say("story.spread_is", spread="#"), v.spread(d_k, divided)
    return [
        Word("d_k", left, 24, "d_k = #", value=d_k, digits=3, size=large, weight=600, align="left"),
        Word("spread", stage.width - left, y, text, value=spread, digits=3, size=small, color="query", align="right"),
    ]


def band(v: ScalingStoryValues, line: Line2D, top: float, bottom: float, d_k: int, divided: bool = False) -> Box:
    """One standard deviation of all scores to either side of their mean, 0 but for chance."""
    half = line.unit * v.spread(d_k, divided)
    return Box("band", line.middle - half, top, 2 * half, bottom - top, color="query", opacity=0.13, level=-1)


def dots(
    v: ScalingStoryValues,
    line: Line2D,
    rows: Sequence[tuple[int, float]],
    d_k: int,
    radius: float,
    divided: bool = False,
) -> list[Actor]:
    """The scores of each query, with its height."""
    scores = v.scores(d_k, divided)
    shown: list[Actor] = []
    for query, y in rows:
        size, color, opacity = (radius + 1, "query", 0.9) if query == v.row else (radius, "quiet", 0.6)
        for key, score in enumerate(scores[query].tolist()):
            shown.append(Dot(f"dot {query}.{key}", line.x(score), y, size, color=color, opacity=opacity))
    return shown


@dataclass(frozen=True)
class Towers:
    """A place for each key, from `left` to `right`; weight 1 is `tall`."""

    left: float
    right: float
    base: float
    tall: float

    def places(self, v: ScalingStoryValues) -> dict[int, float]:
        return dict(zip(v.order, centres(KEYS, self.left, self.right)))


def towers(v: ScalingStoryValues, at: Towers, line: Line2D, d_k: int, divided: bool = False) -> list[Actor]:
    """A tower for each score's weight, tied to its dot."""
    weights, scores = v.weights(d_k, divided), v.scores(d_k, divided)[v.row]
    step = (at.right - at.left) / KEYS
    size = fitting(["> 99%"], step - 4, 14, 9)
    shown: list[Actor] = [Line("base", at.left, at.base, at.right, at.base, color="grid")]
    best = int(weights.argmax())
    for key, x in at.places(v).items():
        share, dot, name = float(weights[key]), line.x(float(scores[key])), "k" + str(key + 1).translate(_LOW)
        top = at.base - at.tall * share
        thread = Line(f"thread {key}", dot, line.y - 12, x, top - 2 * size, width=1, color="query", opacity=0.35)
        figure = Word(f"share {key}", x, top - 0.9 * size, percent(share, 0), size=size, color="attention")
        shown += [
            replace(thread, level=-1),
            bar(f"tower {key}", x, at.base, at.tall * share, 0.6 * step, "attention"),
            figure.lit(key == best),
            Word(f"key {key}", x, at.base + 12, name, size=min(13, size + 1), color="key"),
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


def gate(v: ScalingStoryValues, at: Gate, d_k: int, divided: bool = False) -> list[Actor]:
    """The Jacobian, and its size."""
    order = v.order
    found = v.jacobian(d_k, divided)[order][:, order]  # in the order in which the towers stand
    name = v.say("story.jacobian")
    room = at.side + 60
    return [
        Grid("jacobian", at.x, at.y, at.side, at.side, found, end=HIGH, rim="text"),
        Word("name", *at.words, name, color="quiet").fit(room, 14, 9),
        Word("size", *at.size, v.say("story.size_is", size="#"), value=v.size(d_k, divided), size=16, weight=600),
    ]


def divisor(stage: Stage, d_k: int) -> Word:
    """What every score is divided by."""
    root = number(math.sqrt(d_k), 3)
    x, size = (stage.width / 2, 26) if stage.wide else (250, 20)
    return Word("divisor", x, 24, f"÷ √{d_k} = {root}", size=size, weight=600, color="right")
