"""The numbers of a run at a moment: its loss and exact match, one weight on its dial, and each block's gradient."""

import math

import numpy as np

from transformer_core.training.block_gradients import blocks_of
from transformer_core.training.guess import guess_of
from ui.chapters.training.figures.run import reach, tip
from ui.chapters.training.lapse.values import Area, LapseLayout, LapseValues, Moments
from ui.chapters.training.values import matched_at
from ui.figures import number
from ui.figures.actors import Actor, Box, Curve, Dot, Line, Word
from ui.sections.scene import centres, fitting

ARC = np.linspace(-1, 1, 25)  # places on the dial's scale
LEAST = 6  # the smallest letters that are read
COLORS = {"src_embed": "encoder", "encoder": "encoder", "tgt_embed": "decoder", "decoder": "decoder"}


def curve(v: LapseValues, places: LapseLayout) -> Moments:
    """The loss of every record and the exact match wherever it was measured, each drawn up to the moment."""
    left, top, width, height = places.curve
    history = v.history
    steps, loss = history.probe_step.astype(float), history.loss[v.at].astype(float)
    guess = guess_of(v.config)
    x, high = width / max(1.0, steps[-1]), max(guess, float(loss.max()))
    ends = places.dial[0] + places.dial[2]  # of the line above, which reaches over the dial
    base, level, size = top + height, top + height * (1 - guess / high), places.letters
    measured = np.flatnonzero(np.isfinite(history.exact_match))
    shares = np.stack([x * history.step[measured], -height * history.exact_match[measured]], 1)
    losses = np.stack([x * steps, -height * loss / high], 1)
    matches = [matched_at(history, int(step)) for step in steps]
    said = {
        "step": (steps.tolist(), 1, "text", "#"),
        "loss": (loss.tolist(), 2, "text", "#"),
        "match": ([100 * found[1] if found else 0.0 for found in matches], 3, "right", "#%"),
    }
    told = v.say("replay.guess")
    still = [
        Line("axis", left, base, left + width, base, color="grid"),
        Line("guess", left, level, left + width, level, dashed=True),
        Word("name guess", left + width, level - size / 2, told, size=0.65 * size, color="quiet", align="right"),
    ]
    moments: Moments = []
    for now, (along, up) in enumerate(losses):
        words = [
            Word(name, at, 0.4 * top, f"{v.say(f'readout.{name}')} {form}", value=values[now], digits=digits,
                 size=0.85 * size, weight=600, color=color, align="left" if at < ends else "right")
            for (name, (values, digits, color, form)), at in zip(said.items(), (left, left + 0.3 * width, ends))
        ]  # fmt: skip
        curves = [
            Curve("match curve", left, base, shares, color="right", until=along),
            Curve("loss curve", left, base, losses, until=along),
            Dot("loss dot", left + along, base + up, 4, color="chosen", level=1),
        ]
        moments.append([*still, *words, *curves])
    return moments


def dial(v: LapseValues, places: LapseLayout) -> Moments:
    x, y, radius = places.dial
    weight = v.history.weight[v.at].astype(float)
    end, size = reach(weight), places.letters
    began = tip(float(weight[0]), end, radius)
    still = [
        Curve("scale", x, y, np.array([tip(at, 1, radius) for at in ARC]), color="grid", width=3),
        Line("zero", x, y - radius, x, y - 0.85 * radius),
        Line("began", x + began[0] / 2, y + began[1] / 2, x + began[0], y + began[1], dashed=True),
        Word("name weight", x, y + 1.9 * size, v.say("weight.name"), size=0.75 * size, color="quiet"),
    ]
    moments: Moments = []
    for value in weight:
        along, up = tip(float(value), end, radius)
        needle = Line("needle", x, y, x + along, y + up, width=3, color="query", level=1)
        read = Word("weight", x, y + 0.9 * size, value=float(value), digits=3, size=size, weight=600)
        moments.append([*still, needle, read])
    return moments


