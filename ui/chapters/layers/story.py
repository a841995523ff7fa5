"""Layers told: a strip rides on a belt, sub-layers add to it, LayerNorm sets its size; then the belt is unhooked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ui.chapters.layers.story_values import NORM, SHOWN, UNHOOKED, LayersStoryValues
from ui.figures import number
from ui.figures.actors import Actor, Beat, Box, Grid, Line, Stage, Word
from ui.sections.scene import Columns, Told, adding, breadth, end_of, fitting, flowing, sizes, story

COLORS = {"attention": "attention", "network": "decoder", "embedding": "text", "code": "text"}


BELT = sizes(
    left=(210, 96),  # of the strips
    wide=(470, 162),
    tall=(60, 54),
    first=(90, 96),  # the height of the first strip, and from one to the next
    apart=(116, 122),
    figure=(54, 40),  # beside a length: its room, its letters
    letters=(17, 11),
)


@dataclass(frozen=True)
class BeltLayout:
    """Strips one below the other on a belt, a name before each and its length behind it."""

    stage: Stage
    longest: float  # of the vectors whose lengths are compared
    end: float  # of the scale of their numbers

    @property
    def sizes(self) -> Any:
        return BELT.on(self.stage)

    def y(self, row: float) -> float:
        return self.sizes.first + self.sizes.apart * row

    def strip(self, name: str, row: float, values: np.ndarray, rim: str = "", born: str = "", into: str = "") -> Grid:
        y, shown = self.y(row) - self.sizes.tall / 2, values[None, :SHOWN]
        at = self.sizes
        return Grid(name, at.left, y, at.wide, at.tall, shown, end=self.end, rim=rim, born=born, into=into)

    def named(self, name: str, row: int, text: str, color: str = "text", weight: int = 400) -> Word:
        word = Word(name, self.sizes.left - 14, self.y(row), text, color=color, weight=weight, align="right")
        return word.fit(self.sizes.left - 34, 21, 8)

    def length(self, name: str, row: float, values: np.ndarray, color: str) -> list[Actor]:
        left = self.sizes.left + self.sizes.wide + 12
        room = self.stage.width - left - self.sizes.figure
        long = float(np.linalg.norm(values))
        y = self.y(row)
        size = self.sizes.letters
        reach = max(1.0, room * long / (self.longest or 1.0))
        return [
            Box(f"length {name}", left, y - 10, reach, 20, color=color),
            Word(f"figure {name}", left + reach + 6, y, number(long, 3), size=size, align="left", color=color),
        ]

    def rail(self, v: LayersStoryValues) -> list[Actor]:
        top, end = self.y(0) - self.sizes.tall / 2 - 14, self.y(2) + self.sizes.tall / 2 + 22
        lines: list[Actor] = [
            Line(f"rail {side}", at, top, at, end, color="encoder", width=2.5, arrow=True)
            for side, at in (("left", self.sizes.left - 8), ("right", self.sizes.left + self.sizes.wide + 8))
        ]
        return [*lines, *self.heading(v)]

    def heading(self, v: LayersStoryValues) -> list[Actor]:
        left, y = self.sizes.left + self.sizes.wide + 14, self.y(0) - self.sizes.tall / 2 - 6
        heading = Word("heading", left, y, v.say("story.length"), align="left", color="quiet")
        return [heading.fit(self.stage.width - left - 6, 15, 8)]


def _first(v: LayersStoryValues, stage: Stage) -> BeltLayout:
    """What the first layer's sums are drawn to."""
    drawn = np.concatenate([v.stops[:3], v.added[:2], v.embedding[None], v.code[None]])
    longest = float(np.linalg.norm(drawn, axis=1).max())
    return BeltLayout(stage, longest, end_of(drawn))


