"""What the model makes of the sentences at a moment, what a head looks at, and where the embeddings lie."""

import math
from collections.abc import Mapping, Sequence
from itertools import compress

import numpy as np

from transformer_core.training.probing import watched_of
from ui.chapters.training.lapse.numbers import LEAST
from ui.chapters.training.lapse.values import Area, LapseLayout, LapseValues, Moments
from ui.chapters.training.pictures import probe_labels
from ui.chapters.training.values import reference_of
from ui.figures.actors import Actor, Box, Cloud, Grid, Word
from ui.figures.markup import right_to_left
from ui.sections.scene import breadth, fitting, flowing

GLOSS = 0.68  # of a word's letters those of what it means
SMALLEST = 7  # letters of a sentence
SHRUNK = 0.93


def sentences(v: LapseValues, places: LapseLayout) -> Moments:
    """What the model makes of each watched source, each token in its place: a wrong one, or the right one."""
    left, top, width, height = places.words
    source, target = v.config.vocabularies
    watched = watched_of(v.config)
    right = [[target.every[token] for token in (v.config.answer(one) or ())[1:]] for one in watched]
    given = [
        [[target.every[token] for token in row[: len(words)]] for row in v.history.choices[:, pair].tolist()]
        for pair, words in enumerate(right)
    ]
    widest = [
        [_widest(column, v.glosses) for column in zip(*rows, words, strict=True)]
        for rows, words in zip(given, right, strict=True)
    ]
    tall = 2.5 if any(word in v.glosses for rows in given for row in rows for word in row) else 1.7
    size = places.letters
    while True:
        spots = [flowing(texts, left, left + width, size, 0.8 * size) for texts in widest]
        lines = [spot[-1][1] + 1 if spot else 1 for spot in spots]
        if size <= SMALLEST or sum(1.6 * size + tall * size * count for count in lines) <= height:
            break
        size *= SHRUNK
    spots = [
        _mirrored(spot, texts, left, size) if right_to_left("".join(words)) else spot
        for spot, texts, words in zip(spots, widest, right, strict=True)
    ]
    tops = np.cumsum([top, *(1.6 * size + tall * size * count for count in lines)])
    still: list[Actor] = [
        Word(f"source {pair}", left, y + size / 2, source.text(one), align="left", color="quiet").fit(width, 0.8 * size)
        for pair, (one, y) in enumerate(zip(watched, tops.tolist()))
    ]
    return [
        [
            *still,
            *(
                Word(f"word {pair}.{n}", x, y + 2 * size + tall * size * row, word, size=size, weight=600,
                     color="right" if word == right[pair][n] else "wrong", gloss=v.glosses.get(word, ""))
                for pair, y in enumerate(tops[:-1].tolist())
                for n, (word, (x, row)) in enumerate(zip(given[pair][now], spots[pair], strict=True))
            ),
        ]
        for now in range(len(v.at))
    ]  # fmt: skip


def _mirrored(
    spots: list[tuple[float, int]], texts: Sequence[str], left: float, size: float
) -> list[tuple[float, int]]:
    end = max((x + size * breadth(text) / 2 for (x, _), text in zip(spots, texts)), default=left)
    return [(left + end - x, line) for x, line in spots]


def _widest(words: Sequence[str], glosses: Mapping[str, str]) -> str:
    """Letters that take as much room as the widest of these words, or of what they mean."""
    wide = max(max(breadth(word), GLOSS * breadth(glosses.get(word, ""))) for word in words)
    return "x" * math.ceil(wide / breadth("x"))