def bars(v: LapseValues, places: LapseLayout) -> Moments:
    """The length of each block's gradient, on a scale of powers of ten that all moments share."""
    left, top, width, height = places.bars
    blocks, norms, size = blocks_of(v.config), v.history.block_norms.astype(float), 0.7 * places.letters
    low, high = _powers(norms)
    above, below = top + 2 * size, top + height - 2.6 * size
    tall = (below - above) / (high - low)
    scale = Area(left + 2.4 * size, above, width - 2.4 * size, below - above)
    middles = centres(len(blocks), scale.left, scale.left + scale.width)
    wide = 0.7 * scale.width / len(blocks)
    still = _scale(v, scale, low, high, size) + _names(v, blocks, middles, scale, size)
    lengths = v.history.gradient_norm[v.at].astype(float)
    moments: Moments = []
    for now, row in enumerate(norms):
        heights = [tall * max(0.0, math.log10(one) - low) if one > 0 else 0.0 for one in row]
        read = Word("gradient", left, top + size / 2, f"{v.say('lapse.gradient')} #", value=lengths[now], size=size,
                    weight=600, align="left")  # fmt: skip
        standing = [
            Box(f"bar {block}", x - wide / 2, below - long, wide, long, color=_color(block))
            for block, x, long in zip(blocks, middles, heights, strict=True)
        ]
        moments.append([read, *still, *standing])
    return moments


def _powers(norms: np.ndarray) -> tuple[int, int]:
    """The powers of ten between which all lengths lie."""
    found = norms[norms > 0]
    if not len(found):
        return -1, 0
    low, high = math.floor(math.log10(found.min())), math.ceil(math.log10(found.max()))
    return low, max(low + 1, high)


def _scale(v: LapseValues, place: Area, low: int, high: int, size: float) -> list[Actor]:
    """A line at each power of ten, every other one with its number where they are many."""
    base, tall = place.top + place.height, place.height / (high - low)
    every = 1 if high - low <= 4 else 2
    return [
        actor
        for power in range(low, high + 1)
        for y in [base - tall * (power - low)]
        for actor in (
            Line(f"power {power}", place.left, y, place.left + place.width, y, color="grid", width=1),
            Word(f"name power {power}", place.left - 3, y, number(10.0**power), size=0.8 * size, color="quiet",
                 align="right", opacity=float((power - low) % every == 0)),
        )
    ]  # fmt: skip


def _names(v: LapseValues, blocks: tuple[str, ...], middles: list[float], place: Area, size: float) -> list[Actor]:
    """Each bar's block, as far as there is room, and below them the stack that it belongs to."""
    base, room = place.top + place.height, place.width / len(blocks)
    texts = [_short(v, block) for block in blocks]
    least = fitting(texts, room - 1, 0.9 * size, 1)
    named: list[Actor] = [
        Word(f"name {block}", x, base + 0.8 * size, text, size=least, color="quiet")
        for block, x, text in zip(blocks, middles, texts, strict=True)
        if least >= LEAST
    ]
    for stack in ("encoder", "decoder"):
        own = [x for block, x in zip(blocks, middles, strict=True) if _color(block) == stack]
        text = v.say(f"lapse.{stack}")
        below = Word(
            f"name {stack}", sum(own) / len(own), base + 1.9 * size, text, size=0.9 * size, weight=600, color=stack
        )
        named.append(below)
    return named


def _color(block: str) -> str:
    """That of its stack; the generator is in neither."""
    return COLORS.get(block.partition(".")[0], "quiet")


def _short(v: LapseValues, block: str) -> str:
    """`encoder.layers.0` is 0; an embedding, a last norm and the generator have a word."""
    last = block.rpartition(".")[2]
    if last.isdigit():
        return last
    return v.say("lapse.embed" if last.endswith("embed") else "lapse.norm" if last == "norm" else "lapse.generator")
