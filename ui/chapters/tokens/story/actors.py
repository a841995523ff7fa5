"""Who plays in the story of tokens: words, their ids, the table, and strips of vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ui.chapters.tokens.story.values import LookedUp, Values
from ui.scene import Actor, Box, Grid, Stage, Word, breadth, centres, fitting

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


def words(v: Values, looked: LookedUp, at: Row, y: float, lit: Sequence[int], name: str = "word") -> list[Actor]:
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
    return [
        Word(
            f"{name} {n}",
            at.columns[n],
            y,
            str(token),
            size=size,
            weight=600,
            color="chosen" if n in lit else "encoder",
            chip="chosen" if n in lit else "encoder",
            born=f"word {n}",
        )
        for n, token in enumerate(looked.tokens[:upto])
    ]


@dataclass(frozen=True)
class Table:
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


def list_at(stage: Stage) -> Table:
    """Before its numbers stand beside it."""
    return replace(table_at(stage), x=520 if stage.wide else 230)


def table_at(stage: Stage) -> Table:
    return Table(330, 176, 560, 32, 12) if stage.wide else Table(136, 172, 214, 34, 5)


def entries(v: Values, stage: Stage, at: Table) -> list[Actor]:
    """Names and ids: the list in which a word is looked up."""
    room = table_at(stage).names - 6
    size = fitting(v.names, room, 18 if at.shown > 6 else 15)
    shown: list[Actor] = []
    for n, name in enumerate(v.names):
        token, lit = v.first + n, v.first + n == v.token
        color = "chosen" if lit else "text"
        weight = 600 if lit else 400
        shown += [
            Word(f"name {token}", at.names, at.middle(n), name, size=size, weight=weight, color=color, align="right"),
            Word(
                f"entry {token}",
                at.ids,
                at.middle(n),
                str(token),
                size=14,
                weight=weight,
                color=color if lit else "quiet",
            ),
        ]
    rest = v.size - len(v.names)
    if rest:
        text = v.say("story.more", count=rest)
        shown.append(Word("more", at.names, at.below, text, color="quiet", align="right").fit(room, 13, 9))
    return shown


def rows(v: Values, at: Table, faint: float = 1.0) -> list[Actor]:
    """The table's numbers; those of the other rows as faint as that."""
    return [
        Grid(
            f"row {v.first + n}",
            at.x,
            at.y + n * at.row + 2,
            at.width,
            at.row - 4,
            row[None, : at.shown],
            end=END,
            digits=DIGITS,
            opacity=1.0 if v.first + n == v.token else faint,
        )
        for n, row in enumerate(v.table)
    ]


def frame(v: Values, at: Table) -> Box:
    n = v.token - v.first
    return Box(
        "frame", at.x - 3, at.y + n * at.row, at.width + 6, at.row, color="chosen", filled=False, radius=4, level=2
    )


def strip(
    name: str, looked: LookedUp, at: Row, n: int, table: np.ndarray, y: float, height: float, shown: int, **more: object
) -> Grid:
    """The first numbers of one row of a table (tokens, d_model), below the word at place n."""
    given = {"rim": "", "born": "", **more}
    return Grid(
        name,
        at.columns[n] - at.strip / 2,
        y,
        at.strip,
        height,
        table[n : n + 1, :shown],
        end=END,
        rim=str(given["rim"]),
        born=str(given["born"]),
        level=1,
    )


def home(v: Values, token: int) -> str:
    """The actor from which the row of a token comes: itself, or those that are not shown."""
    return f"row {token}" if v.first <= token < v.first + len(v.names) else "more"


def widest(texts: Sequence[str]) -> float:
    return max(map(breadth, texts), default=1.0)
