"""The backward pass told: one wrong word's gradient, back to the words that were read, and why something arrives."""

import math

import numpy as np

from transformer_core.experiments.passing import a_layer
from transformer_core.experiments.updates import RATE
from ui.chapters.backward.residual import both_ways
from ui.chapters.backward.scale import both_ways as both_scores
from ui.chapters.backward.story_values import HANDED_ON, BackwardStoryValues, values
from ui.figures import number, percent
from ui.figures.actors import Actor, Beat, Dot, Grid, Line, Stage, Word
from ui.sections.scene import Bars, Columns, Told, adding, centres, end_of, story

SHOWN = 12  # words of a sentence, at most
LEFT = 40.0, 12.0  # edge of a strip, on either stage


def _strip(name: str, numbers: np.ndarray, stage: Stage, y: float, color: str, born: str = "") -> Grid:
    left = stage.of(*LEFT)
    return Grid(name, left, y, stage.width - 2 * left, 38, numbers[None], end=end_of(numbers), rim=color, born=born)


def _named(name: str, text: str, stage: Stage, y: float) -> Word:
    left = stage.of(*LEFT)
    return Word(f"name {name}", left, y - 14, text, align="left", color="quiet").fit(stage.width - 2 * left, 15)


def begin(v: BackwardStoryValues, stage: Stage) -> Told:
    """p − t, a number for each word; the right one alone is below 0, and a step goes the other way."""
    y, tall = 70.0, 90.0
    base = stage.height - 60.0 - tall
    order = [int(np.argmin(v.logits)), *np.argsort(-v.logits, kind="stable")[: stage.of(4, 3)].tolist()]
    largest = end_of(v.logits)
    strip = _strip("logits", v.logits, stage, y, "decoder")
    name = _named("logits", v.say("story.logits", count=len(v.logits)), stage, y)
    columns = Columns(len(order), strip.x, strip.x + strip.width)
    step, bars = columns.step, Bars(base, 0.3 * columns.step, gap=14)
    shown: list[Actor] = [columns.base(base)]
    steps: list[Actor] = []
    for rank, (token, x) in enumerate(zip(order, columns.middles)):
        gradient, color = float(v.logits[token]), "right" if rank == 0 else "wrong"
        up = tall * gradient / largest
        word = Word("right" if rank == 0 else f"token {rank}", x, stage.height - 18, v.words[token], color=color)
        figure = bars.figure(f"p−t {rank}", x, up, number(gradient, 2), size=14)
        shown += [bars.bar(f"bar {rank}", x, up, color), figure, word.fit(step - 6, 18).lit(rank == 0)]
        beside = x + 0.3 * step
        steps.append(Line(f"step {rank}", beside, base, beside, base + up, width=3, color=color, arrow=abs(up) > 6))
    away = columns.middles[0] + 0.3 * step + 8
    steps.append(Word("step", away, base - tall / 2, v.say("story.one_step"), align="left").fit(0.5 * step, 15))
    beats = adding(([strip, name, *shown], 0.6, 0.5), (steps, 0.9, 0.8))
    said = {"right": v.right, "p": percent(v.p), "loss": number(v.loss[0], 3), "count": len(v.logits)}
    return Told(beats, f"∂generator.logits · {v.origin}", said, v.take("∂generator.logits"))


def through(v: BackwardStoryValues, stage: Stage) -> Told:
    above, below = 60.0, stage.height - 80.0
    first = _strip("logits", v.logits, stage, above, "decoder")
    second = _strip("decoded", v.decoded, stage, below, "decoder", born="logits")
    names = [
        _named("logits", v.say("story.logits", count=len(v.logits)), stage, above),
        _named("decoded", v.say("story.decoded", count=len(v.decoded)), stage, below + 68),
    ]
    places = centres(SHOWN, first.x, first.x + first.width)
    ways: list[Actor] = [
        Line(f"way {a} {b}", x, above + 40, to, below - 24, color="query", width=0.8, level=-1)
        for a, x in enumerate(places)
        for b, to in enumerate(places)
    ]
    matrix = Word("matrix", stage.width / 2, (above + below) / 2, "W", size=26, weight=600, color="query", chip="query")
    beats = (
        Beat((first, names[0]), 0.5, 0.3),
        Beat((first, names[0], *ways, matrix), 0.8, 0.4),
        Beat((first, *names, *ways, matrix, second), 1.0, 0.8),
    )
    said = {"count": len(v.logits), "d": len(v.decoded)}
    return Told(beats, f"∂generator.logits, ∂decoder.output · {v.origin}", said, v.take("∂decoder.output"))


