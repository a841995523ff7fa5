"""The numbers of a run at a moment: its loss and exact match, one weight on its dial, and each block's gradient."""

import math

import numpy as np

from transformer_core.training.gradients import blocks_of
from transformer_core.training.guess import guess_of
from ui.chapters.training.figures.dial import reach, tip
from ui.chapters.training.lapse.values import Moments, Place, Places, Values
from ui.chapters.training.values import matched_at
from ui.figures import number
from ui.scene import Actor, Box, Curve, Dot, Line, Word, centres, fitting

ARC = np.linspace(-1, 1, 25)  # places on the dial's scale
LEAST = 6  # the smallest letters that are read
COLORS = {"src_embed": "encoder", "encoder": "encoder", "tgt_embed": "decoder", "decoder": "decoder"}


def curve(v: Values, places: Places) -> Moments:
    """The loss of every record and the exact match wherever it was measured, each drawn up to the moment."""
    left, top, width, height = places.curve
    history = v.history
    steps, loss = history.probe_step.astype(float), history.loss[v.at].astype(float)
    guess = guess_of(v.config)
    x, high = width / max(1.0, steps[-1]), max(guess, float(loss.max()))
    ends = places.dial[0] + places.dial[2]  # of the line above, which reaches over the dial
    base, level, size = top + height, top + height * (1 - guess / high), places.letters
    measured = np.flatnonzero(np.isfinite(history.exact_match))
    shares = np.stack([x * history.step[measured], -height * history.exact_match[measured]], axis=1)
    matches = [matched_at(history, int(step)) for step in steps]
    said = {
        "step": (steps.tolist(), 1, "text", "#"),
        "loss": (loss.tolist(), 2, "text", "#"),
        "match": ([100 * found[1] if found else 0.0 for found in matches], 3, "right", "#%"),
    }
    still = [
        Line(name="axis", x=left, y=base, to_x=left + width, to_y=base, color="grid"),
        Line(name="guess", x=left, y=level, to_x=left + width, to_y=level, color="quiet", dashed=True),
        Word(
            name="name guess", x=left + width, y=level - 0.5 * size, text=v.say("replay.guess"), size=0.65 * size,
            color="quiet", align="right",
        ),
    ]  # fmt: skip
    moments: Moments = []
    for now, step in enumerate(steps):
        words = [
            Word(
                name=name, x=at, y=0.4 * top, text=f"{v.say(f'readout.{name}')} {form}", value=values[now],
                digits=digits, size=0.85 * size, weight=600, color=color, align="left" if at < ends else "right",
            )
            for (name, (values, digits, color, form)), at in zip(said.items(), (left, left + 0.3 * width, ends))
        ]  # fmt: skip
        moments.append([
            *still, *words,
            Curve(name="match curve", x=left, y=base, points=shares, color="right", until=x * step),
            Curve(name="loss curve", x=left, y=base, points=np.stack([x * steps, -height * loss / high], 1),
                  until=x * step),
            Dot(name="loss dot", x=left + x * step, y=base - height * loss[now] / high, radius=4, color="chosen",
                level=1),
        ])  # fmt: skip
    return moments


def dial(v: Values, places: Places) -> Moments:
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
    moments: Moments = []
    for value in weight:
        along, up = tip(float(value), end, radius)
        moments.append([
            *still,
            Line(name="needle", x=x, y=y, to_x=x + along, to_y=y + up, width=3, color="query", level=1),
            Word(name="weight", x=x, y=y + 0.9 * size, value=float(value), digits=3, size=size, weight=600),
        ])  # fmt: skip
    return moments


def bars(v: Values, places: Places) -> Moments:
    """The length of each block's gradient, on a scale of powers of ten that all moments share."""
    left, top, width, height = places.bars
    blocks, norms, size = blocks_of(v.config), v.history.block_norms.astype(float), 0.7 * places.letters
    low, high = _powers(norms)
    above, below = top + 2 * size, top + height - 2.6 * size
    tall = (below - above) / (high - low)
    scale = Place(left + 2.4 * size, above, width - 2.4 * size, below - above)
    middles = centres(len(blocks), scale.left, scale.left + scale.width)
    wide = 0.7 * scale.width / len(blocks)
    still = _scale(v, scale, low, high, size) + _names(v, blocks, middles, scale, size)
    lengths = v.history.gradient_norm[v.at].astype(float)
    moments: Moments = []
    for now, row in enumerate(norms):
        heights = [tall * max(0.0, math.log10(one) - low) if one > 0 else 0.0 for one in row]
        moments.append([
            Word(name="gradient", x=left, y=top + 0.5 * size, text=f"{v.say('lapse.gradient')} #", value=lengths[now],
                 digits=2, size=size, weight=600, align="left"),
            *still,
            *(
                Box(name=f"bar {block}", x=middle - wide / 2, y=below - high_, width=wide, height=high_,
                    color=COLORS.get(block.partition(".")[0], "quiet"))
                for block, middle, high_ in zip(blocks, middles, heights, strict=True)
            ),
        ])  # fmt: skip
    return moments


def _powers(norms: np.ndarray) -> tuple[int, int]:
    """The powers of ten between which all lengths lie."""
    found = norms[norms > 0]
    if not len(found):
        return -1, 0
    low, high = math.floor(math.log10(found.min())), math.ceil(math.log10(found.max()))
    return low, max(low + 1, high)


def _scale(v: Values, place: Place, low: int, high: int, size: float) -> list[Actor]:
    """A line at each power of ten, every other one with its number where they are many."""
    base, tall = place.top + place.height, place.height / (high - low)
    every = 1 if high - low <= 4 else 2
    return [
        actor
        for power in range(low, high + 1)
        for actor in (
            Line(name=f"power {power}", x=place.left, y=base - tall * (power - low), to_x=place.left + place.width,
                 to_y=base - tall * (power - low), color="grid", width=1),
            Word(name=f"name power {power}", x=place.left - 3, y=base - tall * (power - low),
                 text=number(10.0**power), size=0.8 * size, color="quiet", align="right",
                 opacity=float((power - low) % every == 0)),
        )
    ]  # fmt: skip


def _names(v: Values, blocks: tuple[str, ...], middles: list[float], place: Place, size: float) -> list[Actor]:
    """Each bar's block, as far as there is room, and below them the stack that it belongs to."""
    base, room = place.top + place.height, place.width / len(blocks)
    texts = [_short(v, block) for block in blocks]
    least = fitting(texts, room - 1, 0.9 * size, 1)
    named: list[Actor] = [
        Word(name=f"name {block}", x=x, y=base + 0.8 * size, text=text, size=least, color="quiet")
        for block, x, text in zip(blocks, middles, texts, strict=True)
        if least >= LEAST
    ]
    for stack in ("encoder", "decoder"):
        own = [x for block, x in zip(blocks, middles, strict=True) if COLORS.get(block.partition(".")[0]) == stack]
        named.append(
            Word(name=f"name {stack}", x=sum(own) / len(own), y=base + 1.9 * size, text=v.say(f"lapse.{stack}"),
                 size=0.9 * size, weight=600, color=stack)
        )  # fmt: skip
    return named


def _short(v: Values, block: str) -> str:
    """`encoder.layers.0` is 0; an embedding, a last norm and the generator have a word."""
    last = block.rpartition(".")[2]
    if last.isdigit():
        return last
    return v.say("lapse.embed" if last.endswith("embed") else "lapse.norm" if last == "norm" else "lapse.generator")
