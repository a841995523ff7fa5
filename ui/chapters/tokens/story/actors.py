"""Who plays in the story of tokens: words, their ids, the table, and strips of vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ui.chapters.tokens.story.values import LookedUp, TokensStoryValues
from ui.sections.scene import Actor, Box, Grid, Stage, Word, breadth, centres, fitting

END = 1.0  # of the colours, in all scenes: how far the position code reaches
DIGITS = 2


@dataclass(frozen=True)
class Row:
    """The places of a sentence; on a narrow stage every other word stands lower, so that each has room for letters."""

    stage: Stage
    columns: Sequence[float]
    step: float

    @property
    def strip(self) -> float:
        return min(120.0, self.step - (12 if self.stage.wide else 5))

    def lower(self, n: int) -> float:
        return 18.0 * (n % 2) if not self.stage.wide else 0.0

    def size(self, words: Sequence[str]) -> float:
        step = self.step - 6 if self.stage.wide else 2 * self.step - 6
        least = min([step, *(2 * column for column in (self.columns[0], self.stage.width - self.columns[-1]))])
        ends = [words[0], words[-1]]
        return min(fitting(words, step, 22 if self.stage.wide else 15), fitting(ends, least, 22))


def row_of(looked: LookedUp, stage: Stage) -> Row:
    margin = 12.0 if stage.wide else 6.0
    count = len(looked.tokens)
    return Row(stage, centres(count, margin, stage.width - margin), (stage.width - 2 * margin) / count)


def words(
    v: TokensStoryValues, looked: LookedUp, at: Row, y: float, lit: Sequence[int], name: str = "word"
) -> list[Actor]:
    size = at.size(looked.words)
    glossed = v.glosses if at.stage.wide else {}
    return [
        Word(f"{name} {n}", at.columns[n], y + at.lower(n), word, size=size, gloss=glossed.get(word, "")).lit(
            n in lit, "chosen"
        )
        for n, word in enumerate(looked.words)
    ]


def ids(
    looked: LookedUp, at: Row, y: float, lit: Sequence[int], upto: int | None = None, name: str = "id"
) -> list[Actor]:
    """The tokens' numbers, each below its word."""
    size = fitting([f"{token}00" for token in looked.tokens], at.step - 3, 16)
    shown: list[Actor] = []
    for n, token in enumerate(looked.tokens[:upto]):
        color = "chosen" if n in lit else "encoder"
        word = Word(f"{name} {n}", at.columns[n], y, str(token), size=size, weight=600, color=color, chip=color)
        shown.append(replace(word, born=f"word {n}"))
    return shown


@dataclass(frozen=True)
class EmbeddingTable:
    """Where the rows of the table stand: their names, their ids, and `shown` numbers of each."""

    x: float
    y: float
    width: float
    row: float
    shown: int

    def middle(self, at: int) -> float:
        return self.y + (at + 0.5) * self.row

    @property
    def ids(self) -> float:
        return self.x - 26

    @property
    def names(self) -> float:
        return self.x - 52

    @property
    def below(self) -> float:
        return self.y + 6 * self.row + 16


def list_at(stage: Stage) -> EmbeddingTable:
    """Before its numbers stand beside it."""
    return replace(table_at(stage), x=520 if stage.wide else 230)


def table_at(stage: Stage) -> EmbeddingTable:
    return EmbeddingTable(330, 176, 560, 32, 12) if stage.wide else EmbeddingTable(136, 172, 214, 34, 5)


def entries(v: TokensStoryValues, stage: Stage, at: EmbeddingTable) -> list[Actor]:
    """Names and ids: the list in which a word is looked up."""
    room = table_at(stage).names - 6
    size = fitting(v.names, room, 18 if at.shown > 6 else 15)
    shown: list[Actor] = []
    for n, name in enumerate(v.names):
        token, y = v.first + n, at.middle(n)
        lit = token == v.token
        shown += [
            Word(f"name {token}", at.names, y, name, size=size, align="right").lit(lit, "chosen"),
            Word(f"entry {token}", at.ids, y, str(token), size=14, color="quiet").lit(lit, "chosen"),
        ]
    rest = v.size - len(v.names)
    if rest:
        text = v.say("story.more", count=rest)
        shown.append(Word("more", at.names, at.below, text, color="quiet", align="right").fit(room, 13, 9))
    return shown


def rows(v: TokensStoryValues, at: EmbeddingTable, faint: float = 1.0) -> list[Actor]:
    """The table's numbers; those of the other rows as faint as that."""
    tall, shown = at.row - 4, at.shown
    every = [
        Grid(f"row {token}", at.x, at.y + n * at.row + 2, at.width, tall, row[None, :shown], end=END, digits=DIGITS)
        for n, (token, row) in enumerate(enumerate(v.table, v.first))
    ]
    return [row if n == v.token - v.first else replace(row, opacity=faint) for n, row in enumerate(every)]


def frame(v: TokensStoryValues, at: EmbeddingTable) -> Box:
    n = v.token - v.first
    return Box(
        "frame", at.x - 3, at.y + n * at.row, at.width + 6, at.row, color="chosen", filled=False, radius=4, level=2
    )


def strip(
    name: str, at: Row, n: int, table: np.ndarray, y: float, height: float, shown: int, rim: str = "", born: str = ""
) -> Grid:
    """The first numbers of one row of a table (tokens, d_model), below the word at place n."""
    x, row = at.columns[n] - at.strip / 2, table[n : n + 1, :shown]
    return Grid(name, x, y, at.strip, height, row, end=END, rim=rim, born=born, level=1)


def home(v: TokensStoryValues, token: int) -> str:
    """The actor from which the row of a token comes: itself, or those that are not shown."""
    return f"row {token}" if v.first <= token < v.first + len(v.names) else "more"


def widest(texts: Sequence[str]) -> float:
    return max(map(breadth, texts), default=1.0)
