"""A word told into numbers: its id, its row of the table, its strip; the same word, the same strip."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ui.chapters.tokens.story_values import LOOKED_UP, WIDEST, LookedUp, TokensStoryValues, values
from ui.figures import number
from ui.figures.actors import Actor, Beat, Box, Grid, Line, Stage, Word
from ui.sections.scene import Bars, Columns, Told, adding, breadth, cut_off, fitting, pace, story

END = 1.0  # of the colours, in all scenes: how far the position code reaches
DIGITS = 2


@dataclass(frozen=True)
class WordColumns(Columns):
    """The places of a sentence; on a narrow stage every other word stands lower, so that each has room for letters."""

    stage: Stage

    @property
    def strip(self) -> float:
        return min(120.0, self.step - self.stage.of(12, 5))

    def lower(self, n: int) -> float:
        return self.stage.of(0.0, 18.0 * (n % 2))

    def size(self, words: Sequence[str]) -> float:
        step, first, last = self.stage.of(1, 2) * self.step - 6, self.middles[0], self.middles[-1]
        ends = min(step, 2 * first, 2 * (self.stage.width - last))
        return min(fitting(words, step, self.stage.of(22, 15)), fitting([words[0], words[-1]], ends, 22))


def row_of(looked: LookedUp, stage: Stage) -> WordColumns:
    margin = stage.of(12.0, 6.0)
    return WordColumns(len(looked.tokens), margin, stage.width - margin, stage)


def words(
    v: TokensStoryValues, looked: LookedUp, at: WordColumns, y: float, lit: Sequence[int], name: str = "word"
) -> list[Actor]:
    size, glosses = at.size(looked.words), at.stage.of(v.glosses, {})
    row = at.words(name, looked.words, y, size, glosses=glosses)
    return [replace(word, y=y + at.lower(n)).lit(n in lit, "chosen") for n, word in enumerate(row)]


def ids(looked: LookedUp, at: WordColumns, y: float, lit: Sequence[int], name: str = "id") -> list[Actor]:
    size = fitting([f"{token}00" for token in looked.tokens], at.step - 3, 16)
    colors = ["chosen" if n in lit else "encoder" for n in range(len(looked.tokens))]
    row = at.words(name, [*map(str, looked.tokens)], y, size, weight=600)
    return [
        replace(word, color=color, chip=color, born=f"word {n}") for n, (word, color) in enumerate(zip(row, colors))
    ]


@dataclass(frozen=True)
class EmbeddingTable:
    """Where the rows of the table stand: their names, their ids, and `shown` numbers of each."""

    x: float
    y: float
    width: float
    row: float
    shown: int

    def middle(self, at: int) -> float:
        return self.y + (at + 0.5) * self.row

    @property
    def ids(self) -> float:
        return self.x - 26

    @property
    def names(self) -> float:
        return self.x - 52

    @property
    def below(self) -> float:
        return self.y + 6 * self.row + 16


def table_at(stage: Stage) -> EmbeddingTable:
    return stage.of(
        EmbeddingTable(x=330, y=176, width=560, row=32, shown=12),
        EmbeddingTable(x=136, y=172, width=214, row=34, shown=5),
    )


def list_at(stage: Stage) -> EmbeddingTable:
    """Before its numbers are shown."""
    return replace(table_at(stage), x=stage.of(520, 230))


def entries(v: TokensStoryValues, stage: Stage, at: EmbeddingTable) -> list[Actor]:
    room = table_at(stage).names - 6
    size = fitting(v.names, room, stage.of(18, 15))
    shown: list[Actor] = []
    for n, name in enumerate(v.names):
        token, y = v.first + n, at.middle(n)
        lit = token == v.token
        shown += [
            Word(f"name {token}", at.names, y, name, size=size, align="right").lit(lit, "chosen"),
            Word(f"entry {token}", at.ids, y, str(token), size=14, color="quiet").lit(lit, "chosen"),
        ]
    rest = v.size - len(v.names)
    if rest:
        text = v.say("story.more", count=rest)
        shown.append(Word("more", at.names, at.below, text, color="quiet", align="right").fit(room, 13, 9))
    return shown


def rows(v: TokensStoryValues, at: EmbeddingTable, faint: float = 1.0) -> list[Actor]:
    tall, shown = at.row - 4, at.shown
    every = [
        Grid(f"row {token}", at.x, at.y + n * at.row + 2, at.width, tall, row[None, :shown], end=END, digits=DIGITS)
        for n, (token, row) in enumerate(enumerate(v.table, v.first))
    ]
    seen = [row if n == v.token - v.first else replace(row, opacity=faint) for n, row in enumerate(every)]
    return [actor for row in seen for actor in cut_off(row, v.d_model)]


def frame(v: TokensStoryValues, at: EmbeddingTable) -> Box:
    n = v.token - v.first
    return Box(
        "frame", at.x - 3, at.y + n * at.row, at.width + 6, at.row, color="chosen", filled=False, radius=4, level=2
    )


def strip_of(
    name: str,
    at: WordColumns,
    n: int,
    table: np.ndarray,
    y: float,
    height: float,
    shown: int,
    rim: str = "",
    born: str = "",
) -> list[Actor]:
    """The first numbers of one row of a table (tokens, d_model), below the word at place n."""
    x, row = at.middles[n] - at.strip / 2, table[n : n + 1, :shown]
    grid = Grid(name, x, y, at.strip, height, row, end=END, rim=rim, born=born, level=1)
    return cut_off(grid, table.shape[1])


def home(v: TokensStoryValues, token: int) -> str:
    """The actor from which the row of a token comes: itself, or those that are not shown."""
    return f"row {token}" if v.first <= token < v.first + len(v.names) else "more"


# The scenes: a word becomes a number, the number a row of the table, the row a strip; twice the same, the same.

LARGER = 1.5  # times the words' numbers: from there on the position code is said to be larger


def _link(v: TokensStoryValues, cell: str, factor: bool) -> dict[str, str]:
    width = min(WIDEST, max(12, len(v.sentence.tokens)))
    return {"example": "typed", "factor": "1" if factor else "0", "width": str(width), "first": "0", "cell": cell}


def _heights(stage: Stage) -> tuple[float, float, float]:
    return stage.of((30.0, 72.0, 100.0), (20.0, 74.0, 100.0))


def _stand(v: TokensStoryValues, stage: Stage) -> tuple[WordColumns, EmbeddingTable, list[Actor]]:
    at = row_of(v.sentence, stage)
    return at, table_at(stage), words(v, v.sentence, at, _heights(stage)[0], [v.word])


def _word(v: TokensStoryValues) -> str:
    return v.sentence.words[v.word]


def numbers(v: TokensStoryValues, stage: Stage) -> Told:
    at, _, words = _stand(v, stage)
    table = list_at(stage)
    y = _heights(stage)[1]
    count = len(v.sentence.tokens)
    glide, rest = pace(count, 2.4)
    listed = entries(v, stage, table)
    each = (([one], glide, rest) for one in ids(v.sentence, at, y, [v.word]))
    beats = adding((words, 0.5, 0.5), (listed, 0.5, 0.4), *each, ([_tie(v, at, table, y)], 0.5, 0.5))
    said = {"word": _word(v), "id": v.token, "size": v.size}
    names = "of_numbers" if v.of_numbers else ""
    return Told(beats, v.origin, said, _link(v, f"src.0.{v.word}", False), names)


def _tie(v: TokensStoryValues, at: WordColumns, table: EmbeddingTable, y: float) -> Line:
    to = table.ids + 22, table.middle(v.token - v.first)
    return Line("tie", at.middles[v.word], y + 16, *to, color="chosen", width=2, arrow=True)


def row(v: TokensStoryValues, stage: Stage) -> Told:
    at, table, words = _stand(v, stage)
    y = _heights(stage)[1]
    still = [*words, *ids(v.sentence, at, y, [v.word]), *entries(v, stage, table)]
    entry = table.middle(v.token - v.first)
    going = Word(
        "going", table.ids, entry, str(v.token), size=14, color="chosen", chip="chosen", born=f"id {v.word}", level=3
    ).lit(True)
    beats = (
        Beat((*still, *rows(v, table)), 0.8, 0.6),
        Beat((*still, *rows(v, table), going), 1.0, 0.3),
        Beat((*still, *rows(v, table, 0.3), going, frame(v, table)), 0.5, 0.6),
    )
    said = {"word": _word(v), "id": v.token, "d_model": v.d_model, "size": v.size}
    return Told(beats, v.origin, said, _link(v, f"table.{v.token}.0", False))


def strip(v: TokensStoryValues, stage: Stage) -> Told:
    """The row of the one word lands first, then those of the others, each from its own row."""
    at, table, words = _stand(v, stage)
    _, y, below = _heights(stage)
    still = [*words, *ids(v.sentence, at, y, [v.word]), *entries(v, stage, table)]
    lit = [*rows(v, table, 0.3), frame(v, table)]
    pale = rows(v, table)
    count = len(v.sentence.tokens)
    order = [v.word, *(n for n in range(count) if n != v.word)]
    glide, rest = pace(count, 2.0)
    landed: list[Actor] = []
    beats = [Beat((*still, *lit), 0.4, 0.3)]
    for turn, n in enumerate(order):
        landed += strip_of(
            f"vector {n}", at, n, v.sentence.rows, below, 30, table.shown,
            born=home(v, v.sentence.tokens[n]), rim="chosen" if n == v.word else "",
        )  # fmt: skip
        if turn:
            beats.append(Beat((*still, *pale, *landed), glide, rest))
        else:
            beats.append(Beat((*still, *lit, *landed), 1.1, 0.5))
    if count == 1:
        beats.append(Beat((*still, *pale, *landed), 0.3, 0.3))
    said = {"word": _word(v), "count": count, "d_model": v.d_model}
    return Told(tuple(beats), v.origin, said, _link(v, f"vectors.{v.word}.0", False))


def scale(v: TokensStoryValues, stage: Stage) -> Told:
    """The strips before and after the factor, on one scale of colours; below, how large their numbers are beside those
    of the position code, on one scale of heights."""
    at, table, words = _stand(v, stage)
    y = _heights(stage)[1] + 26
    tall = 52
    known = ids(v.sentence, at, _heights(stage)[1], [v.word])

    def strips(values: np.ndarray) -> list[Actor]:
        drawn = at.strips("vector", values[:, : table.shown], y, at.strip, tall, end=END, level=1)
        drawn[v.word] = replace(drawn[v.word], rim="chosen")
        return [actor for grid in drawn for actor in cut_off(grid, v.d_model)]

    sizes = {name: float(np.abs(values).mean()) for name, values in _parts(v).items()}
    base, room = stage.of((360.0, 120.0), (384.0, 130.0))
    unit = room / max(sizes.values())
    xs, bars = {"vectors": 0.36 * stage.width, "code": 0.72 * stage.width}, Bars(base, stage.of(90, 60), gap=14)

    def measure(which: str, size: float, color: str) -> list[Actor]:
        x, height = xs[which], unit * size
        name = Word(f"name {which}", x, base + 18, v.say(f"story.mean_{which}"), color="quiet")
        return [
            bars.bar(f"bar {which}", x, height, color),
            bars.figure(f"mean {which}", x, height, value=size, digits=2, size=17, weight=600, color=color),
            name.fit(0.34 * stage.width, 15, 9),
        ]

    code = measure("code", sizes["code"], "quiet")
    sign = _factor(v, stage, base - 60)
    before, after = strips(v.sentence.rows), strips(v.sentence.vectors)
    beats = (
        Beat((*words, *known, *before, *code, *measure("vectors", sizes["rows"], "encoder")), 0.7, 0.7),
        Beat((*words, *known, *before, *code, *measure("vectors", sizes["rows"], "encoder"), sign), 0.5, 0.3),
        Beat((*words, *known, *after, *code, *measure("vectors", sizes["vectors"], "encoder"), sign), 1.4, 0.8),
    )
    ratio = sizes["code"] / max(sizes["rows"], 1e-9)
    said = {
        "ratio": number(ratio, 2),
        "factor": _root(v),
        "before": number(sizes["rows"], 2),
        "after": number(sizes["vectors"], 2),
        "code": number(sizes["code"], 2),
    }
    return Told(beats, v.origin, said, _link(v, f"vectors.{v.word}.0", True), "" if ratio > LARGER else "beside")


def _parts(v: TokensStoryValues) -> dict[str, np.ndarray]:
    return {"rows": v.sentence.rows, "vectors": v.sentence.vectors, "code": v.sentence.code}


def _root(v: TokensStoryValues) -> str:
    return f"√{v.d_model} = {number(math.sqrt(v.d_model), 3)}"


def _factor(v: TokensStoryValues, stage: Stage, y: float) -> Word:
    part, size = stage.of((0.12, 26), (0.14, 15))
    return Word("factor", part * stage.width, y, f"× {_root(v)}", size=size, weight=600, color="encoder")


def twice(v: TokensStoryValues, stage: Stage) -> Told:
    """A sentence in which a word stands twice; its first strip is laid beside the second."""
    looked = v.twice
    at = row_of(looked, stage)
    one, again = v.twins
    shown = table_at(stage).shown
    top, below, y = stage.of((56.0, 110.0, 146.0), (60.0, 124.0, 164.0))
    tall, apart = 70.0, 82.0
    still = [*words(v, looked, at, top, v.twins, "again"), *ids(looked, at, below, v.twins, name="number")]
    drawn = [
        replace(strip, rim="chosen" if n in v.twins else "", born=f"vector {min(n, len(v.sentence.tokens) - 1)}")
        for n, strip in enumerate(at.strips("twice", looked.vectors[:, :shown], y, at.strip, tall, end=END, level=1))
    ]
    strips = [actor for grid in drawn for actor in cut_off(grid, v.d_model)]
    moved = replace(drawn[one], name="laid", x=drawn[again].x, y=y + apart, born=f"twice {one}")
    laid = cut_off(moved, v.d_model)
    difference = float(np.abs(looked.vectors[one] - looked.vectors[again]).max())
    text = v.say("story.difference", difference=number(difference, 2))
    size = fitting([text], stage.width - 20, stage.of(20, 16))
    wide = size * breadth(text)
    x = min(max(at.middles[again], wide / 2 + 8), stage.width - wide / 2 - 8)
    name = Word("difference", x, y + apart + tall + 28, text, size=size, weight=600)
    beats = adding((still, 0.6, 0.4), (strips, 0.7, 0.6), (laid, 1.2, 0.3), ([name], 0.5, 0.6))
    said = {"word": looked.words[one], "id": looked.tokens[one], "difference": number(difference, 2)}
    link = _link(v, "", True) | {"src": v.twice_text, "repeated": v.twice_text, "open": "equal_rows"}
    return Told(beats, v.twice_origin, said, link)


STORY = story(values, (numbers, row, strip, scale, twice), {"scale": LOOKED_UP}, poster=strip)
