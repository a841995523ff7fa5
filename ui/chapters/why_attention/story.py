"""Why attention, told: how many steps the first word of a sentence is from the last one, and what the short way costs.

The ways are found on real layers, by autograd (`heard`); a convolution's gaps widen from layer to layer.
"""

from dataclasses import dataclass, replace

from transformer_core.experiments.complexity import KINDS, Kind, layer_cost
from transformer_core.experiments.reach import heard
from ui.figures import number
from ui.figures.actors import Actor, Beat, Dot, Line, Stage, Word
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, ranked
from ui.sections.scene import Bars, Columns, Told, adding, centres, story
from ui.sections.sequence_fields import source_of
from ui.text import Words

KERNEL = 3
TOKENS, SHOWN = 64, 12  # of a sentence, at most: that are read, that are shown
FEWEST, MOST = 6, 20  # words of the text that is asked about besides
LONG = 4  # times the width: so many positions are far
HOPS = Choice("story_hops", ("all", "half", "one"), right="all")


@dataclass(frozen=True)
class WhyAttentionStoryValues:
    say: Words
    words: list[str]
    steps: dict[Kind, list[list[int]]]  # the positions that the last one hears after each step
    width: int  # d_model

    @property
    def n(self) -> int:
        return len(self.words)

    @property
    def ends(self) -> dict[str, object]:
        return {"first": self.words[0], "last": self.words[-1]}


def values(chapter: AnyChapter) -> WhyAttentionStoryValues | None:
    at_hand = chapter.at_hand
    src = source_of(chapter, TOKENS)
    words = [word for word in at_hand.source.labels(src) if not word.startswith("⟨")][:SHOWN]
    if len(words) < 3:
        words = at_hand.source.labels(src)[:SHOWN]
    if len(words) < 2:
        return None
    steps = {kind: [row.nonzero()[:, 0].tolist() for row in heard(kind, len(words), KERNEL)] for kind in KINDS}
    return WhyAttentionStoryValues(chapter.say, words, steps, at_hand.config.d_model)


def _count(v: WhyAttentionStoryValues, stage: Stage, steps: float, kind: Kind) -> Word:
    """How long the path is by now."""
    return Word("count", stage.width / 2, 46, v.say("story.path"), value=steps, size=24, weight=600, color=kind)


def _words(v: WhyAttentionStoryValues, stage: Stage, y: float) -> list[Actor]:
    words = Columns(v.n, 0, stage.width).words("word", v.words, y, 22, gap=4, alike=False)
    return [word.lit(n == 0, "query").lit(n == v.n - 1, "key") for n, word in enumerate(words)]


def apart(v: WhyAttentionStoryValues, stage: Stage) -> Told:
    y = stage.height / 2
    words, columns = _words(v, stage, y), centres(v.n, 0, stage.width)
    asks = Line("way", columns[0], y - 24, columns[-1], y - 24, bend=-150, color="wrong", width=2, arrow=True)
    mark = Word("mark", stage.width / 2, y - 120, "?", size=34, color="wrong")
    beats = adding((words, 0.6, 0.5), ([replace(asks, dashed=True), mark], 0.8, 0.8))
    return Told(beats, f"{v.n} positions", v.ends, _path(v))


def _path(v: WhyAttentionStoryValues) -> dict[str, str]:
    return {"reach": str(v.n), "reach_kernel": str(KERNEL), "open": "path"}


def recurrent(v: WhyAttentionStoryValues, stage: Stage) -> Told:
    y, columns = stage.height - 70, centres(v.n, 0, stage.width)
    top, words = stage.height / 2 - 20, _words(v, stage, stage.height - 70)
    radius = min(15.0, 0.3 * stage.width / v.n)
    states: list[Actor] = []
    for n, x in enumerate(columns):
        states.append(Dot(f"state {n}", x, top, radius, color="recurrent", filled=False))
        states.append(Line(f"in {n}", x, y - 18, x, top + radius, color="grid"))
        if n:
            before = columns[n - 1] + radius
            states.append(Line(f"hop {n}", before, top, x - radius, top, color="grid", arrow=True))
    # In reverse: after s steps the last one hears the s words before it.
    beats = [Beat((*words, *states), 0.7, 0.3)]
    for n, x in enumerate(columns):
        call = Dot("call", x, top, 0.6 * radius, color="query", level=2, born="word 0")
        beats.append(Beat((*words, *states, call, _count(v, stage, n + 1, "recurrent")), 0.35 if n else 0.6, 0.1))
    steps = len(v.steps["recurrent"])
    return Told(tuple(beats), f'heard("recurrent", {v.n})', {**v.ends, "steps": steps}, _path(v))


