"""Two scenes on why something arrives: layers with and without their sums, a softmax with and without its scale."""

import math

import numpy as np

from transformer_core.experiments.passing import a_layer
from ui.chapters.backward.residual import both_ways
from ui.chapters.backward.scale import both_ways as both_scores
from ui.chapters.backward.story.values import BackwardStoryValues
from ui.figures import number, percent
from ui.sections.scene import Actor, Beat, Line, Stage, Told, Word, bar, centres

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
