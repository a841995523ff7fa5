"""Where the words stand that are read and written, the bars between them, and the mask that gains a step."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ui.chapters.decoding.story.values import SHOWN, Values
from ui.chapters.decoding.values import Turn
from ui.figures.actors import Actor, Box, Line, Stage, Word
from ui.figures.letters import fitting
from ui.figures.number import percent
from ui.figures.staging import bar, centres


@dataclass(frozen=True)
class Places:
    """A column for each turn: above it stands what is written there, below it what was read last. In another row of
    the upper part an output parts from the one above it."""

    v: Values
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
    def of(cls, v: Values, stage: Stage) -> "Places":
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
        return Word(
            name,
            self.columns[column],
            y,
            text,
            size=self.size,
            color=color,
            chip=color if self.stage.wide else "",
            gloss=self.v.glosses.get(text, ""),
            room=self.step - (0 if self.stage.wide else 2),
            opacity=opacity,
            level=1,
            born=born,
        )

    def read(self, tokens: Sequence[int], color: str = "decoder", **born: str) -> list[Actor]:
        """The row that the decoder reads; `born`, by their places (`at_3`), those that come from elsewhere."""
        return [
            self.word(f"in {at}", text, at, self.reads, color, born=born.get(f"at_{at}", f"out {at - 1}"))
            for at, text in enumerate(self.v.named(tokens)[: len(self.columns)])
        ]

    def written(self, tokens: Sequence[int], opacity: float = 1.0, dim: int = 99, born: str = "token 0") -> list[Actor]:
        """The row of the output, without its start symbol; from turn `dim` on what is no longer so."""
        return [
            self.word(
                f"out {at}", text, at, self.writes, "decoder", opacity=0.3 if at + 1 >= dim else opacity, born=born
            )
            for at, text in enumerate(self.v.named(tokens)[1:])
        ]

    def names(self, *rows: str) -> list[Actor]:
        """What the rows are: beside them, or above them where it is narrow."""
        heights = {"writes": self.writes, "reads": self.reads, "source": self.source}
        wide = self.stage.wide
        return [
            Word(
                f"name {row}",
                12 if wide else 6,
                heights[row] + (0 if wide else 19 if row == "reads" else -20),
                self.v.say(f"story.{row}"),
                size=14 if wide else 11,
                color="encoder" if row == "source" else "quiet",
                align="left",
            )
            for row in rows
        ]

    def sources(self) -> list[Actor]:
        names = self.v.at_hand.source.labels(self.v.src)
        left, right = (112, self.stage.width - 8) if self.stage.wide else (6, self.stage.width - 8)
        step = (right - left) / len(names)
        sizes = [fitting([name], step - 1, 16 if self.stage.wide else 13, 9) for name in names]
        return [
            Word(
                f"source {at}",
                x,
                self.source,
                name,
                size=sizes[at],
                color="encoder",
                gloss=self.v.glosses.get(name, ""),
                room=step,
            )
            for at, (name, x) in enumerate(zip(names, centres(len(names), left, right)))
        ]

    def chances(self, turn: Turn, lit: int = -1) -> list[Actor]:
        """The likeliest tokens of a turn as bars, and from where they come; `lit` is the place of the one taken."""
        order = np.argsort(-turn.probabilities, kind="stable")[:SHOWN].tolist()
        names = self.v.named([turn.given[0], *order])[1:]
        step = self.bars[1] - self.bars[0]
        wide = 0.5 * step
        size = fitting(names, step - 6, 17 if self.stage.wide else 12)
        shares = [percent(float(turn.probabilities[token])) for token in order]
        small = fitting(shares, step - 4, 14 if self.stage.wide else 11)
        column = self.columns[len(turn.given) - 1]
        middle = (self.bars[0] + self.bars[-1]) / 2
        shown: list[Actor] = [
            Line("base", self.bars[0] - step / 2, self.base, self.bars[-1] + step / 2, self.base, color="grid"),
            Line(
                "up",
                column,
                self.reads - 1.1 * self.size - 4,
                min(max(column, self.bars[0]), self.bars[-1]) if self.stage.wide else middle,
                self.base + (32 if self.stage.wide else 30),
                color="decoder",
                arrow=True,
            ),
        ]
        for rank, (token, x) in enumerate(zip(order, self.bars)):
            height, taken = self.tall * float(turn.probabilities[token]), rank == lit
            color = "chosen" if taken else "decoder"
            shown += [
                bar(f"bar {rank}", x, self.base, height, wide, color),
                Word(f"share {rank}", x, self.base - height - 11, shares[rank], size=small).lit(rank in (0, lit)),
                Word(
                    f"token {rank}",
                    x,
                    self.base + 16,
                    names[rank],
                    size=size,
                    color=color if taken or rank == 0 else "text",
                ).lit(rank == 0 or taken),
            ]
        return shown

    def staircase(self, turn: int) -> list[Actor]:
        """What each of the rows that are there may attend to, and what is hatched for it."""
        left, top, side = self.mask
        cell = side / max(1, self.v.columns)
        shown: list[Actor] = [
            Word(
                "name mask",
                left + side / 2,
                top - 14,
                self.v.say("story.mask"),
                size=13 if self.stage.wide else 11,
                color="quiet",
            ),
            Box("mask", left, top, side, side, color="grid", filled=False),
        ]
        for row in range(turn):
            y, edge = top + row * cell, left + (row + 1) * cell
            shown.append(Box(f"step {row}", left, y, edge - left, cell - 1, color="decoder"))
            if row + 1 < turn:
                wide = (turn - row - 1) * cell - 1
                shown.append(Box(f"later {row}", edge + 1, y, wide, cell - 1, color="grid", filled=False, hatched=True))
        return shown
