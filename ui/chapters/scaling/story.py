"""Why √d_k, told: longer vectors spread the scores, one key takes all, no gradient gets back; divided, it does."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ui.chapters.scaling.size import KEYS, QUERIES
from ui.chapters.scaling.story_values import SEED, SHOWN, STOPS, TOWERS, ScalingStoryValues, values
from ui.figures import number, percent
from ui.figures.actors import Actor, Beat, Box, Dot, Grid, Line, Stage, Word
from ui.sections.scene import Axes, Bars, Columns, Told, centres, fitting, sizes, story

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
    return Line2D(stage.width / 2, (stage.width / 2 - stage.of(40, 14)) / v.end, y)


def axis(v: ScalingStoryValues, line: Line2D) -> list[Actor]:
    low, high = line.x(-v.end), line.x(v.end)
    shown: list[Actor] = [Line("axis", low, line.y, high, line.y)]
    for part in TICKS:
        x = line.x(part * v.end)
        shown.append(Line(f"tick {part}", x, line.y - 3, x, line.y + 3))
        shown.append(Word(f"score {part}", x, line.y + 13, number(part * v.end, 3), size=12, color="quiet"))
    return shown


def heading(v: ScalingStoryValues, stage: Stage, d_k: int, divided: bool = False) -> list[Actor]:
    large, small, left, y = stage.of((26, 18, 40, 24), (20, 14, 14, 46))
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

    @property
    def columns(self) -> Columns:
        return Columns(KEYS, self.left, self.right)


def towers(v: ScalingStoryValues, at: Towers, line: Line2D, d_k: int, divided: bool = False) -> list[Actor]:
    """A tower for each score's weight, tied to its dot."""
    weights, scores = v.weights(d_k, divided), v.scores(d_k, divided)[v.row]
    bars, step = Bars(at.base, 0.6 * at.columns.step), at.columns.step
    size = fitting(["> 99%"], step - 4, 14, 9)
    shown: list[Actor] = [at.columns.base(at.base)]
    best = int(weights.argmax())
    for key, x in zip(v.order, at.columns.middles):
        share, dot, name = float(weights[key]), line.x(float(scores[key])), "k" + str(key + 1).translate(_LOW)
        top = at.base - at.tall * share
        thread = Line(f"thread {key}", dot, line.y - 12, x, top - 2 * size, width=1, color="query", opacity=0.35)
        figure = Word(f"share {key}", x, top - 0.9 * size, percent(share, 0), size=size, color="attention")
        shown += [
            replace(thread, level=-1),
            bars.bar(f"tower {key}", x, at.tall * share, "attention"),
            figure.lit(key == best),
            Word(f"key {key}", x, at.base + 12, name, size=min(13, size + 1), color="key"),
        ]
    return shown


@dataclass(frozen=True)
class Gate:
    x: float
    y: float
    side: float
    words: tuple[float, float]
    size: tuple[float, float]


AT = sizes(
    alone=(Towers(left=40, right=920, base=372, tall=170), Towers(left=8, right=352, base=404, tall=120)),
    beside=(Towers(left=40, right=580, base=372, tall=170), Towers(left=8, right=352, base=256, tall=120)),
    gate=(  # beside the towers
        Gate(668, 138, 220, words=(778, 124), size=(778, 376)),
        Gate(196, 296, 124, words=(180, 284), size=(96, 358)),
    ),
)


def gate(v: ScalingStoryValues, at: Gate, d_k: int, divided: bool = False) -> list[Actor]:
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
    root, (x, size) = number(math.sqrt(d_k), 3), stage.of((480.0, 26), (250, 20))
    return Word("divisor", x, 24, f"÷ √{d_k} = {root}", size=size, weight=600, color="right")


# The scenes: scores spread, their softmax collapses, the gradient closes; the division opens it again.

FEW = SHOWN[0]  # where the scores are close together
MOST = SHOWN[-1]
SHORT = 0.1  # seconds between steps that only go on


def _link(v: ScalingStoryValues, d_k: int, panel: str, divided: bool = False) -> dict[str, str]:
    """The one query's scores as typed ones; the factor is what divides them."""
    weights = v.weights(d_k, divided)
    best = int(weights.argmax())
    return {
        "which_scores": "typed",
        "scores": " ".join(f"{score:.4f}" for score in v.scores(d_k)[v.row]),
        "factor": repr(1 / math.sqrt(d_k)) if divided and d_k > 1 else "1",
        "steps_cell": f"{panel}.{best}.{best if panel == 'jacobian' else 1}",
        "d_k": str(d_k),
        "seed": str(SEED),
        "open": "size",
    }


def spread(v: ScalingStoryValues, stage: Stage) -> Told:
    top, bottom, radius = stage.of((58.0, 352.0, 5), (64.0, 388.0, 3.5))
    line = line_at(v, stage, bottom + 8)
    rows = [*zip(v.rows, centres(len(v.rows), top, bottom))]
    beats = []
    for d_k in SHOWN:
        noise = band(v, line, top, bottom, d_k)
        shown = (*heading(v, stage, d_k), noise, *axis(v, line), *dots(v, line, rows, d_k, radius))
        first = d_k in STOPS[:2]
        beats.append(Beat(shown, 0.6 if first else 0.4, 0.4 if first else SHORT))
    said = {"from": f"{v.spread(FEW):.1f}", "few": FEW, "to": f"{v.spread(MOST):.1f}", "most": MOST}
    return Told(tuple(beats), v.origin, said, _link(v, MOST, "x"))


def _row(v: ScalingStoryValues, stage: Stage, d_k: int, divided: bool = False) -> list[Actor]:
    line = _line(v, stage)
    top = line.y - 24
    return [
        *heading(v, stage, d_k, divided),
        band(v, line, top, line.y, d_k, divided),
        *axis(v, line),
        *dots(v, line, [(v.row, line.y - 12)], d_k, stage.of(5, 4), divided),
    ]


