"""Order, told: an encoder without position codes cannot see it; clocks join the places, and then it can."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from transformer_core.positions import frequencies
from ui.chapters.positions.story_values import LAST, ORDERED, PositionsStoryValues, degrees, values
from ui.figures import number
from ui.figures.actors import Actor, Beat, Box, Curve, Dot, Line, Stage, Word
from ui.sections.scene import Columns, Told, cut_off, story

FIRST, SECOND = "first", "second"


@dataclass(frozen=True)
class PositionsLayout(Columns):
    stage: Stage

    @property
    def strip(self) -> float:
        return min(140, self.step - 8)


def places(v: PositionsStoryValues, stage: Stage) -> PositionsLayout:
    return PositionsLayout(len(v.words), *stage.of((150.0, 952.0), (4.0, 356.0)), stage)


def words(v: PositionsStoryValues, at: PositionsLayout, which: str, y: float, columns: Sequence[float]) -> list[Actor]:
    """The words of a sentence, each called by its place in the first one, at the place that `columns` has for it."""
    every = at.words(which, v.words, y, at.stage.of(24, 17), 6, glosses=v.glosses)
    return [
        replace(word, x=columns[n], color=color_of(v, n), born=f"{FIRST} {n}" if which == SECOND else "").lit(
            v.order[n] != n
        )
        for n, word in enumerate(every)
    ]


def color_of(v: PositionsStoryValues, word: int) -> str:
    """The two words that change places have colours of their own."""
    moved = [n for n, to in enumerate(v.order) if to != n]
    return ("chosen", "encoder")[moved.index(word)] if word in moved else "text"


def crossed(v: PositionsStoryValues, at: PositionsLayout) -> list[float]:
    return [at.middles[v.order.index(n)] for n in range(len(v.words))]


def strips(
    v: PositionsStoryValues,
    at: PositionsLayout,
    which: str,
    table: np.ndarray,
    y: float,
    height: float,
    columns: Sequence[float],
) -> list[Actor]:
    """The vectors of the words, table (words, SHOWN), as they are counted in the first sentence."""
    rims = [color_of(v, n) if to != n else "" for n, to in enumerate(v.order)]
    drawn = at.strips(f"vector {which}", table, y, at.strip, height, end=v.end)
    placed = (
        replace(grid, x=columns[n] - at.strip / 2, rim=rims[n], born=f"{which} {n}") for n, grid in enumerate(drawn)
    )
    return [actor for grid in placed for actor in cut_off(grid, v.d_model)]


def encoder(
    v: PositionsStoryValues, at: PositionsLayout, which: str, y: float, height: float, code: str
) -> list[Actor]:
    """The encoder as a bar through which all words go at once."""
    left, right = at.left + 3, at.right - 3
    name = v.say(f"story.encoder_{code}")
    return [
        Box(f"encoder {which}", left, y, right - left, height, color="encoder", opacity=0.16, radius=8, level=-1),
        Word(f"name {which}", (left + right) / 2, y + height / 2, name, color="encoder").fit(right - left - 12, 15),
    ]


def sides(at: PositionsLayout, rows: Mapping[str, tuple[str, float]]) -> list[Actor]:
    """What is written beside rows, a name, a text and a height each; a narrow stage has no room for that."""
    if not at.stage.wide:
        return []
    return [
        Word(f"side {name}", 12, y, text, color="quiet", align="left").fit(130, 14, 9)
        for name, (text, y) in rows.items()
    ]


def clock(name: str, x: float, y: float, radius: float, hand: np.ndarray, born: str = "") -> list[Actor]:
    """A face and its hand, whose tip lies sin to the right and cos up."""
    sin, cos = (0.86 * radius * float(part) for part in hand)
    face, before = (born and f"{part} {born}" for part in ("face", "hand"))
    return [
        Dot(f"face {name}", x, y, radius, color="quiet", filled=False, born=face),
        Line(f"hand {name}", x, y, x + sin, y - cos, width=2.5, color="text", born=before),
    ]


# The scenes: one encoder reads two orders and cannot tell them apart; clocks join the places, and it can.

UP, DOWN = 44.0, 0.58  # the first sentence's height, and the second one's as a part of the stage's
WIDEST = 128  # d_model of the chapter's first figure


def _link(v: PositionsStoryValues, **more: str) -> dict[str, str]:
    return {"src": v.text, "order_seed": str(v.seed), "order_first": "0", **more}


def _said(v: PositionsStoryValues) -> dict[str, object]:
    return {"first": v.said[0], "second": v.said[1]}


def _lower(stage: Stage) -> float:
    return DOWN * stage.height


def _both(v: PositionsStoryValues, at: PositionsLayout, code: str) -> list[Actor]:
    y = _lower(at.stage)
    return [
        *words(v, at, FIRST, UP, at.middles),
        *encoder(v, at, FIRST, UP + 36, 36, code),
        *words(v, at, SECOND, y, crossed(v, at)),
        *encoder(v, at, SECOND, y + 36, 36, code),
    ]


def _open(at: PositionsLayout) -> list[Actor]:
    return [
        Word(f"open {y:.0f} {n}", x, y + 98, "?", size=26, color="quiet")
        for y in (UP, _lower(at.stage))
        for n, x in enumerate(at.middles)
    ]


def order(v: PositionsStoryValues, stage: Stage) -> Told:
    at, y = places(v, stage), _lower(stage)
    first = words(v, at, FIRST, UP, at.middles)
    beats = (
        Beat(tuple(first), 0.5, 0.6),
        Beat((*first, *words(v, at, SECOND, y, at.middles)), 0.6, 0.2),
        Beat((*first, *words(v, at, SECOND, y, crossed(v, at))), 0.9, 0.3),
        Beat((*_both(v, at, "without"), *_open(at)), 0.6, 0.5),
    )
    return Told(beats, v.origin, _said(v), _link(v, open="order"))


def _compared(v: PositionsStoryValues, stage: Stage, code: str) -> tuple[Beat, ...]:
    """Vectors come out of the encoder in both orders; each of the second comes to lie below the same word's of the
    first, and then what is between them."""
    at, y = places(v, stage), _lower(stage)
    first = v.first[code]
    back = [v.order.index(n) for n in range(len(v.words))]
    second = v.second[code][back]
    tall = 26.0
    still = _both(v, at, code)
    above = strips(v, at, FIRST, first, UP + 84, tall, at.middles)
    swapped = crossed(v, at)
    below = strips(v, at, SECOND, second, y + 84, tall, swapped)
    top, wider = stage.of((66.0, 0.0), (62.0, 8.0))
    one, other, between = top + 26, top + 84 + wider, top + 206 + 2 * wider
    laid = [
        *words(v, at, FIRST, top, at.middles),
        *strips(v, at, FIRST, first, one, 46, at.middles),
        *strips(v, at, SECOND, second, other, 46, at.middles),
        *words(v, at, SECOND, other + 68, at.middles),
        *sides(at, {FIRST: (f"“{v.said[0]}”", one + 23), SECOND: (f"“{v.said[1]}”", other + 23)}),
    ]
    apart = [
        *strips(v, at, "between", second - first, between, 46, at.middles),
        *sides(at, {"between": (v.say("story.between"), between + 23)}),
        _largest(v, stage, code, between + 74),
    ]
    return (
        Beat((*still, *above), 0.5, 0.2),
        Beat((*still, *above, *below), 0.5, 0.3),
        Beat(tuple(laid), 1.0, 0.4),
        Beat((*laid, *apart), 0.6, 0.6),
    )


def _largest(v: PositionsStoryValues, stage: Stage, code: str, y: float) -> Word:
    largest = number(v.largest[code], 2)
    text = v.say("story.largest", largest=largest)
    return Word("largest", stage.width / 2, y, text, weight=600).fit(stage.width - 16, stage.of(20, 16))


def moved(v: PositionsStoryValues, stage: Stage) -> Told:
    said = _said(v) | {"largest": number(v.largest["without"], 2)}
    link = _link(v, order_cell="without.1.0", open="order")
    return Told(_compared(v, stage, "without"), v.origin, said, link)


def differ(v: PositionsStoryValues, stage: Stage) -> Told:
    said = _said(v) | {"largest": number(v.largest["with"], 2), "before": number(v.largest["without"], 2)}
    link = _link(v, order_cell="with.1.0", open="order")
    words = "" if v.told_apart else "alike"
    return Told(_compared(v, stage, "with"), v.origin, said, link, words)


def clocks(v: PositionsStoryValues, stage: Stage) -> Told:
    """A column of clocks for each place, which turn as one goes on; the words change places, the clocks do not."""
    at = places(v, stage)
    top, bottom = stage.of((86.0, 372.0), (92.0, 396.0))
    rows = Columns(len(v.pairs), top, bottom)
    radius, heights = min(0.43 * rows.step, 0.42 * at.step, 60.0), rows.middles
    before = words(v, at, FIRST, 40, at.middles)
    after = words(v, at, FIRST, 40, crossed(v, at))
    names = {
        f"pair {pair}": (v.say("story.pair", sin=2 * pair, cos=2 * pair + 1), y) for pair, y in zip(v.pairs, heights)
    }
    side = sides(at, names)
    shown: list[Actor] = [*at.words("place", [*map(str, range(at.count))], bottom + 18, 15, color="quiet")]
    beats = [Beat((*before, *shown), 0.4, 0.2)]
    for place, x in enumerate(at.middles):
        hands = v.hands(place)
        for row, (pair, y) in enumerate(zip(v.pairs, heights)):
            born = f"{pair} {place - 1}" if place else ""
            shown += clock(f"{pair} {place}", x, y, radius, hands[row], born)
        beats.append(Beat((*before, *side, *shown), 0.45, 0.12))
    beats.append(Beat((*after, *side, *shown), 0.9, 0.5))
    said = {"turn": degrees(float(v.turns[0]))}
    origin = f"position_steps({len(v.words)}, {v.d_model}).code"
    return Told(tuple(beats), origin, said, {"pos": "0", "shift": "1", "open": "clocks"})


def waves(v: PositionsStoryValues, stage: Stage) -> Told:
    """Each clock runs on from place to place; its sine and its cosine are waves."""
    face, left, right, largest = stage.of((190.0, 260.0, 940.0, 34.0), (36.0, 82.0, 348.0, 28.0))
    radius = min(largest, 0.4 * (stage.height - 80) / len(v.pairs))
    top, bottom = 54.0, stage.height - 40
    rows = Columns(len(v.pairs), top, bottom)
    heights, tall = rows.middles, 0.42 * rows.step
    step = (right - left) / LAST
    still: list[Actor] = []
    for pair, y in zip(v.pairs, heights):
        still.append(Line(f"zero {pair}", left, y, right, y, width=1, color="grid"))
        for at, (name, color) in enumerate((("sine", "text"), ("cosine", "chosen"))):
            points = _wave(v, pair, at) * (step, -tall)
            still.append(Curve(f"{name} {pair}", left, y, points, width=2.2, color=color))
    names = [("sine", "text", left), ("cosine", "chosen", left + stage.of(160, 120))]
    still += [
        Word(f"name {name}", x, 26, v.say(f"story.{name}"), size=stage.of(16, 13), color=color, align="left")
        for name, color, x in names
    ]
    still += _ticks(stage, left, step, bottom)
    if stage.wide:
        still += [
            Word(f"side pair {pair}", 12, y, v.say("story.pair", sin=2 * pair, cos=2 * pair + 1), size=13,
                 color="quiet", align="left")
            for pair, y in zip(v.pairs, heights)
        ]  # fmt: skip
    beats = []
    for place in range(LAST + 1):
        hands = v.hands(place)
        x = left + place * step
        shown: list[Actor] = [
            Line("now", x, top, x, bottom, width=1, color="quiet", dashed=True),
        ]
        for row, (pair, y) in enumerate(zip(v.pairs, heights)):
            shown += clock(f"{pair} 0", face, y, radius, hands[row])
            for at, (name, color) in enumerate((("sine", "text"), ("cosine", "chosen"))):
                height = float(hands[row, at])
                shown.append(Dot(f"at {name} {pair}", x, y - tall * height, 5, color=color, level=1))
        beats.append(Beat((*still, *shown), 0.8 if not place else 0.3, 0.3 if not place else 0.02))
    d_model = min(v.d_model - v.d_model % 2, WIDEST)
    link = {"length": str(LAST + 1), "d_model": str(d_model), "dims": _dims(v.pairs, d_model)}
    return Told(tuple(beats), f"position_steps({LAST + 1}, {v.d_model}).code", {}, link)


def _wave(v: PositionsStoryValues, pair: int, at: int) -> np.ndarray:
    """(points, 2): places from 0 to LAST in small steps, and the sine or cosine there."""
    places = np.linspace(0, LAST, 8 * LAST + 1)
    angles = places * float(frequencies(v.d_model)[pair])
    return np.stack([places, np.cos(angles) if at else np.sin(angles)], axis=1)


def _ticks(stage: Stage, left: float, step: float, y: float) -> list[Actor]:
    return [
        Word(f"place {place}", left + place * step, y + 18, str(place), size=14, color="quiet")
        for place in range(0, LAST + 1, stage.of(1, 2))
    ]


def _dims(pairs: Sequence[int], d_model: int) -> str:
    return " ".join(str(dim) for pair in pairs for dim in (2 * pair, 2 * pair + 1) if dim < d_model)


STORY = story(values, (order, moved, clocks, differ, waves), {"order": ORDERED})
