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
from ui.sections.scene import Told, bar, centres, end_of, fitting, story

SHOWN = 12  # words of a sentence, at most


def _strip(name: str, numbers: np.ndarray, stage: Stage, y: float, color: str, born: str = "") -> Grid:
    left = 40.0 if stage.wide else 12.0
    return Grid(name, left, y, stage.width - 2 * left, 38, numbers[None], end=end_of(numbers), rim=color, born=born)


def _named(name: str, text: str, stage: Stage, y: float) -> Word:
    left = 40.0 if stage.wide else 12.0
    size = fitting([text], stage.width - 2 * left, 15)
    return Word(f"name {name}", left, y - 14, text, size=size, align="left", color="quiet")


def begin(v: BackwardStoryValues, stage: Stage) -> Told:
    """p − t, a number for each word; the right one alone is below 0, and a step goes the other way."""
    y, tall = 70.0, 90.0
    base = stage.height - 60.0 - tall
    order = [int(np.argmin(v.logits)), *np.argsort(-v.logits, kind="stable")[: 4 if stage.wide else 3].tolist()]
    largest = end_of(v.logits)
    strip = _strip("logits", v.logits, stage, y, "decoder")
    name = _named("logits", v.say("story.logits", count=len(v.logits)), stage, y)
    columns = centres(len(order), strip.x, strip.x + strip.width)
    step = strip.width / len(order)
    shown: list[Actor] = [Line("base", strip.x, base, strip.x + strip.width, base, color="grid")]
    steps: list[Actor] = []
    for rank, (token, x) in enumerate(zip(order, columns)):
        gradient, color = float(v.logits[token]), "right" if rank == 0 else "wrong"
        up = tall * gradient / largest
        shown += [
            bar(f"bar {rank}", x, base, up, 0.3 * step, color),
            Word(f"p−t {rank}", x, base - up - math.copysign(14, up), number(gradient, 2), size=14),
            Word("right" if rank == 0 else f"token {rank}", x, stage.height - 18, v.words[token], color=color).fit(
                 step - 6, 18).lit(rank == 0),
        ]  # fmt: skip
        beside = x + 0.3 * step
        steps.append(Line(f"step {rank}", beside, base, beside, base + up, width=3, color=color, arrow=abs(up) > 6))
    away = columns[0] + 0.3 * step + 8
    steps.append(Word("step", away, base - tall / 2, v.say("story.one_step"), align="left").fit(0.5 * step, 15))
    still = (strip, name, *shown)
    beats = (Beat(still, 0.6, 0.5), Beat((*still, *steps), 0.9, 0.8))
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
    half, gap = stage.width / 2, 20.0 if stage.wide else 8.0
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
    columns = centres(count, 20, stage.width - 20)
    step = (stage.width - 40) / count
    most = int(v.memory.argmax())
    largest = float(v.memory.max()) or 1.0
    size = fitting(v.sources[:count], step - 3, 19, 7)
    words: list[Actor] = [
        Word(f"word {n}", x, base + 18, word, size=size, color="encoder").lit(n == most)
        for n, (x, word) in enumerate(zip(columns, v.sources))
    ]
    source = Dot("wrong", stage.width / 2, 30, 9, color="wrong")
    who = Word("right", stage.width / 2 + 20, 30, v.right, size=18, weight=600, align="left", color="right")
    ways: list[Actor] = [
        Line(f"way {n}", stage.width / 2, 42, x, base - tall * float(share) / largest - 6,
             width=0.5 + 6 * float(share) / largest, color="attention", level=-1)
        for n, (x, share) in enumerate(zip(columns, v.memory))
    ]  # fmt: skip
    bars: list[Actor] = [
        bar(f"bar {n}", x, base, tall * float(share) / largest, 0.5 * step, "chosen" if n == most else "attention")
        for n, (x, share) in enumerate(zip(columns, v.memory))
    ]
    beats = (
        Beat((*words, source, who), 0.6, 0.4),
        Beat((*words, source, who, *ways, *bars), 1.0, 0.9),
    )
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
    columns = centres(3, 40, stage.width - 40)
    room = (stage.width - 80) / 3
    actors: list[list[Actor]] = []
    for (name, loss, color), x in zip(shown, columns):
        text = v.say(f"story.{name}")
        height = tall * loss / highest
        actors.append(
            [
                bar(f"bar {name}", x, base, height, 0.4 * room, color),
                Word(f"loss {name}", x, base - height - 14, number(loss, 3), size=18, weight=600),
                Word(f"name {name}", x, base + 20, text).fit(room - 8, 16),
            ]
        )
    line = Line("base", 20, base, stage.width - 20, base, color="grid")
    beats = (
        Beat((line, *actors[0]), 0.6, 0.4),
        Beat((line, *actors[0], *actors[1]), 0.8, 0.4),
        Beat((line, *actors[0], *actors[1], *actors[2]), 0.8, 0.8),
    )
    said = {"rate": f"{RATE:g}", "foretold": number(foretold, 3), "measured": number(measured, 3)}
    return Told(beats, f"torch.optim.AdamW, 1 step · −ln p · {v.origin}", said, {},
                "" if measured < 0 else "worse")  # fmt: skip


