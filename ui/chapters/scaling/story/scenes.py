"""The scenes: scores spread, their softmax collapses, the gradient closes; the division opens it again."""

import math
from dataclasses import replace

import numpy as np

from ui.chapters.scaling.size import KEYS, QUERIES
from ui.chapters.scaling.story import actors
from ui.chapters.scaling.story.actors import Gate, Line2D, Towers
from ui.chapters.scaling.story.values import SEED, SHOWN, STOPS, ScalingStoryValues
from ui.figures import number, percent
from ui.sections.scene import Actor, Beat, Dot, Line, Stage, Told, Word

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
    top, bottom = (58.0, 352.0) if stage.wide else (64.0, 388.0)
    line = actors.line_at(v, stage, bottom + 8)
    step = (bottom - top) / len(v.rows)
    rows = [(query, top + (at + 0.5) * step) for at, query in enumerate(v.rows)]
    radius = 5 if stage.wide else 3.5
    beats = []
    for d_k in SHOWN:
        band = actors.band(v, line, top, bottom, d_k)
        shown = (
            *actors.heading(v, stage, d_k), band, *actors.axis(v, line), *actors.dots(v, line, rows, d_k, radius),
        )  # fmt: skip
        first = d_k in STOPS[:2]
        beats.append(Beat(shown, 0.6 if first else 0.4, 0.4 if first else SHORT))
    said = {"from": f"{v.spread(FEW):.1f}", "few": FEW, "to": f"{v.spread(MOST):.1f}", "most": MOST}
    return Told(tuple(beats), v.origin, said, _link(v, MOST, "x"))


def _row(v: ScalingStoryValues, stage: Stage, line: Line2D, d_k: int, divided: bool = False) -> list[Actor]:
    """The line with the dots of the one query."""
    top = line.y - 24
    return [
        *actors.heading(v, stage, d_k, divided),
        actors.band(v, line, top, line.y, d_k, divided),
        *actors.axis(v, line),
        *actors.dots(v, line, [(v.row, line.y - 12)], d_k, 5 if stage.wide else 4, divided),
    ]


def _line(v: ScalingStoryValues, stage: Stage) -> Line2D:
    return actors.line_at(v, stage, 82 if stage.wide else 84)


def collapse(v: ScalingStoryValues, stage: Stage) -> Told:
    line = _line(v, stage)
    at = Towers(40, 920, 372, 170) if stage.wide else Towers(8, 352, 404, 120)
    beats = [
        Beat((*_row(v, stage, line, d_k), *actors.towers(v, at, line, d_k)), 0.7, 0.5 if d_k == FEW else 0.25)
        for d_k in STOPS
    ]
    largest = float(v.weights(MOST).max())
    said = {
        "few": FEW,
        "first": percent(float(v.weights(FEW).max()), 1),
        "most": MOST,
        "last": percent(largest, 1),
        "rest": percent(1 - largest, 1),
    }
    return Told(tuple(beats), f"softmax({v.origin})", said, _link(v, MOST, "shares"))


def _beside(stage: Stage) -> tuple[Towers, Gate]:
    if stage.wide:
        return Towers(40, 580, 372, 170), Gate(668, 138, 220, (778, 124), (778, 376))
    return Towers(8, 352, 256, 120), Gate(196, 296, 124, (180, 284), (96, 358))


def _whole(v: ScalingStoryValues, stage: Stage, d_k: int, divided: bool = False) -> tuple[Actor, ...]:
    line = _line(v, stage)
    at, gate = _beside(stage)
    return (
        *_row(v, stage, line, d_k, divided),
        *actors.towers(v, at, line, d_k, divided),
        *actors.gate(v, gate, d_k, divided),
    )


def closes(v: ScalingStoryValues, stage: Stage) -> Told:
    beats = [Beat(_whole(v, stage, d_k), 0.7, 0.5 if d_k == FEW else 0.2) for d_k in STOPS]
    said = {"from": number(v.size(FEW), 2), "to": number(v.size(MOST), 2), "most": MOST, "cells": KEYS * KEYS}
    return Told(tuple(beats), f"softmax_jacobian(softmax({v.origin}))", said, _link(v, MOST, "jacobian"))


def reopens(v: ScalingStoryValues, stage: Stage) -> Told:
    sign = actors.divisor(stage, MOST)
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
    left, right = (70.0, 700.0) if stage.wide else (40.0, 338.0)
    top, base = (60.0, 350.0) if stage.wide else (84.0, 380.0)
    high = 0.5  # no softmax has a larger Jacobian
    xs = np.linspace(left, right, len(SHOWN))
    ys = base - (base - top) * v.means / high
    frame: list[Actor] = [
        Line("axis", left, base, right, base),
        Line("base", left, base, left, top),
        Word("name", left - 8, top - 26, v.say("story.mean_size"), size=14, color="quiet", align="left"),
    ]
    frame += [
        Word(f"part {part:g}", left - 8, y, f"{part:g}", size=12, color="quiet", align="right")
        for part, y in ((part, base - (base - top) * part / high) for part in (0.0, 0.25, 0.5))
    ]
    frame += [
        Word(f"size {d_k}", float(x), base + 16, str(d_k), size=13 if stage.wide else 11, color="quiet")
        for d_k, x in zip(SHOWN, xs)
    ]
    frame.append(Word("d_k", (left + right) / 2, base + 36, "d_k", size=16, weight=600))
    beats = []
    for upto in range(1, len(SHOWN) + 1):
        drawn: list[Actor] = []
        for which, (name, color) in enumerate((("plain", "wrong"), ("scaled", "right"))):
            points = list(zip(xs[:upto].tolist(), ys[:upto, which].tolist()))
            for at, (x, y) in enumerate(points):
                born = f"{name} {at - 1}"
                drawn.append(Dot(f"{name} {at}", x, y, 4.5, color=color, born=born, level=1))
                if at:
                    drawn.append(Line(f"{name} to {at}", *points[at - 1], x, y, width=2.5, color=color, born=born))
            x, size = (points[-1][0] + 14, 17) if stage.wide else (right, 14)
            y = points[-1][1] + (0 if stage.wide and upto > 4 else -22 if which else 22)
            text, value = v.say(f"story.{name}", size="#"), float(v.means[upto - 1, which])
            word = Word(f"of {name}", x, y, text, value=value, size=size, weight=600, color=color)
            drawn.append(replace(word, align="left" if stage.wide else "right"))
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
