"""The scenes: a word becomes a number, the number a row of the table, the row a strip; twice the same, the same."""

import math

import numpy as np

from ui.chapters.tokens.story import actors
from ui.chapters.tokens.story.actors import EmbeddingTable, Row
from ui.chapters.tokens.story.values import WIDEST, TokensStoryValues
from ui.figures import number
from ui.sections.scene import Actor, Beat, Line, Stage, Told, Word, bar, fitting, pace

LARGER = 1.5  # times the words' numbers: from there on the position code is said to be larger


def _link(v: TokensStoryValues, cell: str, factor: bool) -> dict[str, str]:
    """The chapter's lookup of the same sentence."""
    width = min(WIDEST, max(12, len(v.sentence.tokens)))
    return {"example": "typed", "factor": "1" if factor else "0", "width": str(width), "first": "0", "cell": cell}


def _heights(stage: Stage) -> tuple[float, float, float]:
    """Of the words, their ids and their strips."""
    return (30.0, 72.0, 100.0) if stage.wide else (20.0, 74.0, 100.0)


def _stand(v: TokensStoryValues, stage: Stage) -> tuple[Row, EmbeddingTable, list[Actor]]:
    at = actors.row_of(v.sentence, stage)
    return at, actors.table_at(stage), actors.words(v, v.sentence, at, _heights(stage)[0], [v.word])


def _word(v: TokensStoryValues) -> str:
    return v.sentence.words[v.word]


def numbers(v: TokensStoryValues, stage: Stage) -> Told:
    at, _, words = _stand(v, stage)
    table = actors.list_at(stage)
    y = _heights(stage)[1]
    count = len(v.sentence.tokens)
    glide, rest = pace(count, 2.4)
    entries = actors.entries(v, stage, table)
    beats = [Beat(tuple(words), 0.5, 0.5), Beat((*words, *entries), 0.5, 0.4)]
    beats += [
        Beat((*words, *entries, *actors.ids(v.sentence, at, y, [v.word], upto)), glide, rest)
        for upto in range(1, count + 1)
    ]
    tie = _tie(v, at, table, y)
    beats.append(Beat((*words, *entries, *actors.ids(v.sentence, at, y, [v.word]), tie), 0.5, 0.5))
    said = {"word": _word(v), "id": v.token, "size": v.size}
    names = "of_numbers" if v.of_numbers else ""
    return Told(tuple(beats), v.origin, said, _link(v, f"src.0.{v.word}", False), names)


def _tie(v: TokensStoryValues, at: Row, table: EmbeddingTable, y: float) -> Line:
    """From the word's id to its entry."""
    to = table.ids + 22, table.middle(v.token - v.first)
    return Line("tie", at.columns[v.word], y + 16, *to, color="chosen", width=2, arrow=True)


def row(v: TokensStoryValues, stage: Stage) -> Told:
    at, table, words = _stand(v, stage)
    y = _heights(stage)[1]
    still = [*words, *actors.ids(v.sentence, at, y, [v.word]), *actors.entries(v, stage, table)]
    entry = table.middle(v.token - v.first)
    going = Word(
        "going", table.ids, entry, str(v.token), size=14, color="chosen", chip="chosen", born=f"id {v.word}", level=3
    ).lit(True)
    beats = (
        Beat((*still, *actors.rows(v, table)), 0.8, 0.6),
        Beat((*still, *actors.rows(v, table), going), 1.0, 0.3),
        Beat((*still, *actors.rows(v, table, 0.3), going, actors.frame(v, table)), 0.5, 0.6),
    )
    said = {"word": _word(v), "id": v.token, "d_model": v.d_model, "size": v.size}
    return Told(beats, v.origin, said, _link(v, f"table.{v.token}.0", False))