def belt(v: LayersStoryValues, stage: Stage) -> Told:
    at = _first(v, stage)
    word = at.named("word", 2, v.word, "encoder", 600)
    size, columns = fitting(v.words, stage.width / len(v.words) - 4, 20, 6), Columns(len(v.words), 8, stage.width - 8)
    row = columns.words("word", v.words, 30, size, glosses=stage.of(v.glosses, {}))
    row[v.row] = replace(row[v.row], name="word").lit(True, "encoder")
    names = [at.named("name embedding", 0, v.say("story.embedding")), at.named("name code", 1, v.say("story.place"))]
    start = at.strip("x 0", 2, v.stops[0], "encoder", born="embedding")
    lengths = [*at.length("embedding", 0, v.embedding, "quiet"), *at.length("code", 1, v.code, "quiet")]
    embedding = at.strip("embedding", 0, v.embedding, born="word")
    code = at.strip("code", 1, v.code)
    beats = (
        Beat(tuple(row), 0.6, 0.5),
        Beat((word, embedding, names[0], *lengths[:2], *at.heading(v)), 0.8, 0.4),
        Beat((word, embedding, code, *names, *lengths, *at.heading(v)), 0.6, 0.4),
        Beat(
            (word, embedding, code, start, *names, *lengths, *at.length("x 0", 2, v.stops[0], "encoder"), *at.rail(v)),
            0.8,
            0.6,
        ),
    )
    said = {"word": v.word, "d": v.stops.shape[1], "length": number(float(np.linalg.norm(v.stops[0])), 3)}
    origin = v.origin("src_embed.0.output, src_embed.1.code, encoder.layers.0.sublayer.0.input")
    return Told(beats, origin, said, _sum(v, 0))


def _sum(v: LayersStoryValues, place: int) -> dict[str, str]:
    return {"open": "sum", "sum_place": str(place), "sum_cell": f"sum.{v.row}.0"}


def _added(v: LayersStoryValues, stage: Stage, place: int) -> tuple[tuple[Beat, ...], dict[str, object]]:
    """x, and what a sub-layer adds: `place` is 0 for attention, 1 for the network. Of post-norm, before LayerNorm."""
    at, which = _first(v, stage), ("attention", "network")[place]
    color = COLORS[which]
    x, branch = v.stops[place], v.added[place]
    total = x + branch
    still = [
        at.strip(f"x {place}", 0, x, "encoder"),
        at.named("word", 0, v.word, "encoder", 600),
        *at.length(f"x {place}", 0, x, "encoder"),
    ]
    name = at.named(f"name {which}", 1, f"+ {v.say(f'story.{which}_name')}", color)
    part = at.strip(f"added {place}", 1, branch, color, born=f"name {which}")
    result = at.strip(f"x {place + 1}", 2, total, "encoder", born=f"x {place}")
    equals = at.named("equals", 2, "=", "encoder", 600)
    drop = at.strip(f"drop {place}", 2, branch, color, born=f"added {place}")
    lengths = at.length(f"added {place}", 1, branch, color)
    beats = (
        Beat((*still, *at.rail(v)), 0.5, 0.2),
        Beat((*still, name, *at.rail(v)), 0.3, 0.1),
        Beat((*still, name, part, *lengths, *at.rail(v)), 0.7, 0.3),
        Beat((*still, name, part, drop, equals, *lengths, *at.rail(v)), 0.6, 0.1),
        Beat(
            (*still, name, part, result, equals, *lengths, *at.length(f"x {place + 1}", 2, total, "encoder"),
             *at.rail(v)),
            0.6,
            0.6,
        ),
    )  # fmt: skip
    sizes = {"before": x, "added": branch, "after": total}
    return beats, {name: number(float(np.linalg.norm(one)), 3) for name, one in sizes.items()}


def attention(v: LayersStoryValues, stage: Stage) -> Told:
    beats, said = _added(v, stage, 0)
    return Told(
        beats, v.origin("encoder.layers.0.sublayer.0.(input, branch, sum)"), said | {"word": v.word}, _sum(v, 0)
    )


def network(v: LayersStoryValues, stage: Stage) -> Told:
    beats, said = _added(v, stage, 1)
    said |= {"word": v.word, "sums": len(v.added)}
    return Told(beats, v.origin("encoder.layers.0.sublayer.1.(input, branch, sum)"), said, _sum(v, 1))


MOST = 9  # words whose strips have room