def both(v: BackwardStoryValues, stage: Stage) -> Told:
    """At a sum the gradient goes both ways, whole; the ways meet where the block began."""
    half, gap = stage.width / 2, stage.of(20.0, 8.0)
    rows = (50.0, stage.height / 2 - 30, stage.height - 90.0)
    total = v.past + v.through
    end = end_of(v.past, v.through, total)

    def strip(name: str, numbers: np.ndarray, x: float, y: float, wide: float, color: str, born: str = "") -> Grid:
        return Grid(name, x, y, wide, 34, numbers[None], end=end, rim=color, born=born)

    def said(name: str, key: str, numbers: np.ndarray, x: float, y: float, wide: float) -> Word:
        text = v.say(f"story.{key}", length=number(float(np.linalg.norm(numbers)), 3))
        return Word(f"name {name}", x + wide / 2, y - 14, text).fit(wide, 15)

    wide, narrow = stage.width - 2 * gap, half - 2 * gap
    top = strip("sum", v.past, gap, rows[0], wide, "decoder")
    left = strip("past", v.past, gap, rows[1], narrow, "right", "sum")
    right = strip("into", v.past, half + gap, rows[1], narrow, "decoder", "sum")
    out = strip("into", v.through, half + gap, rows[1], narrow, "decoder")
    met = strip("met", total, gap, rows[2], wide, "decoder", "past")
    named = [said("sum", "sum", v.past, gap, rows[0], wide), said("past", "past", v.past, gap, rows[1], narrow)]
    made_ = said("into", "into", v.past, half + gap, rows[1], narrow)
    back = said("into", "back", v.through, half + gap, rows[1], narrow)
    beats = (
        Beat((top, named[0]), 0.5, 0.3),
        Beat((top, left, right, *named, made_), 0.9, 0.5),
        Beat((top, left, out, *named, back), 0.9, 0.5),
        Beat((top, left, out, met, *named, back, said("met", "met", total, gap, rows[2], wide)), 0.9, 0.8),
    )
    lengths = {"past": number(float(np.linalg.norm(v.past)), 3), "into": number(float(np.linalg.norm(v.through)), 3)}
    path = next(path for path in reversed(v.places) if path.endswith(".sublayer.2.input"))
    return Told(beats, f"{path.replace('.input', '')}.(skip, norm.input, input) · {v.origin}", lengths, v.take(path))


def memory(v: BackwardStoryValues, stage: Stage) -> Told:
    base, tall = stage.height - 70.0, stage.height - 170.0
    count = min(SHOWN, len(v.sources))
    columns = Columns(count, 20, stage.width - 20)
    bars = Bars(base, 0.5 * columns.step)
    most = int(v.memory.argmax())
    largest = float(v.memory.max()) or 1.0
    row = columns.words("word", v.sources[:count], base + 18, 19, 3, color="encoder")
    words = [word.lit(n == most) for n, word in enumerate(row)]
    source = Dot("wrong", stage.width / 2, 30, 9, color="wrong")
    who = Word("right", stage.width / 2 + 20, 30, v.right, size=18, weight=600, align="left", color="right")
    ways: list[Actor] = [
        Line(f"way {n}", stage.width / 2, 42, x, base - tall * float(share) / largest - 6,
             width=0.5 + 6 * float(share) / largest, color="attention", level=-1)
        for n, (x, share) in enumerate(zip(columns.middles, v.memory))
    ]  # fmt: skip
    ways += [
        bars.bar(f"bar {n}", x, tall * float(share) / largest, "chosen" if n == most else "attention")
        for n, (x, share) in enumerate(zip(columns.middles, v.memory))
    ]
    beats = adding(([*words, source, who], 0.6, 0.4), (ways, 1.0, 0.9))
    share = float(v.memory[most] / v.memory.sum()) if v.memory.sum() > 0 else 0.0
    said = {"most": v.sources[most], "share": percent(share, 0), "rows": v.rows, "vocab": v.vocab}
    return Told(beats, f"|∂encoder.output| · {v.origin}", said, v.take("∂encoder.output"))


def step(v: BackwardStoryValues, stage: Stage) -> Told:
    """One step of all weights: what the gradient predicts, and what comes of it."""
    before, foretold, measured = v.loss
    base, tall = stage.height - 60.0, stage.height - 140.0
    highest = max(before, before + measured, 1e-9)
    shown = (("before", before, "wrong"), ("foretold", max(0.0, before + foretold), "quiet"),
             ("after", max(0.0, before + measured), "right"))  # fmt: skip
    columns = Columns(3, 40, stage.width - 40)
    bars = Bars(base, 0.4 * columns.step, gap=14)
    actors: list[list[Actor]] = []
    for (name, loss, color), x in zip(shown, columns.middles):
        height, below = tall * loss / highest, Word(f"name {name}", x, base + 20, v.say(f"story.{name}"))
        figure = bars.figure(f"loss {name}", x, height, number(loss, 3), size=18, weight=600)
        actors.append([bars.bar(f"bar {name}", x, height, color), figure, below.fit(columns.step - 8, 16)])
    line = Line("base", 20, base, stage.width - 20, base, color="grid")
    beats = adding(([line, *actors[0]], 0.6, 0.4), (actors[1], 0.8, 0.4), (actors[2], 0.8, 0.8))
    said = {"rate": f"{RATE:g}", "foretold": number(foretold, 3), "measured": number(measured, 3)}
    return Told(beats, f"torch.optim.AdamW, 1 step · −ln p · {v.origin}", said, {},
                "" if measured < 0 else "worse")  # fmt: skip


