"""Where the words stand that are read and written, the bars between them, and the mask that gains a step."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ui.chapters.decoding.story.values import SHOWN, DecodingStoryValues
from ui.chapters.decoding.values import GreedyTurn
from ui.figures import percent
from ui.sections.scene import Actor, Box, Line, Stage, Word, bar, centres, fitting


@dataclass(frozen=True)
class DecodingLayout:
    """A column for each turn: above it stands what is written there, below it what was read last. In another row of
    the upper part an output parts from the one above it."""

    v: DecodingStoryValues
    stage: Stage
    columns: list[float]
    step: float  # from column to column
    size: float  # of the words
    writes: float  # heights
    other: float
    base: float
    tall: float  # of a bar that is sure
    reads: float
    source: float
    bars: list[float]  # the places of the bars
    mask: tuple[float, float, float]  # left, top, side

    @classmethod
    def of(cls, v: DecodingStoryValues, stage: Stage) -> "DecodingLayout":
        left = 112 if stage.wide else 6
        columns = centres(v.columns, left, stage.width - 8)
        step = (stage.width - 8 - left) / v.columns
        texts = v.named([*v.output, *v.fork.turns[-1].output, *v.right])
        size = fitting(texts, step - (20 if stage.wide else 3), 18 if stage.wide else 14)
        if stage.wide:
            rest = 28, 84, 240, 98, 320, 376, centres(SHOWN, 330, 930), (146, 140, 124)
        else:
            rest = 38, 84, 240, 96, 322, 398, centres(SHOWN, 112, 356), (10, 146, 88)
        return cls(v, stage, columns, step, size, *rest)

    def word(
        self, name: str, text: str, column: int, y: float, color: str = "decoder", opacity: float = 1.0, born: str = ""
    ) -> Word:
        """A token in its column."""
        wide, gloss = self.stage.wide, self.v.glosses.get(text, "")
        chip, room = (color, self.step) if wide else ("", self.step - 2)
        word = Word(name, self.columns[column], y, text, size=self.size, color=color, chip=chip, gloss=gloss, room=room)
        return replace(word, opacity=opacity, level=1, born=born)

    def read(self, tokens: Sequence[int], **born: str) -> list[Actor]:
        """The row that the decoder reads; `born`, by their places (`at_3`), those that come from elsewhere."""
        return [
            self.word(f"in {at}", text, at, self.reads, born=born.get(f"at_{at}", f"out {at - 1}"))
            for at, text in enumerate(self.v.named(tokens)[: len(self.columns)])
        ]

    def written(self, tokens: Sequence[int], dim: int = 99) -> list[Actor]:
        """The row of the output, without its start symbol; from turn `dim` on what is no longer so."""
        return [
            self.word(f"out {at}", text, at, self.writes, opacity=0.3 if at + 1 >= dim else 1.0, born="token 0")
            for at, text in enumerate(self.v.named(tokens)[1:])
        ]

    def names(self, *rows: str) -> list[Actor]:
        """What the rows are: beside them, or above them where it is narrow."""
        x, size, above, below = (12, 14, 0, 0) if self.stage.wide else (6, 11, -20, 19)
        heights = {"writes": self.writes + above, "reads": self.reads + below, "source": self.source + above}
        colors = {"source": "encoder"}
        texts = {row: self.v.say(f"story.{row}") for row in rows}
        return [
            Word(f"name {row}", x, heights[row], text, size=size, color=colors.get(row, "quiet"), align="left")
            for row, text in texts.items()
        ]

    def sources(self) -> list[Actor]:
        names = self.v.at_hand.source.labels(self.v.src)
        left, right = (112, self.stage.width - 8) if self.stage.wide else (6, self.stage.width - 8)
        step = (right - left) / len(names)
        most, glosses = 16 if self.stage.wide else 13, [self.v.glosses.get(name, "") for name in names]
        return [
            Word(f"source {at}", x, self.source, name, color="encoder", gloss=glosses[at], room=step).fit(
                step - 1, most, 9
            )
            for at, (name, x) in enumerate(zip(names, centres(len(names), left, right)))
        ]

    def chances(self, turn: GreedyTurn, lit: int = -1) -> list[Actor]:
        """The likeliest tokens of a turn as bars, and an arrow from what was read last to the one taken: the first,
        or the one whose place is `lit`."""
        order = np.argsort(-turn.probabilities, kind="stable")[:SHOWN].tolist()
        names = self.v.named([turn.given[0], *order])[1:]
        step = self.bars[1] - self.bars[0]
        wide = 0.5 * step
        size = fitting(names, step - 6, 17 if self.stage.wide else 12)
        shares = [percent(float(turn.probabilities[token])) for token in order]
        small = fitting(shares, step - 4, 14 if self.stage.wide else 11)
        column, first, last = self.columns[len(turn.given) - 1], self.bars[0], self.bars[-1]
        taken, below = self.bars[max(lit, 0)], 32 if self.stage.wide else 30
        low = self.reads - 1.1 * self.size - 4
        shown: list[Actor] = [
            Line("base", first - step / 2, self.base, last + step / 2, self.base, color="grid"),
            Line("up", column, low, taken, self.base + below, color="decoder", arrow=True),
        ]
        for rank, (token, x) in enumerate(zip(order, self.bars)):
            height, color = self.tall * float(turn.probabilities[token]), "chosen" if rank == lit else "decoder"
            shown += [
                bar(f"bar {rank}", x, self.base, height, wide, color),
                Word(f"share {rank}", x, self.base - height - 11, shares[rank], size=small).lit(rank in (0, lit)),
                Word(f"token {rank}", x, self.base + 16, names[rank], size=size).lit(rank in (0, lit), color),
            ]
        return shown

    def staircase(self, turn: int) -> list[Actor]:
        """What each of the rows that are there may attend to, and what is hatched for it."""
        left, top, side = self.mask
        cell = side / max(1, self.v.columns)
        name, size = self.v.say("story.mask"), 13 if self.stage.wide else 11
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