def strip(v: TokensStoryValues, stage: Stage) -> Told:
    """The row of the one word lands first, then those of the others, each from its own row."""
    at, table, words = _stand(v, stage)
    _, y, below = _heights(stage)
    still = [*words, *actors.ids(v.sentence, at, y, [v.word]), *actors.entries(v, stage, table)]
    lit = [*actors.rows(v, table, 0.3), actors.frame(v, table)]
    pale = actors.rows(v, table)
    count = len(v.sentence.tokens)
    order = [v.word, *(n for n in range(count) if n != v.word)]
    glide, rest = pace(count, 2.0)
    landed: list[Actor] = []
    beats = [Beat((*still, *lit), 0.4, 0.3)]
    for turn, n in enumerate(order):
        landed.append(
            actors.strip(
                f"vector {n}", at, n, v.sentence.rows, below, 30, table.shown,
                born=actors.home(v, v.sentence.tokens[n]), rim="chosen" if n == v.word else "",
            )
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
    ids = actors.ids(v.sentence, at, _heights(stage)[1], [v.word])

    def strips(values: np.ndarray) -> list[Actor]:
        return [
            actors.strip(f"vector {n}", at, n, values, y, tall, table.shown, rim="chosen" if n == v.word else "")
            for n in range(len(v.sentence.tokens))
        ]

    sizes = {name: _mean(values) for name, values in _parts(v).items()}
    base, room = (360.0, 120.0) if stage.wide else (384.0, 130.0)
    unit = room / max(sizes.values())
    xs = {"vectors": 0.36 * stage.width, "code": 0.72 * stage.width}

    def measure(which: str, size: float, color: str) -> list[Actor]:
        x, height = xs[which], unit * size
        name = v.say(f"story.mean_{which}")
        return [
            bar(f"bar {which}", x, base, height, 90 if stage.wide else 60, color),
            Word(f"mean {which}", x, base - height - 14, value=size, digits=2, size=17, weight=600, color=color),
            Word(f"name {which}", x, base + 18, name, color="quiet").fit(0.34 * stage.width, 15, 9),
        ]

    code = measure("code", sizes["code"], "quiet")
    sign = _factor(v, stage, base - 60)
    before, after = strips(v.sentence.rows), strips(v.sentence.vectors)
    beats = (
        Beat((*words, *ids, *before, *code, *measure("vectors", sizes["rows"], "encoder")), 0.7, 0.7),
        Beat((*words, *ids, *before, *code, *measure("vectors", sizes["rows"], "encoder"), sign), 0.5, 0.3),
        Beat((*words, *ids, *after, *code, *measure("vectors", sizes["vectors"], "encoder"), sign), 1.4, 0.8),
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


def _mean(values: np.ndarray) -> float:
    """The mean size of its numbers."""
    return float(np.abs(values).mean())


def _root(v: TokensStoryValues) -> str:
    return f"√{v.d_model} = {number(math.sqrt(v.d_model), 3)}"


def _factor(v: TokensStoryValues, stage: Stage, y: float) -> Word:
    x, size = (0.12 * stage.width, 26) if stage.wide else (0.14 * stage.width, 15)
    return Word("factor", x, y, f"× {_root(v)}", size=size, weight=600, color="encoder")


def twice(v: TokensStoryValues, stage: Stage) -> Told:
    """A sentence in which a word stands twice; its first strip is laid beside the second."""
    looked = v.twice
    at = actors.row_of(looked, stage)
    one, again = v.twins
    shown = actors.table_at(stage).shown
    words, ids, y = (56.0, 110.0, 146.0) if stage.wide else (60.0, 124.0, 164.0)
    tall, apart = 70.0, 82.0
    still = [
        *actors.words(v, looked, at, words, v.twins, "again"),
        *actors.ids(looked, at, ids, v.twins, name="number"),
    ]
    strips: list[Actor] = [
        actors.strip(
            f"twice {n}", at, n, looked.vectors, y, tall, shown, rim="chosen" if n in v.twins else "",
            born=f"vector {min(n, len(v.sentence.tokens) - 1)}",
        )
        for n in range(len(looked.tokens))
    ]  # fmt: skip
    laid = actors.strip("laid", at, again, looked.vectors[[one] * len(looked.tokens)], y + apart, tall, shown,
        rim="chosen", born=f"twice {one}")  # fmt: skip
    difference = float(np.abs(looked.vectors[one] - looked.vectors[again]).max())
    text = v.say("story.difference", difference=number(difference, 2))
    size = fitting([text], stage.width - 20, 20 if stage.wide else 16)
    wide = size * actors.widest([text])
    x = min(max(at.columns[again], wide / 2 + 8), stage.width - wide / 2 - 8)
    name = Word("difference", x, y + apart + tall + 28, text, size=size, weight=600)
    beats = (
        Beat(tuple(still), 0.6, 0.4),
        Beat((*still, *strips), 0.7, 0.6),
        Beat((*still, *strips, laid), 1.2, 0.3),
        Beat((*still, *strips, laid, name), 0.5, 0.6),
    )
    said = {"word": looked.words[one], "id": looked.tokens[one], "difference": number(difference, 2)}
    link = _link(v, "", True) | {"src": v.twice_text, "repeated": v.twice_text, "open": "equal_rows"}
    return Told(beats, v.twice_origin, said, link)
