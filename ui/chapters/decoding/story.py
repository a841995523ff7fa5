"""Decoding told: the likeliest token is written and read again; another one in its place makes another future; and
training, which has the right answer, beside it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ui.chapters.decoding.story_values import FORKED, SHOWN, DecodingStoryValues, values
from ui.chapters.decoding.values import GreedyTurn
from ui.figures import percent
from ui.figures.actors import Actor, Beat, Box, Line, Stage, Word
from ui.sections.scene import Bars, Columns, Told, adding, fitting, pace, sizes, story

SIZES = sizes(
    left=(112, 6),  # of the columns
    gap=(20, 3),  # between their words
    writes=(28, 38),  # heights of the rows
    other=(84, 84),
    base=(240, 240),
    tall=(98, 96),  # of a bar that is sure
    reads=(320, 322),
    source=((376, 16), (398, 13)),  # and the source's letters
    word=(18, 14),  # letters, at most: of a word,
    token=(17, 12),  # below a bar,
    share=(14, 11),  # above it,
    mask_name=(13, 11),
    bars=((330.0, 930.0), (112.0, 356.0)),  # between which they stand
    below=(32, 30),  # how far below their line an arrow ends
    mask=((146, 140, 124), (10, 146, 88)),  # left, top, side
    name=((12, 14), (6, 11)),  # of a row: its left, its letters;
    off_row=((0, 0), (-20, 19)),  # how far above what is written or below what is read it stands
)


@dataclass(frozen=True)
class DecodingLayout:
    """A column for each turn: above it stands what is written there, below it what was read last. In another row of
    the upper part an output parts from the one above it."""

    v: DecodingStoryValues
    stage: Stage
    sizes: Any
    turns: Columns
    size: float  # of the words
    bars: Columns

    @classmethod
    def of(cls, v: DecodingStoryValues, stage: Stage) -> "DecodingLayout":
        sizes = SIZES.on(stage)
        columns = Columns(v.columns, sizes.left, stage.width - 8)
        texts = v.named([*v.output, *v.fork.turns[-1].output, *v.right])
        size = fitting(texts, columns.step - sizes.gap, sizes.word)
        return cls(v, stage, sizes, columns, size, Columns(SHOWN, *sizes.bars))

    @property
    def columns(self) -> list[float]:
        return self.turns.middles

    def word(
        self, name: str, text: str, column: int, y: float, color: str = "decoder", opacity: float = 1.0, born: str = ""
    ) -> Word:
        chip, room = self.stage.of((color, self.turns.step), ("", self.turns.step - 2))
        x, gloss = self.columns[column], self.v.glosses.get(text, "")
        word = Word(name, x, y, text, size=self.size, color=color, chip=chip, gloss=gloss, room=room)
        return replace(word, opacity=opacity, level=1, born=born)

    def read(self, tokens: Sequence[int], **born: str) -> list[Actor]:
        """The row that the decoder reads; `born`, by their places (`at_3`), those that come from elsewhere."""
        return [
            self.word(f"in {at}", text, at, self.sizes.reads, born=born.get(f"at_{at}", f"out {at - 1}"))
            for at, text in enumerate(self.v.named(tokens)[: len(self.columns)])
        ]

    def written(self, tokens: Sequence[int], dim: int = 99) -> list[Actor]:
        """The row of the output, without its start symbol; from turn `dim` on what is no longer so."""
        return [
            self.word(f"out {at}", text, at, self.sizes.writes, opacity=0.3 if at + 1 >= dim else 1.0, born="token 0")
            for at, text in enumerate(self.v.named(tokens)[1:])
        ]

    def names(self, *rows: str) -> list[Actor]:
        (x, size), (above, below) = self.sizes.name, self.sizes.off_row
        heights = {
            "writes": self.sizes.writes + above,
            "reads": self.sizes.reads + below,
            "source": self.sizes.source[0] + above,
        }
        colors = {"source": "encoder"}
        texts = {row: self.v.say(f"story.{row}") for row in rows}
        return [
            Word(f"name {row}", x, heights[row], text, size=size, color=colors.get(row, "quiet"), align="left")
            for row, text in texts.items()
        ]

    def sources(self) -> list[Actor]:
        names = self.v.at_hand.source.labels(self.v.src)
        columns, (y, most) = Columns(len(names), self.sizes.left, self.stage.width - 8), self.sizes.source
        return [
            replace(word, color="encoder", room=columns.step)
            for word in columns.words("source", names, y, most, 1, least=9, alike=False, glosses=self.v.glosses)
        ]

    def chances(self, turn: GreedyTurn, lit: int = -1) -> list[Actor]:
        """The likeliest tokens of a turn as bars, and an arrow from what was read last to the one taken: the first,
        or the one whose place is `lit`."""
        order = np.argsort(-turn.probabilities, kind="stable")[:SHOWN].tolist()
        names = self.v.named([turn.given[0], *order])[1:]
        base, xs = self.sizes.base, self.bars.middles
        bars = Bars(base, 0.5 * self.bars.step, gap=11)
        tokens = self.bars.words("token", names, base + 16, self.sizes.token, 6)
        chances = turn.probabilities[order].tolist()
        shares = [*map(percent, chances)]
        small = fitting(shares, self.bars.step - 4, self.sizes.share)
        column, low = self.columns[len(turn.given) - 1], self.sizes.reads - 1.1 * self.size - 4
        shown: list[Actor] = [
            self.bars.base(base),
            Line("up", column, low, xs[max(lit, 0)], base + self.sizes.below, color="decoder", arrow=True),
        ]
        for rank, (x, chance, token) in enumerate(zip(xs, chances, tokens)):
            height, color, on = self.sizes.tall * chance, "chosen" if rank == lit else "decoder", rank in (0, lit)
            share = bars.figure(f"share {rank}", x, height, shares[rank], size=small)
            shown += [bars.bar(f"bar {rank}", x, height, color), share.lit(on), token.lit(on, color)]
        return shown

    def staircase(self, turn: int) -> list[Actor]:
        """What each of the rows that are there may attend to, and what is hatched for it."""
        left, top, side = self.sizes.mask
        cell = side / max(1, self.v.columns)
        name, size = self.v.say("story.mask"), self.sizes.mask_name
        shown: list[Actor] = [
            Word("name mask", left + side / 2, top - 14, name, size=size, color="quiet"),
            Box("mask", left, top, side, side, color="grid", filled=False),
        ]
        for row in range(turn):
            y, edge = top + row * cell, left + (row + 1) * cell
            shown.append(Box(f"step {row}", left, y, edge - left, cell - 1, color="decoder"))
            if row + 1 < turn:
                wide = (turn - row - 1) * cell - 1
                shown.append(Box(f"later {row}", edge + 1, y, wide, cell - 1, color="grid", filled=False, hatched=True))
        return shown


# The loop: the likeliest token is written, and read again.

SLOW = 2  # turns that are told step by step


def begin(v: DecodingStoryValues, stage: Stage) -> Told:
    at, first = DecodingLayout.of(v, stage), v.turns[0]
    given = [*at.names("reads", "source"), *at.sources(), *at.read(first.given)]
    beats = adding((given, 0.4, 0.6), (at.staircase(1), 0.5, 0.5), (at.chances(first), 0.8, 0.6))
    (word,) = v.named(first.output)[1:]
    share = percent(float(first.probabilities[first.choice]))
    said = {"tokens": len(v.at_hand.target), "word": word, "share": share}
    return Told(beats, v.at_hand.provenance("generator.log_probs", 1, len(first.logits)), said, v.link(1))


def _turn(at: DecodingLayout, turn: GreedyTurn, *more: Actor, born: str = "") -> list[Actor]:
    """What is read in a turn and what the model says of it; its last token comes from where it is `born`."""
    last = len(turn.given) - 1
    come = {f"at_{last}": born} if born else {}
    still = [*at.names("writes", "reads", "source"), *at.sources(), *at.staircase(len(turn.given))]
    return [*still, *at.read(turn.given, **come), *at.chances(turn), *more]


def loop(v: DecodingStoryValues, stage: Stage) -> Told:
    at, turns = DecodingLayout.of(v, stage), v.turns
    beats = [Beat((*_turn(at, turns[0]), *at.written(turns[0].output)), 0.8, 0.4)]
    fast = pace(len(turns) - SLOW, 2.5)
    for number, turn in enumerate(turns[1:], 1):
        slow = number < SLOW
        born = f"out {number - 1}" if slow else "token 0"
        beats.append(Beat((*_turn(at, turn, born=born), *at.written(turn.given)), *((0.6, 0.3) if slow else fast)))
        if slow and number + 1 < len(turns):
            beats.append(Beat((*_turn(at, turn), *at.written(turn.output)), 0.7, 0.3))
    beats.append(Beat((*_turn(at, turns[-1]), *at.written(v.output)), 0.5, 0.6))
    ended = v.output[-1] == v.at_hand.target.end
    said = {"turns": len(turns), "last": v.named(v.output)[-1]}
    origin = v.at_hand.provenance("generator.log_probs", len(turns), len(turns[0].logits))
    return Told(tuple(beats), f"ys · {origin}", said, v.link(len(turns)), "" if ended else "full")


# Another future: the second-best token of a turn is written, and the rest decoded anew.


def branch(v: DecodingStoryValues, at: DecodingLayout, upto: int, row: float) -> list[Actor]:
    """Of the other output the tokens from the turn at which it parts to turn `upto`, in a row of their own."""
    names, parts = v.named(v.fork.turns[-1].output)[1:], v.fork.turn
    first, rest = parts - 1, range(parts, upto)
    chosen = at.word(f"other {first}", names[first], first, row, "chosen", born="token 1")
    return [chosen, *(at.word(f"other {n}", names[n], n, row, born="token 0") for n in rest)]


def fork(v: DecodingStoryValues, stage: Stage) -> Told:
    at, parts, turns = DecodingLayout.of(v, stage), v.fork.turn, v.fork.turns
    now = v.turns[parts - 1]
    still = [*at.names("writes", "reads", "source"), *at.sources()]
    order = sorted(range(len(now.probabilities)), key=lambda token: -float(now.probabilities[token]))
    rank = order.index(v.fork.token)
    before = [*still, *at.read(now.given), *at.staircase(parts)]
    dimmed = at.written(v.output, dim=parts)
    fell: list[Actor] = []
    if parts > 1:
        x, to = at.columns[parts - 2], at.columns[parts - 1] - at.turns.step / 2
        y, bend = at.sizes.writes + 1.9 * at.size, at.turns.step / 5
        fell = [Line("parts", x, y, to, at.sizes.other, bend=bend, color="chosen")]
    beats = [
        Beat((*before, *at.chances(now), *at.written(v.output)), 0.5, 0.3),
        Beat((*before, *at.chances(now, lit=rank), *at.written(v.output)), 0.4, 0.5),
        Beat((*before, *at.chances(now, lit=rank), *dimmed, *fell, *branch(v, at, parts, at.sizes.other)), 0.8, 0.5),
    ]
    fast = pace(len(turns) - parts, 2.0)
    for turn in turns[parts:]:
        read = at.read(turn.given, **{f"at_{len(turn.given) - 1}": f"other {len(turn.given) - 2}"})
        shown = [*still, *read, *at.staircase(len(turn.given)), *at.chances(turn), *dimmed, *fell]
        slow = len(turn.given) == parts + 1
        count = len(turn.given) if turn is turns[-1] else len(turn.given) - 1
        beats.append(
            Beat((*shown, *branch(v, at, len(turn.given) - 1, at.sizes.other)), *((0.6, 0.3) if slow else fast))
        )
        if turn is turns[-1]:
            beats.append(Beat((*shown, *branch(v, at, count, at.sizes.other)), 0.4, 0.6))
    same = v.rest == v.fork.rest
    said = {"turn": parts, "loser": v.named([now.given[0], v.fork.token])[1]}
    said |= {"share": percent(float(now.probabilities[v.fork.token])), "rest": " ".join(v.named([0, *v.fork.rest])[1:])}
    origin = v.at_hand.provenance("generator.log_probs", len(turns), len(now.logits))
    link = v.link(min(parts + 1, len(turns)), v.fork.prefix)
    return Told(
        tuple(beats), f"greedy_steps(prefix={list(v.fork.prefix)}) · {origin}", said, link, "same" if same else ""
    )


# Two lanes: training, which is given the right answer and has all rows at once, and generating, which is not.


def lanes(v: DecodingStoryValues, stage: Stage) -> Told:
    at = DecodingLayout.of(v, stage)
    upper, lower = stage.of(((50, 136), (256, 342)), ((76, 142), (276, 342)))
    right, rows = v.named(v.right), len(v.right) - 1
    forced = v.named([v.right[0], *v.forced.probabilities.argmax(-1).tolist()])[1:]
    own = v.named(v.fork.turns[-1].output)

    def judged(text: str, place: int) -> str:
        if not v.known:
            return "decoder"
        return "right" if place < len(right) and text == right[place] else "wrong"

    def arrow(name: str, column: int, ys: tuple[float, float]) -> Line:
        x, gap = at.columns[column], 1.1 * at.size
        above, below = ys
        low = above + gap + (0.7 * at.size if v.glosses else 0)
        return Line(name, x, below - gap, x, low, color="decoder", arrow=True)

    def lane(kind: str, ys: tuple[float, float], passes: int) -> list[Actor]:
        above, below = ys
        x, y, size = stage.of((12, (above + below) / 2 - 10, 17), (8, above - 40, 14))
        right, low = stage.of((12, (above + below) / 2 + 12), (352, above - 40))
        title = Word(f"lane {kind}", x, y, v.say(f"story.{kind}"), size=size, weight=600, align="left")
        count = Word(f"passes {kind}", right, low, v.say("story.passes"), value=passes, size=14, color="quiet")
        return [title, replace(count, align=stage.of("left", "right"))]

    def training(done: bool) -> list[Actor]:
        above, below = upper
        shown = [*lane("training", upper, int(done))]
        shown += [at.word(f"right {n}", right[n], n, below, "right" if v.known else "decoder") for n in range(rows)]
        if done:
            shown += [arrow(f"rise {n}", n, upper) for n in range(rows)]
            shown += [
                at.word(f"said {n}", forced[n], n, above, judged(forced[n], n + 1), born=f"right {n}")
                for n in range(rows)
            ]
        return shown

    def generating(turns: int) -> list[Actor]:
        above, below = lower
        parts = v.fork.turn - 1
        shown = [*lane("generating", lower, turns)]
        for n in range(max(1, turns)):
            color = "chosen" if n == parts + 1 else "decoder"
            shown.append(at.word(f"in {n}", own[n], n, below, color, born=f"other {n - 1}" if n else ""))
        for n in range(turns):
            color = "chosen" if n == parts else "decoder"
            shown += [arrow(f"climb {n}", n, lower), at.word(f"other {n}", own[n + 1], n, above, color, born=f"in {n}")]
        return shown

    beats = [Beat(tuple(training(False)), 0.7, 0.5), Beat(tuple(training(True)), 0.8, 0.8)]
    passes = len(v.fork.turns)
    fast = pace(passes, 1.5)
    for turns in range(passes + 1):
        slow = turns in (0, v.fork.turn, v.fork.turn + 1)
        beats.append(Beat((*training(True), *generating(turns)), *((0.5, 0.3) if slow else fast)))
    said = {"rows": rows, "passes": passes, "turn": v.fork.turn}
    origin = v.at_hand.provenance("generator.log_probs", rows, len(v.turns[0].logits))
    link = v.link(1, open="lanes", slip=str(v.fork.turn), slip_token=str(v.fork.token))
    return Told(tuple(beats), origin, said, link, "" if v.known else "own")


STORY = story(values, (begin, loop, fork, lanes), {"loop": FORKED}, poster=loop)