# Two scenes on why something arrives: layers with and without their sums, a softmax with and without its scale.

LAYERS, D_K, SEED = 6, 64, 0
QUERIES = 25, 13  # that are shown on a wide stage, on a narrow one


def deep(v: BackwardStoryValues, stage: Stage) -> Told:
    """What reaches each layer of an untrained decoder, beside what the last one gets; below without its sums."""
    _, kept, lost = both_ways(LAYERS, "decoder", "all", SEED).T
    bases = (0.42 * stage.height, 0.84 * stage.height)
    left = stage.of(*LEFT)
    columns = Columns(LAYERS, left, stage.width - left)
    tall = 0.22 * stage.height / float(kept.max() / kept[-1])
    rows: list[list[Actor]] = []
    for way, norms, base, color in (("with", kept, bases[0], "right"), ("without", lost, bases[1], "wrong")):
        name = v.say(f"story.{way}")
        wide = stage.width - 2 * left
        row: list[Actor] = [
            Word(f"name {way}", left, base - 0.33 * stage.height, name, align="left", color=color,
                 weight=600).fit(wide, 16),
            columns.base(base, f"base {way}"),
        ]  # fmt: skip
        bars = Bars(base, 0.45 * columns.step, gap=11)
        for layer, x in zip(reversed(range(LAYERS)), columns.middles):  # the gradient comes to the last one first
            share = float(norms[layer] / norms[-1])
            figure = bars.figure(f"share {way} {layer}", x, tall * share, number(share, 2), size=14)
            row += [bars.bar(f"{way} {layer}", x, tall * share, color), figure]
        rows.append(row)
    named: list[Actor] = []
    for layer, x in zip(reversed(range(LAYERS)), columns.middles):
        text = v.say("story.layer", n=layer)
        named.append(Word(f"layer {layer}", x, bases[1] + 18, text).fit(columns.step - 4, 14))
    beats = (Beat((*rows[0], *named), 0.8, 0.5), Beat((*rows[0], *rows[1], *named), 0.8, 0.6))
    said = {
        "factor": number(a_layer(lost.tolist()), 2),
        "first": percent(float(lost[0] / lost[-1])),
        "kept": number(float(kept[0] / kept[-1]), 2),
        "layers": LAYERS,
    }
    origin = f"layer_gradients({LAYERS}, 'decoder').all · seed {SEED}"
    return Told(beats, origin, said, {"open": "residual", "ask_sums": "fade"})


def soft(v: BackwardStoryValues, stage: Stage) -> Told:
    """What a softmax hands back to queries, from the one that gets least to the one that gets most, whose bar is full;
    then with scores that are not divided."""
    shares, divided, plain = both_scores(D_K, SEED).T
    count = stage.of(*QUERIES)
    picked = np.linspace(0, len(shares) - 1, count).round().astype(int)
    left, base, tall = stage.of(*LEFT), stage.height - 60.0, stage.height - 150.0
    columns = Columns(count, left, stage.width - left)
    line, bars = columns.base(base), Bars(base, 0.7 * columns.step)
    beats = []
    for way, lengths, color in (("divided", divided, "right"), ("plain", plain, "wrong")):
        name, below = v.say(f"story.{way}", d_k=D_K), v.say("story.queries")
        actors: list[Actor] = [
            line,
            Word("name", left, 26, name, align="left", color=color, weight=600).fit(stage.width - 2 * left, 16),
            Word("below", stage.width / 2, base + 22, below, color="quiet").fit(stage.width - 2 * left, 14),
        ]
        for at, (x, place) in enumerate(zip(columns.middles, picked)):
            height = tall * float(lengths[place] / lengths[-1])
            actors.append(bars.bar(f"query {at}", x, height, color))
            if at in (count // 2, count - 1):
                actors.append(bars.figure(f"length {at}", x, height, number(float(lengths[place]), 2), size=15))
        beats.append(Beat(tuple(actors), 0.8, 0.5))
    least = slice(0, len(shares) // 2)
    said = {
        way: percent(float((lengths[least] ** 2).sum() / (lengths**2).sum()), 1)
        for way, lengths in (("divided", divided), ("plain", plain))
    }
    origin = f"reach({D_K}).queries · seed {SEED}"
    settings = {"open": "scale", "ask_reach": "few"}
    return Told(tuple(beats), origin, {**said, "d_k": D_K, "times": number(math.sqrt(D_K))}, settings)


STORY = story(
    values,
    (begin, through, both, deep, soft, memory, step),
    {"through": HANDED_ON},
    poster=through,
)