def convolution(v: WhyAttentionStoryValues, stage: Stage) -> Told:
    columns, rows = centres(v.n, 0, stage.width), v.steps["convolution"]
    layers = len(rows)
    low, high = stage.height - 100, 90.0
    heights = [low - (low - high) * layer / layers for layer in range(layers + 1)]
    words, radius = _words(v, stage, stage.height - 60), min(7.0, 0.18 * stage.width / v.n)
    nodes: list[Actor] = [
        Dot(f"node {layer}.{n}", x, y, radius, color="grid")
        for layer, y in enumerate(heights)
        for n, x in enumerate(columns)
    ]
    beats = [Beat((*words, *nodes), 0.7, 0.3)]
    lines: list[Actor] = []
    # From the top: what the last position's vector is made of, a layer at a time.
    wanted = {v.n - 1}
    for down in range(layers):
        layer, below = layers - down, set()
        gap = KERNEL ** (layer - 1)
        for n in sorted(wanted):
            for source in (n - gap * tap for tap in range(KERNEL)):
                if source < 0:
                    continue
                below.add(source)
                x, y, to_x, to_y = columns[source], heights[layer - 1], columns[n], heights[layer]
                lines.append(Line(f"tap {layer}.{source}.{n}", x, y, to_x, to_y, color="convolution", width=2))
        wanted = below
        beats.append(Beat((*words, *nodes, *lines, _count(v, stage, down + 1, "convolution")), 0.8, 0.5))
    said = {**v.ends, "steps": layers, "kernel": KERNEL}
    return Told(tuple(beats), f'heard("convolution", {v.n}, {KERNEL})', said, _path(v))


def attention(v: WhyAttentionStoryValues, stage: Stage) -> Told:
    columns, y = centres(v.n, 0, stage.width), stage.height - 70
    words, count = _words(v, stage, y), _count(v, stage, 1.0, "attention")
    reach = 1.1 * (stage.height - 190)
    bends = [-reach * (v.n - 1 - n) / (v.n - 1) for n in range(v.n - 1)]
    every = [
        Line(f"arc {n}", x, y - 20, columns[-1], y - 20, bend=bend, color="attention", width=1.2, born=f"word {n}")
        for n, (x, bend) in enumerate(zip(columns, bends))
    ]
    every[0] = replace(every[0], color="query", width=4, arrow=True)
    beats = (
        Beat(tuple(words), 0.6, 0.3),
        Beat((*words, every[0], count), 0.9, 0.5),
        Beat((*words, *every, count), 0.8, 0.8),
    )
    return Told(beats, f'heard("attention", {v.n})', v.ends, _path(v))


def _cost(v: WhyAttentionStoryValues) -> dict[str, str]:
    return {"n": str(max(4, v.n)), "d": str(min(1024, max(16, v.width))), "kernel": str(KERNEL)}


def price(v: WhyAttentionStoryValues, stage: Stage) -> Told:
    columns, bars = centres(len(KINDS), 40, stage.width - 40), Bars(stage.height - 70, min(90, stage.width / 6), gap=13)
    tall, base = (bars.base - 90) / LONG, bars.base
    names = [
        Word(f"kind {kind}", x, base + 22, v.say(f"kind.{kind}"), color=kind).fit(stage.width / 3.3, 18)
        for kind, x in zip(KINDS, columns)
    ]
    line = Line("base", 30, base, stage.width - 30, base, color="grid")

    def at(n: int) -> list[Actor]:
        costs = {kind: float(layer_cost(kind, n, v.width, KERNEL)) / (n * v.width**2) for kind in KINDS}
        found: list[Actor] = [Word("length", stage.width / 2, 24, v.say("story.length", n=n), size=18, weight=600)]
        for kind, x in zip(KINDS, columns):
            height = tall * costs[kind]
            found.append(bars.bar(f"cost {kind}", x, height, kind))
            found.append(bars.figure(f"figure {kind}", x, height, f"× {number(costs[kind], 2)}", size=16))
        return found

    lengths = [v.n, v.width, LONG * v.width]
    beats = [Beat((*names, line, *at(n)), 1.0, 0.7) for n in lengths]
    said = {"n": v.n, "width": v.width, "long": LONG * v.width, "share": number(v.n / v.width, 2), "times": LONG}
    words = "" if v.n < v.width else "wide"
    return Told(tuple(beats), f"layer_cost(kind, n, {v.width}, {KERNEL}) / n·d²", said, _cost(v), words)


def in_another(v: WhyAttentionStoryValues, seed: int) -> Version | None:
    """In a text of another length."""
    n = FEWEST + (5 * seed) % (MOST - FEWEST + 1)
    n += n == v.n
    states = len(heard("recurrent", n))
    return Version("all", {"n": n, "states": states}, ranked({"one": 1, "half": n // 2, "all": states}))


HOPPED = Inquiry(HOPS, ("memory", "chain", "order"), "chain", in_another)
STORY = story(
    values,
    (apart, recurrent, convolution, attention, price),
    {"apart": HOPPED},
    poster=attention,
)
