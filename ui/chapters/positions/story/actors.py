"""Who plays in the story of order: words with their vectors, the encoder, and clocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ui.chapters.positions.story.values import PositionsStoryValues
from ui.sections.scene import Actor, Box, Dot, Grid, Line, Stage, Word, centres, fitting

FIRST, SECOND = "first", "second"


@dataclass(frozen=True)
class PositionsLayout:
    """Where the words stand."""

    stage: Stage
    left: float
    columns: Sequence[float]
    step: float

    @property
    def strip(self) -> float:
        return min(140, self.step - 8)


def places(v: PositionsStoryValues, stage: Stage) -> PositionsLayout:
    left, right = (150.0, 952.0) if stage.wide else (4.0, 356.0)
    return PositionsLayout(stage, left, centres(len(v.words), left, right), (right - left) / len(v.words))


def words(
    v: PositionsStoryValues, at: PositionsLayout, which: str, y: float, columns: Sequence[float], opacity: float = 1.0
) -> list[Actor]:
    """The words of a sentence, each called by its place in the first one, at the place that `columns` has for it."""
    size = fitting(v.words, at.step - 6, 24 if at.stage.wide else 17)
    glosses = [v.glosses.get(word, "") for word in v.words]
    every = [
        Word(f"{which} {n}", columns[n], y, word, size=size, color=color_of(v, n), gloss=gloss, opacity=opacity)
        for n, (word, gloss) in enumerate(zip(v.words, glosses))
    ]
    moved = [word.lit(v.order[n] != n) for n, word in enumerate(every)]
    return [replace(word, born=f"{FIRST} {n}") if which == SECOND else word for n, word in enumerate(moved)]


def color_of(v: PositionsStoryValues, word: int) -> str:
    """The two words that change places have colours of their own."""
    moved = [n for n, to in enumerate(v.order) if to != n]
    return ("chosen", "encoder")[moved.index(word)] if word in moved else "text"


def crossed(v: PositionsStoryValues, at: PositionsLayout) -> list[float]:
    """Where each word stands in the second sentence."""
    return [at.columns[v.order.index(n)] for n in range(len(v.words))]


def strips(
    v: PositionsStoryValues,
    at: PositionsLayout,
    which: str,
    table: np.ndarray,
    y: float,
    height: float,
    columns: Sequence[float],
) -> list[Actor]:
    """The vectors of the words, table (words, SHOWN), as they are counted in the first sentence."""
    half, rims = at.strip / 2, [color_of(v, n) if to != n else "" for n, to in enumerate(v.order)]
    return [
        Grid(f"vector {which} {n}", x - half, y, at.strip, height, row[None], end=v.end, rim=rim, born=f"{which} {n}")
        for n, (x, row, rim) in enumerate(zip(columns, table, rims))
    ]


def encoder(
    v: PositionsStoryValues, at: PositionsLayout, which: str, y: float, height: float, code: str
) -> list[Actor]:
    """The encoder as a bar through which all words go at once."""
    left, right = at.columns[0] - at.step / 2 + 3, at.columns[-1] + at.step / 2 - 3
    name = v.say(f"story.encoder_{code}")
    return [
        Box(f"encoder {which}", left, y, right - left, height, color="encoder", opacity=0.16, radius=8, level=-1),
        Word(f"name {which}", (left + right) / 2, y + height / 2, name, color="encoder").fit(right - left - 12, 15),
    ]


def sides(at: PositionsLayout, rows: Mapping[str, tuple[str, float]]) -> list[Actor]:
    """What is written beside rows, a name, a text and a height each; a narrow stage has no room for that."""
    if not at.stage.wide:
        return []
    return [
        Word(f"side {name}", 12, y, text, color="quiet", align="left").fit(130, 14, 9)
        for name, (text, y) in rows.items()
    ]


def clock(name: str, x: float, y: float, radius: float, hand: np.ndarray, born: str = "") -> list[Actor]:
    """A face and its hand, whose tip lies sin to the right and cos up."""
    sin, cos = (0.86 * radius * float(part) for part in hand)
    face, before = (born and f"{part} {born}" for part in ("face", "hand"))
    return [
        Dot(f"face {name}", x, y, radius, color="quiet", filled=False, born=face),
        Line(f"hand {name}", x, y, x + sin, y - cos, width=2.5, color="text", born=before),
    ]
