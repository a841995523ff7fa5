"""What the model makes of the sentences at a moment, what a head looks at, and where the embeddings lie."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from transformer_core.training.probing import watched_of
from ui.chapters.training.lapse.numbers import LEAST
from ui.chapters.training.lapse.values import Moments, Place, Places, Values
from ui.chapters.training.pictures import probe_labels
from ui.chapters.training.values import reference_of
from ui.figures.actors import Cloud
from ui.figures.markup import right_to_left
from ui.scene import Actor, Box, Grid, Word, breadth, fitting, flowing

GLOSS = 0.68  # of a word's letters those of what it means
SMALLEST = 7  # letters of a sentence
SHRUNK = 0.93


def sentences(v: Values, places: Places) -> Moments:
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
    read = [source.text(one) for one in watched]
    still: list[Actor] = [
        Word(name=f"source {pair}", x=left, y=y + 0.5 * size, text=text, size=fitting([text], width, 0.8 * size),
             align="left", color="quiet")
        for pair, (text, y) in enumerate(zip(read, tops.tolist()))
    ]  # fmt: skip
    return [
        [
            *still,
            *(
                Word(
                    name=f"word {pair}.{n}", x=x, y=y + 2 * size + tall * size * row, text=word, size=size, weight=600,
                    color="right" if word == right[pair][n] else "wrong", gloss=v.glosses.get(word, ""),
                )
                for pair, y in enumerate(tops[:-1].tolist())
                for n, (word, (x, row)) in enumerate(zip(given[pair][now], spots[pair], strict=True))
            ),
        ]
        for now in range(len(v.at))
    ]  # fmt: skip


def _mirrored(
    spots: list[tuple[float, int]], texts: Sequence[str], left: float, size: float
) -> list[tuple[float, int]]:
    """Places of texts as `flowing` found them, from right to left: the first where the longest line ended."""
    end = max((x + size * breadth(text) / 2 for (x, _), text in zip(spots, texts)), default=left)
    return [(left + end - x, line) for x, line in spots]


def _widest(words: Sequence[str], glosses: Mapping[str, str]) -> str:
    """Letters that take as much room as the widest of these words, or of what they mean."""
    wide = max(max(breadth(word), GLOSS * breadth(glosses.get(word, ""))) for word in words)
    return "x" * math.ceil(wide / breadth("x"))


def attention(v: Values, places: Places) -> Moments:
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
        Word(name="head", x=left, y=top + 0.5 * size, text=v.say("label.map", layer=layer, head=head), size=size,
             weight=600, align="left", color="decoder"),
        *(
            Box(name=f"wanted {row}.{column}", x=x + column * cell, y=y + row * cell, width=cell, height=cell,
                color="right", filled=False, level=1)
            for row, column in np.argwhere(wanted).tolist()
        ),
    ]  # fmt: skip
    if named:
        still += _along("column", sources, cell, x, y, size, upright=False)
        still += _along("row", predicted, cell, x, y, size, upright=True)
    found = wanted.any(-1)
    moments: Moments = []
    for maps in v.history.cross_attention.astype(float):
        drawn: list[Actor] = [
            *still,
            Grid(
                "map",
                x,
                y,
                cell * len(sources),
                cell * rows,
                np.round(maps[layer, head], 3),
                shares=True,
                rim="decoder",
            ),
        ]
        if found.any():
            share = 100 * float((maps[layer, head] * wanted).sum(-1)[found].mean())
            drawn.append(Word(name="aligned", x=left, y=top + 1.7 * size, text=v.say("lapse.aligned"), value=share,
                              digits=2, size=0.9 * size, align="left", color="right"))  # fmt: skip
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
        Word(name=f"{which} {n}", x=x - 5, y=y + (n + 0.5) * cell, text=name, size=least, align="right")
        if upright
        else Word(name=f"{which} {n}", x=x + (n + 0.5) * cell, y=y - 0.6 * size, text=name, size=least)
        for n, name in enumerate(names)
    ]


def embeddings(v: Values, places: Places) -> Moments:
    """Each token where its embedding lies in the plane in which the last ones differ most; what stands in the watched
    sources is set off. The wider axis runs along the longer side, and a unit is as long on both."""
    left, top, width, height = places.cloud
    size = 0.7 * places.letters
    letters = 0.8 * size if len(v.tokens) > 20 else 1.1 * size
    room = Place(left, top + 2.6 * size, width, height - 2.6 * size)
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
    title = Word(name="name cloud", x=left, y=top + 0.5 * size, text=v.say("lapse.embedded"), size=size, weight=600,
                 align="left", color="encoder")  # fmt: skip
    groups = [(name, np.flatnonzero(which)) for name, which in (("watched", v.watched), ("others", ~v.watched))]
    return [
        [
            title,
            Word(name="share", x=left, y=top + 1.7 * size, text=v.say("lapse.share"),
                 value=100 * v.projection.share(v.history.embedded[now]), digits=2, size=0.9 * size, align="left",
                 color="quiet"),
            *(
                Cloud(name=name, x=x, y=y, points=places_[now, which], texts=tuple(v.tokens[at] for at in which),
                      size=letters, weight=600 if name == "watched" else 400,
                      color="encoder" if name == "watched" else "quiet")
                for name, which in groups
                if len(which)
            ),
        ]
        for now in range(len(v.at))
    ]  # fmt: skip
