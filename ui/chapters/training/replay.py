"""A run told once more in five seconds, from what it has recorded: on the client, with the means of a story."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import History
from transformer_core.training.probing import FOLLOWED, probe_of
from ui.chapters.training.figures.dial import reach, tip
from ui.chapters.training.pictures import probe_labels
from ui.chapters.training.recipe import Run
from ui.chapters.training.telling import about
from ui.chapters.training.values import best_aligned, reference_of
from ui.figures.actors import Actor, Beat, Curve, Dot, Grid, Line, Stage, Word
from ui.figures.staging import breadth, fitting, flowing
from ui.frame.chapter import Chapter
from ui.frame.fragment import run_page
from ui.page.story import Scene, Told, tell_once
from ui.reading.gloss import glosses_for
from ui.text import Words

MOMENTS, SECONDS, SLOWEST = 41, 4.8, 0.4  # records that are told, at most; of all glides, and of one
READ = 6  # the smallest letters that are read
GLOSS = 0.68  # of a word's letters those of what it means
ARC = np.linspace(-1, 1, 25)  # places on the dial's scale


@dataclass(frozen=True)
class Values:
    say: Words
    config: TrainConfig
    history: History
    glosses: Mapping[str, str]

    @property
    def records(self) -> list[int]:
        """Of the records of the probe, evenly some: the first and the last are among them."""
        count = len(self.history.probe_step)
        return sorted({round(at) for at in np.linspace(0, count - 1, min(count, MOMENTS))})

    @property
    def at(self) -> np.ndarray:
        """The reports of these records."""
        return np.searchsorted(self.history.step, self.history.probe_step[self.records])


@dataclass(frozen=True)
class _Places:
    """Left, top, width and height of the parts, and the size of their letters."""

    curve: tuple[float, float, float, float]
    dial: tuple[float, float, float]  # its centre and radius
    words: tuple[float, float, float, float]
    map: tuple[float, float, float, float]  # with the names of its rows and columns
    letters: float


WIDE_PLACES = _Places((36, 64, 330, 130), (486, 176, 70), (36, 250, 530, 140), (600, 40, 348, 350), 18)
NARROW_PLACES = _Places((10, 46, 200, 74), (286, 104, 50), (10, 156, 340, 110), (10, 276, 340, 148), 14)


def _told(values: Values, stage: Stage) -> Told:
    places = WIDE_PLACES if stage.wide else NARROW_PLACES
    drawn = (_curve(values, places), _dial(values, places), _words(values, places), _map(values, places, stage.wide))
    records = values.records
    glide = min(SLOWEST, SECONDS / max(1, len(records) - 1))
    beats = [
        Beat(tuple(actor for part in drawn for actor in part[moment]), 0.6 if moment == 0 else glide, 0.0)
        for moment in range(len(records))
    ]
    config, history = values.config, values.history
    origin = f"History · {len(records)} / {len(history.step)} · {FOLLOWED}[0, 0] · seed {config.seed}"
    return Told(tuple(beats), origin, about(values.say, config, history, int(history.probe_step[-1])))


def _curve(v: Values, places: _Places) -> list[list[Actor]]:
    """The loss up to each moment: its points are all there, and those to come wait at its end."""
    left, top, width, height = places.curve
    steps, loss = v.history.step[v.at].astype(float), v.history.loss[v.at].astype(float)
    guess = guess_of(v.config)
    high = max(guess, float(loss.max()))
    x, y = width * steps / max(1.0, steps[-1]), -height * loss / high
    base, level = top + height, top + height * (1 - guess / high)
    size, right = places.letters, left + width
    still = [
        Line(name="axis", x=left, y=base, to_x=right, to_y=base, color="grid"),
        Line(name="guess", x=left, y=level, to_x=right, to_y=level, color="quiet", dashed=True),
        Word(
            name="name guess", x=right, y=level - 0.45 * size, text=v.say("replay.guess"), size=0.65 * size,
            color="quiet", align="right",
        ),
    ]  # fmt: skip
    moments: list[list[Actor]] = []
    for now in range(len(steps)):
        there = np.minimum(np.arange(len(steps)), now)
        said = [
            Word(
                name=name, x=left + share * width, y=0.4 * top, text=f"{v.say(f'readout.{name}')} #", value=value,
                digits=digits, size=1.1 * size, weight=600, align="left",
            )
            for name, share, value, digits in (("step", 0.0, steps[now], 1), ("loss", 0.5, loss[now], 2))
        ]  # fmt: skip
        moments.append([
            *still, *said,
            Curve(name="loss curve", x=left, y=base, points=np.stack([x[there], y[there]], 1)),
            Dot(name="loss dot", x=left + x[now], y=base + y[now], radius=4, color="chosen", level=1),
        ])  # fmt: skip
    return moments


def _dial(v: Values, places: _Places) -> list[list[Actor]]:
    x, y, radius = places.dial
    weight = v.history.weight[v.at].astype(float)
    end, size = reach(weight), places.letters
    began = tip(float(weight[0]), end, radius)
    still = [
        Curve(name="scale", x=x, y=y, points=np.array([tip(at, 1, radius) for at in ARC]), color="grid", width=3),
        Line(name="zero", x=x, y=y - radius, to_x=x, to_y=y - 0.85 * radius, color="quiet"),
        Line(
            name="began", x=x + began[0] / 2, y=y + began[1] / 2, to_x=x + began[0], to_y=y + began[1], color="quiet",
            dashed=True,
        ),
        Word(name="name weight", x=x, y=y + 1.9 * size, text=v.say("weight.name"), size=0.75 * size, color="quiet"),
    ]  # fmt: skip
    moments: list[list[Actor]] = []
    for value in weight:
        along, up = tip(float(value), end, radius)
        moments.append([
            *still,
            Line(name="needle", x=x, y=y, to_x=x + along, to_y=y + up, width=3, color="query", level=1),
            Word(name="weight", x=x, y=y + 0.9 * size, value=float(value), digits=3, size=size, weight=600),
        ])  # fmt: skip
    return moments


def _words(v: Values, places: _Places) -> list[list[Actor]]:
    """What the model makes of the probe, each token in its place: a wrong one, or the right one."""
    left, top, width, height = places.words
    source, target = v.config.vocabularies
    probe = probe_of(v.config)
    right = [target.every[token] for token in (v.config.answer(probe) or ())[1:]]
    chosen = v.history.choices[v.records, 0, : len(right)].tolist()
    given = [[target.every[token] for token in row] for row in chosen]
    widest = [_widest(column, v.glosses) for column in zip(*given, right, strict=True)]
    size, line = places.letters, 2.5 * places.letters
    spots = flowing(widest, left, left + width, size, 0.8 * size)
    while size > 7 and 1.6 * size + line * (spots[-1][1] + 0.5) > height:
        size, line = 0.9 * size, 0.9 * line
        spots = flowing(widest, left, left + width, size, 0.8 * size)
    read = source.text(probe)
    title = Word(
        name="source", x=left, y=top, text=read, size=fitting([read], width, 0.85 * size), align="left", color="quiet"
    )
    return [
        [
            title,
            *(
                Word(
                    name=f"word {n}", x=x, y=top + 1.6 * size + line * (row + 0.2), text=word, size=size, weight=600,
                    color="right" if word == right[n] else "wrong", gloss=v.glosses.get(word, ""),
                )
                for n, (word, (x, row)) in enumerate(zip(words, spots, strict=True))
            ),
        ]
        for words in given
    ]  # fmt: skip


def _widest(words: Sequence[str], glosses: Mapping[str, str]) -> str:
    """Letters that take as much room as the widest of these words, or of what they mean."""
    wide = max(max(breadth(word), GLOSS * breadth(glosses.get(word, ""))) for word in words)
    return "x" * math.ceil(wide / breadth("x"))


def _map(v: Values, places: _Places, named: bool) -> list[list[Actor]]:
    """What one head looks at: that which finds most at the end."""
    left, top, width, height = places.map
    sources, predicted = probe_labels(v.config)
    layer, head, _ = best_aligned(v.history.cross_attention[-1], reference_of(v.config))
    rows, size = len(predicted), 0.7 * places.letters
    beside = size * max(map(breadth, predicted)) + 8 if named else 0.0
    above = 1.6 * size + (size if named else 0)
    cell = min((width - beside) / len(sources), (height - above) / rows)
    x, y = left + beside + (0 if named else (width - cell * len(sources)) / 2), top + above
    still: list[Actor] = [
        Word(
            name="head", x=x, y=top, text=v.say("label.map", layer=layer, head=head), size=size, weight=600,
            align="left", color="decoder",
        )
    ]  # fmt: skip
    if named:
        still += _along("column", sources, cell, x, y, size, upright=False)
        still += _along("row", predicted, cell, x, y, size, upright=True)
    return [
        [
            *still,
            Grid(
                name="map", x=x, y=y, width=cell * len(sources), height=cell * rows, values=maps[layer, head],
                scale="probability", ends=(0.0, 1.0), rim="decoder",
            ),
        ]
        for maps in v.history.cross_attention[v.records].astype(float)
    ]  # fmt: skip


def _along(
    which: str, names: Sequence[str], cell: float, x: float, y: float, size: float, *, upright: bool
) -> list[Actor]:
    """The names of rows, left of them, or of columns above, as small as they have to be, if they can be read then."""
    least = min(size, cell) if upright else fitting(names, cell - 1, size, 1)
    if least < READ:
        return []
    return [
        Word(name=f"{which} {n}", x=x - 5, y=y + (n + 0.5) * cell, text=name, size=least, align="right")
        if upright
        else Word(name=f"{which} {n}", x=x + (n + 0.5) * cell, y=y - 0.6 * size, text=name, size=least)
        for n, name in enumerate(names)
    ]


REPLAY: Scene[Values] = Scene("replay", _told)


def can_replay(history: History | None) -> bool:
    """Whether there is more to tell than where a run begins."""
    return history is not None and len(history.probe_step) > 1


def replay(chapter: Chapter[Run], config: TrainConfig, history: History) -> None:
    glosses = glosses_for(chapter.lang, *config.vocabularies)
    values = Values(chapter.say, config, history, glosses)
    tell_once(chapter, REPLAY, values, chapter.say("replay.close"), partial(turn, chapter))


def turn(chapter: Chapter[Run]) -> None:
    """Open it, or close it."""
    chapter.put("replay", not chapter.settings.replay)
    run_page()