def norm(v: LayersStoryValues, stage: Stage) -> Told:
    """Of every word, before and after the same LayerNorm; its learned gain and shift are left out."""
    steps = getattr(v.norm, v.own)
    x, after = v.norm.x.numpy(), steps.normalised.numpy()
    first = max(0, min(v.row - MOST // 2, len(x) - MOST))
    rows = range(first, min(first + MOST, len(x)))
    correction = 1 if v.own == "notes" else 0
    spreads, set_to = (one.std(axis=1, ddof=correction) for one in (x, after))
    end = end_of(x)
    left, wide = stage.of((150, 560), (74, 186))
    step = min(42.0, (stage.height - 34) / len(rows))
    tall, highest = 0.74 * step, max(float(spreads.max()), float(set_to.max()))
    size = fitting(v.words, left - 22, min(18, 0.62 * step), 6)
    room = stage.width - left - wide - stage.of(72, 46)

    def drawn(table: np.ndarray, spread: np.ndarray) -> list[Actor]:
        shown: list[Actor] = []
        for place, row in enumerate(rows):
            y, lit = 26 + step * (place + 0.5), row == v.row
            name = "word" if lit else f"word {row}"
            shown.append(Word(name, left - 12, y, v.words[row], size=size, align="right").lit(lit, "encoder"))
            strip = "x 1" if lit else f"strip {row}"
            shown.append(
                Grid(strip, left, y - tall / 2, wide, tall, table[None, row, :SHOWN], end=end,
                     rim="encoder" if lit else "")
            )  # fmt: skip
            reach = max(1.0, room * float(spread[row]) / highest)
            shown.append(Box(f"spread {row}", left + wide + 10, y - 6, reach, 12, color="encoder"))
            figure = Word(f"figure {row}", left + wide + 16 + reach, y, number(float(spread[row]), 3),
                          size=stage.of(14, 10), align="left", color="encoder")  # fmt: skip
            shown.append(figure)
        text = v.say("story.spread")
        most = stage.width - left - wide - 14
        shown.append(Word("spread", left + wide + 10, 14, text, color="quiet", align="left").fit(most, 14, 8))
        return shown

    beats = (Beat(tuple(drawn(x, spreads)), 0.6, 0.9), Beat(tuple(drawn(after, set_to)), 1.2, 0.6))
    said = {"least": number(float(spreads.min()), 3), "most": number(float(spreads.max()), 3)}
    origin = v.at_hand.provenance(f"{NORM.path}.norm.(input, normalised)", *x.shape)
    link = {"place": "1", "formula": v.own, "norm_cell": f"out.{v.row}.0"}
    return Told(beats, origin, said, link, "" if v.first else "after")


def shown_at(stops: int, most: int) -> Sequence[int]:
    """Which stops are drawn where there is room for so many: the first, the last, and others evenly."""
    return sorted({round(at) for at in np.linspace(0, stops - 1, min(stops, most))})


# The residuals of the encoder are taken away: what becomes of the word, and of the output.

STOPS = 5  # that have room
LINES = 3  # of an output, on the narrow stage


def fading(v: LayersStoryValues, stage: Stage) -> Told:
    """The strip at each stop with the belt on the left, without it on the right, and how like its start it is."""
    stops = shown_at(len(v.stops), STOPS)
    names = [
        v.say("story.start"),
        *(v.say(f"story.{('attention', 'network')[at % 2]}_name") for at in range(len(v.added))),
    ]
    left, figure = stage.of((130, 62), (58, 40))
    half = (stage.width - left) / 2
    tall = min(76.0, (stage.height - 76) / len(stops) - 22)
    step = (stage.height - 76) / len(stops)
    wide = half - figure - 22
    end = end_of(v.stops, v.unhooked)
    size = fitting(names, left - 12, 16, 7)
    sides = {"hooked": (v.stops, v.like, "encoder"), "unhooked": (v.unhooked, v.like_unhooked, "wrong")}

    def y(place: int) -> float:
        return 66 + step * (place + 0.5)

    labels: list[Actor] = [
        Word(f"stop {at}", left - 10, y(place), names[at], size=size, align="right", color="quiet")
        for place, at in enumerate(stops)
    ]
    word = Word("word", left - 10, 24, v.word, weight=600, color="encoder", align="right").fit(left - 12, 19, 8)

    def side(which: str, upto: int) -> list[Actor]:
        table, like, color = sides[which]
        x = left + (0 if which == "hooked" else half)
        text = v.say(f"story.{which}")
        shown: list[Actor] = [
            Word(f"side {which}", x + wide / 2, 24, text, color=color).fit(half - 12, 17, 8),
            Word(f"like {which}", x + wide + 8, 48, v.say("story.like"), align="left",
                 color="quiet").fit(half - wide - 10, 13, 7),
        ]  # fmt: skip
        for place, at in enumerate(stops[:upto]):
            before = f"{which} {stops[place - 1]}" if place else ("hooked 0" if which == "unhooked" else "x 2")
            shown.append(
                Grid(f"{which} {at}", x, y(place) - tall / 2, wide, tall, table[None, at, :SHOWN], end=end, rim=color,
                     born=before)
            )  # fmt: skip
            reach = max(1.0, figure * abs(float(like[at])))
            shown.append(Box(f"bar {which} {at}", x + wide + 8, y(place) + 4, reach, 9, color=color))
            shown.append(
                Word(f"share {which} {at}", x + wide + 8, y(place) - 8, number(float(like[at]), 2),
                     size=stage.of(15, 12), align="left", color=color)
            )  # fmt: skip
        return shown

    full = side("hooked", len(stops))
    bare = (side("unhooked", upto) for upto in range(1, len(stops) + 1))
    pace = 2.4 / len(stops)
    beats = [Beat((word, *labels, *full), 0.6, 0.6), *(Beat((word, *labels, *full, *one), pace, 0.1) for one in bare)]
    with_it, without = float(v.like[-1]), float(v.like_unhooked[-1])
    said = {"word": v.word, "hooked": number(with_it, 2), "unhooked": number(without, 2), "sums": len(v.added)}
    link = {"open": "stream", "stream": "encoder"}
    origin = v.origin(f"encoder.layers.*.sublayer.*.output, without_residual × {len(v.added)}")
    return Told(tuple(beats), origin, said, link, "" if abs(without) < abs(with_it) else "kept")


def output(v: LayersStoryValues, stage: Stage) -> Told:
    left, right = 24, stage.width - 24
    spoken = {"source": v.words, "hooked": v.before, "unhooked": v.after}
    colors = {"source": "quiet", "hooked": "encoder", "unhooked": "wrong"}
    size = min(_size(texts, right - left, stage) for texts in spoken.values())
    places = {which: flowing(texts, left + 0.5 * size, right, size, 1.5 * size) for which, texts in spoken.items()}
    lines = {which: 1 + of[-1][1] for which, of in places.items()}
    deep = 1.7 * size + stage.of(22, 12)  # of a line of chips, with glosses
    rest = (stage.height - deep * sum(lines.values())) / 3
    drawn: dict[str, list[Actor]] = {}
    top = 0.0
    for which, texts in spoken.items():
        heading = v.say(f"story.{which}")
        name, color = f"side {which}", colors[which]
        drawn[which] = [
            Word(name, left, top + rest / 2, heading, size=16, color=color, align="left"),
            *(
                Word(f"{which} word {at}", x, top + rest + (down + 0.3) * deep, text, size=size, chip=color,
                     gloss=v.glosses.get(text, ""), born=name)
                for at, (text, (x, down)) in enumerate(zip(texts, places[which]))
            ),
        ]  # fmt: skip
        top += rest + deep * lines[which]
    source, hooked, unhooked = drawn.values()
    beats = adding((source, 0.5, 0.2), (hooked, 0.7, 0.5), (unhooked, 0.9, 0.6))
    origin = v.at_hand.provenance(f"greedy_decode, without_residual × {len(v.added)}", len(v.after))
    words = "same" if v.before == v.after else ""
    return Told(beats, origin, {"sums": len(v.added)}, {"open": "stream", "stream": "encoder"}, words)


def _size(texts: list[str], room: float, stage: Stage) -> float:
    """Of letters at which the chips of a line have room: one line on the wide stage, LINES on the narrow one."""
    total = sum(breadth(text) + 1.5 for text in texts)
    most, lines = stage.of((24.0, 1), (14.0, LINES))
    return max(8.0, min(most, 0.92 * lines * room / total))


STORY = story(
    LayersStoryValues,
    (belt, attention, norm, network, fading, output),
    {"network": UNHOOKED},
    poster=attention,
)