# Two scenes on why something arrives: layers with and without their sums, a softmax with and without its scale.

LAYERS, D_K, SEED = 6, 64, 0
QUERIES = {True: 25, False: 13}  # that are shown on a wide stage, on a narrow one


def deep(v: BackwardStoryValues, stage: Stage) -> Told:
    """What reaches each layer of an untrained decoder, beside what the last one gets; below without its sums."""
    _, kept, lost = both_ways(LAYERS, "decoder", "all", SEED).T
    bases = (0.42 * stage.height, 0.84 * stage.height)
    left = 40.0 if stage.wide else 12.0
    columns = centres(LAYERS, left, stage.width - left)
    room = (stage.width - 2 * left) / LAYERS
    tall = 0.22 * stage.height / float(kept.max() / kept[-1])
    rows: list[list[Actor]] = []
    for way, norms, base, color in (("with", kept, bases[0], "right"), ("without", lost, bases[1], "wrong")):
        name = v.say(f"story.{way}")
        wide = stage.width - 2 * left
        row: list[Actor] = [
            Word(f"name {way}", left, base - 0.33 * stage.height, name, align="left", color=color,
                 weight=600).fit(wide, 16),
            Line(f"base {way}", left, base, stage.width - left, base, color="grid"),
        ]  # fmt: skip
        for layer, x in zip(reversed(range(LAYERS)), columns):  # the gradient comes to the last one first
            share = float(norms[layer] / norms[-1])
            row += [
                bar(f"{way} {layer}", x, base, tall * share, 0.45 * room, color),
                Word(f"share {way} {layer}", x, base - tall * share - 11, number(share, 2), size=14),
            ]
        rows.append(row)
    named: list[Actor] = []
    for layer, x in zip(reversed(range(LAYERS)), columns):
        text = v.say("story.layer", n=layer)
        named.append(Word(f"layer {layer}", x, bases[1] + 18, text).fit(room - 4, 14))
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
    count = QUERIES[stage.wide]
    picked = np.linspace(0, len(shares) - 1, count).round().astype(int)
    left, base, tall = 40.0 if stage.wide else 12.0, stage.height - 60.0, stage.height - 150.0
    columns = centres(count, left, stage.width - left)
    room = (stage.width - 2 * left) / count
    line = Line("base", left, base, stage.width - left, base, color="grid")
    beats = []
    for way, lengths, color in (("divided", divided, "right"), ("plain", plain, "wrong")):
        name, below = v.say(f"story.{way}", d_k=D_K), v.say("story.queries")
        actors: list[Actor] = [
            line,
            Word("name", left, 26, name, align="left", color=color, weight=600).fit(stage.width - 2 * left, 16),
            Word("below", stage.width / 2, base + 22, below, color="quiet").fit(stage.width - 2 * left, 14),
        ]
        for at, (x, place) in enumerate(zip(columns, picked)):
            height = tall * float(lengths[place] / lengths[-1])
            actors.append(bar(f"query {at}", x, base, height, 0.7 * room, color))
            if at in (count // 2, count - 1):
                text = number(float(lengths[place]), 2)
                actors.append(Word(f"length {at}", x, base - height - 12, text, size=15))
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