def attention(v: LapseValues, places: LapseLayout) -> Moments:
    """What one head looks at, with a frame around the cells of what it is to find, and how much those have."""
    left, top, width, height = places.map
    sources, predicted = probe_labels(v.config)
    layer, head = v.head
    wanted = reference_of(v.config)
    rows, size = len(predicted), 0.7 * places.letters
    named = places.stage.wide
    beside = size * max(map(breadth, predicted)) + 8 if named else 0.0
    above = 2.6 * size + (size if named else 0)
    cell = min((width - beside) / len(sources), (height - above) / rows)
    x, y = left + beside, top + above
    still: list[Actor] = [
        Word("head", left, top + size / 2, v.say("label.map", layer=layer, head=head), size=size, weight=600,
             align="left", color="decoder"),
        *(
            Box(f"wanted {row}.{n}", x + n * cell, y + row * cell, cell, cell, color="right", filled=False, level=1)
            for row, n in np.argwhere(wanted).tolist()
        ),
    ]  # fmt: skip
    if named:
        still += _along("column", sources, cell, x, y, size, upright=False)
        still += _along("row", predicted, cell, x, y, size, upright=True)
    found = wanted.any(-1)
    moments: Moments = []
    for weights in v.history.cross_attention[:, layer, head].astype(float):
        shown = np.round(weights, 3)
        drawn = [*still, Grid("map", x, y, cell * len(sources), cell * rows, shown, shares=True, rim="decoder")]
        if found.any():
            share = 100 * float((weights * wanted).sum(-1)[found].mean())
            drawn.append(Word("aligned", left, top + 1.7 * size, v.say("lapse.aligned"), value=share, size=0.9 * size,
                              align="left", color="right"))  # fmt: skip
        moments.append(drawn)
    return moments


def _along(
    which: str, names: Sequence[str], cell: float, x: float, y: float, size: float, *, upright: bool
) -> list[Actor]:
    """The names of rows, left of them, or of columns above, as small as they have to be, if they can be read then."""
    least = min(size, cell) if upright else fitting(names, cell - 1, size, 1)
    if least < LEAST:
        return []
    return [
        Word(f"{which} {n}", x - 5, y + (n + 0.5) * cell, name, size=least, align="right")
        if upright
        else Word(f"{which} {n}", x + (n + 0.5) * cell, y - 0.6 * size, name, size=least)
        for n, name in enumerate(names)
    ]


def embeddings(v: LapseValues, places: LapseLayout) -> Moments:
    """Each token where its embedding lies in the plane in which the last ones differ most; what stands in the watched
    sources is set off. The wider axis runs along the longer side, and a unit is as long on both."""
    left, top, width, height = places.cloud
    size = 0.7 * places.letters
    letters = 0.8 * size if len(v.tokens) > 20 else 1.1 * size
    room = Area(left, top + 2.6 * size, width, height - 2.6 * size)
    points = v.projection.of(v.history.embedded)  # (k, tokens, 2)
    if room.height > room.width:
        points = points[..., ::-1]
    half = letters * max(map(breadth, v.tokens)) / 2, 0.6 * letters
    spread = np.abs(points).max(axis=(0, 1))
    unit = min(
        (side / 2 - edge) / reach for side, edge, reach in zip((room.width, room.height), half, spread) if reach
    ) if spread.any() else 0.0  # fmt: skip
    places_ = np.round(points * np.array([unit, -unit]), 1)
    x, y = left + room.width / 2, room.top + room.height / 2
    title = Word("name cloud", left, top + size / 2, v.say("lapse.embedded"), size=size, weight=600, align="left",
                 color="encoder")  # fmt: skip
    groups = [("watched", v.watched, 600, "encoder"), ("others", ~v.watched, 400, "quiet")]
    return [
        [
            title,
            Word("share", left, top + 1.7 * size, v.say("lapse.share"), value=100 * v.projection.share(embedded),
                 size=0.9 * size, align="left", color="quiet"),
            *(
                Cloud(name, x, y, now[which], tuple(compress(v.tokens, which)), size=letters, weight=bold, color=color)
                for name, which, bold, color in groups
                if which.any()
            ),
        ]
        for now, embedded in zip(places_, v.history.embedded, strict=True)
    ]  # fmt: skip