def _line(v: ScalingStoryValues, stage: Stage) -> Line2D:
    return line_at(v, stage, stage.of(82, 84))


def collapse(v: ScalingStoryValues, stage: Stage) -> Told:
    line, at = _line(v, stage), AT.on(stage).alone
    beats = [Beat((*_row(v, stage, d_k), *towers(v, at, line, d_k)), 0.7, 0.5 if d_k == FEW else 0.25) for d_k in STOPS]
    largest = float(v.weights(MOST).max())
    said = {
        "few": FEW,
        "first": percent(float(v.weights(FEW).max()), 1),
        "most": MOST,
        "last": percent(largest, 1),
        "rest": percent(1 - largest, 1),
    }
    return Told(tuple(beats), f"softmax({v.origin})", said, _link(v, MOST, "shares"))


def _whole(v: ScalingStoryValues, stage: Stage, d_k: int, divided: bool = False) -> tuple[Actor, ...]:
    at = AT.on(stage)
    return (
        *_row(v, stage, d_k, divided),
        *towers(v, at.beside, _line(v, stage), d_k, divided),
        *gate(v, at.gate, d_k, divided),
    )


def closes(v: ScalingStoryValues, stage: Stage) -> Told:
    beats = [Beat(_whole(v, stage, d_k), 0.7, 0.5 if d_k == FEW else 0.2) for d_k in STOPS]
    said = {"from": number(v.size(FEW), 2), "to": number(v.size(MOST), 2), "most": MOST, "cells": KEYS * KEYS}
    return Told(tuple(beats), f"softmax_jacobian(softmax({v.origin}))", said, _link(v, MOST, "jacobian"))


def reopens(v: ScalingStoryValues, stage: Stage) -> Told:
    sign = divisor(stage, MOST)
    beats = (
        Beat(_whole(v, stage, MOST), 0.5, 0.4),
        Beat((*_whole(v, stage, MOST), sign), 0.4, 0.5),
        Beat((*_whole(v, stage, MOST, divided=True), sign), 1.6, 0.8),
    )
    said = {
        "root": f"√{MOST} = {number(math.sqrt(MOST), 3)}",
        "spread": f"{v.spread(MOST, divided=True):.1f}",
        "share": percent(float(v.weights(MOST, divided=True).max()), 1),
        "size": number(v.size(MOST, divided=True), 2),
        "before": number(v.size(MOST), 2),
    }
    origin = f"softmax_jacobian(softmax({v.origin} / √{MOST}))"
    return Told(beats, origin, said, _link(v, MOST, "jacobian", divided=True))


def every(v: ScalingStoryValues, stage: Stage) -> Told:
    """The mean over all queries at each d_k, both ways."""
    left, right, top, base = stage.of((70.0, 700.0, 60.0, 350.0), (40.0, 338.0, 84.0, 380.0))
    axes = Axes(left, right, top, base, len(SHOWN) - 1, 0.5)  # no softmax has a larger Jacobian
    size, alongside = stage.of((17, 4), (14, len(SHOWN)))  # of a line's name; points after which it stands beside them
    frame: list[Actor] = [
        Line("axis", left, base, right, base),
        Line("base", left, base, left, top),
        Word("name", left - 8, top - 26, v.say("story.mean_size"), size=14, color="quiet", align="left"),
    ]
    frame += [
        Word(f"part {part:g}", left - 8, axes.y(part), f"{part:g}", size=12, color="quiet", align="right")
        for part in (0.0, 0.25, 0.5)
    ]
    frame += [
        Word(f"size {d_k}", axes.x(n), base + 16, str(d_k), size=stage.of(13, 11), color="quiet")
        for n, d_k in enumerate(SHOWN)
    ]
    frame.append(Word("d_k", (left + right) / 2, base + 36, "d_k", size=16, weight=600))
    beats = []
    for upto in range(1, len(SHOWN) + 1):
        drawn: list[Actor] = []
        for which, (name, color) in enumerate((("plain", "wrong"), ("scaled", "right"))):
            points = [(axes.x(n), axes.y(mean)) for n, mean in enumerate(v.means[:upto, which].tolist())]
            for n, (x, y) in enumerate(points):
                born = f"{name} {n - 1}"
                drawn.append(Dot(f"{name} {n}", x, y, 4.5, color=color, born=born, level=1))
                if n:
                    drawn.append(Line(f"{name} to {n}", *points[n - 1], x, y, width=2.5, color=color, born=born))
            (x, y), text, value = points[-1], v.say(f"story.{name}", size="#"), float(v.means[upto - 1, which])
            x, y = x + 14 if stage.wide else right, y + (0 if upto > alongside else -22 if which else 22)
            word = Word(f"of {name}", x, y, text, value=value, size=size, weight=600, color=color)
            drawn.append(replace(word, align=stage.of("left", "right")))
        beats.append(Beat((*frame, *drawn), 0.6 if upto == 1 else 0.25, 0.3 if upto == 1 else 0.05))
    said = {
        "queries": QUERIES,
        "from": number(float(v.means[0, 0]), 2),
        "plain": number(float(v.means[-1, 0]), 2),
        "least": number(float(v.means[:, 1].min()), 2),
        "largest": number(float(v.means[:, 1].max()), 2),
        "most": MOST,
    }
    return Told(tuple(beats), f"size_statistics({v.origin})", said, _link(v, MOST, "jacobian", divided=True))


STORY = story(
    values,
    (spread, collapse, closes, reopens, every),
    {"spread": TOWERS},
    fixed=True,
)
