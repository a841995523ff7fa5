"""A table of words under a card: where its rows and columns stand, and the actors that it is made of."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ui.chapters.masks.story.experiments import MasksStoryValues
from ui.sections.scene import Actor, Box, Stage, Word, centres, fitting

TOP, TALLEST = 88, 46  # where the rows begin; of a row
HEAD = 52  # the words above the columns
READABLE = 8


@dataclass(frozen=True)
class MaskTable:
    stage: Stage
    rows: int
    names: Sequence[str]  # of the columns
    left: float
    right: float

    @property
    def columns(self) -> list[float]:
        return centres(len(self.names), self.left, self.right)

    @property
    def step(self) -> float:
        return (self.right - self.left) / len(self.names)

    @property
    def tall(self) -> float:
        return min(TALLEST, (self.stage.height - TOP - 12) / self.rows)

    @property
    def size(self) -> float:
        """Of letters in the cells."""
        return fitting(self.names, self.step - 5, min(19, 0.56 * self.tall), 6)

    @property
    def told(self) -> bool:
        """Whether a word can be read in a cell; else a cell is a box, and the words stand beside the rows."""
        return self.size >= READABLE

    def top(self, row: int) -> float:
        return TOP + row * self.tall

    def middle(self, row: int) -> float:
        return self.top(row) + self.tall / 2

    def heads(self, v: MasksStoryValues, lit: int | None = None, instead: str = "") -> list[Actor]:
        """The words above the columns, one of them perhaps replaced."""
        if not self.told:
            return []
        words = [instead if at == lit and instead else name for at, name in enumerate(self.names)]
        size = fitting(self.names, self.step - 5, 19, 6)
        return [
            Word(f"head {at}", x, HEAD, word, size=size, gloss=v.glosses.get(word, ""), room=self.step - 2).lit(
                at == lit, "wrong"
            )
            for at, (x, word) in enumerate(zip(self.columns, words))
        ]

    def padded_heads(self, v: MasksStoryValues, paddings: int) -> list[Actor]:
        """The same, where the last columns are paddings, which have one name; words that could not be read are not
        written, for they stand beside the rows too."""
        words = MaskTable(self.stage, self.rows, self.names[:-paddings], self.left, self.right - paddings * self.step)
        room = paddings * self.step + 16
        name = f"{paddings} × {self.names[-1]}"
        mark = Word("paddings", self.right - paddings * self.step / 2, HEAD, name, color="quiet").fit(room, 16, 8)
        return [mark, *(words.heads(v) if fitting(words.names, self.step - 5, 19, 6) >= READABLE else [])]

    def word(self, row: int, column: int, text: str, color: str = "text") -> Actor:
        x, y = self.columns[column], self.middle(row)
        if not self.told:
            wide, tall = 0.62 * self.step, 0.5 * self.tall
            return Box(f"cell {row} {column}", x - wide / 2, y - tall / 2, wide, tall,
                       color="decoder" if color == "text" else color, opacity=0.6, radius=3)  # fmt: skip
        return Word(f"word {row} {column}", x, y, text, size=self.size, color=color, born=f"head {column}")

    def card(self, row: int, first: int, born: str = "") -> list[Actor]:
        """Over the columns of a row from the `first` on; none if there are no such."""
        last = len(self.names)
        if first >= last:
            return []
        left, wide = self.left + first * self.step + 1, (last - first) * self.step - 2
        card = Box(f"card {row}", left, self.top(row) + 1, wide, self.tall - 2, color="grid", hatched=True, radius=3)
        return [replace(card, level=1, born=born)]

    def labels(self, words: Sequence[str], lit: int | None = None) -> list[Actor]:
        """What asks, beside each row; one of them perhaps a word that has been replaced."""
        size = fitting(words, self.left - 10, min(16, 0.56 * self.tall), 6)
        return [
            Word(f"row {at}", self.left - 6, self.middle(at), word, size=size, align="right", born=f"word {at} {at}",
                 color="query").lit(at == lit, "wrong")
            for at, word in enumerate(words)
        ]  # fmt: skip


@dataclass(frozen=True)
class Measure:
    """Bars beside the rows of a table, two a row: under the card, and with the card lifted."""

    table: MaskTable
    highest: float

    @property
    def left(self) -> float:
        return self.table.right + (34 if self.table.stage.wide else 12)

    @property
    def room(self) -> float:
        return self.table.stage.width - self.left - (96 if self.table.stage.wide else 44)

    def legend(self, v: MasksStoryValues, lifted: bool) -> list[Actor]:
        wide = self.table.stage.wide
        said = {"under": "decoder"} | ({"lifted": "wrong"} if lifted else {})
        size = 15 if wide else 11
        return [
            Word(f"legend {key}", self.left, (48 if key == "under" else 70) - (0 if wide else 6),
                 v.say(f"story.{key}"), align="left", size=size, color=color)
            for key, color in said.items()
        ]  # fmt: skip

    def bars(self, which: str, values: Sequence[float], figures: Sequence[str]) -> list[Actor]:
        """`which` is "under" or "lifted"; a number stands behind each bar."""
        thick = 0.34 * self.table.tall
        below = which == "lifted"
        color = "wrong" if below else "decoder"
        shown: list[Actor] = []
        for row, (value, figure) in enumerate(zip(values, figures)):
            y = self.table.middle(row) + (1 if below else -thick - 1)
            long = max(1.5, self.room * value / (self.highest or 1.0))
            shown.append(Box(f"{which} {row}", self.left, y, long, thick, color=color))
            size = min(13.0, 1.15 * thick) if self.table.stage.wide else min(10.0, 1.15 * thick)
            shown.append(
                Word(f"{which} figure {row}", self.left + long + 6, y + thick / 2 + 0.5, figure, size=max(8.0, size),
                     align="left", color=color)
            )  # fmt: skip
        return shown
