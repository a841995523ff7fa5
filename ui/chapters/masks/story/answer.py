"""An answer under a card that uncovers one word more in each row, and what attention makes of that."""

from dataclasses import replace

import numpy as np

from ui.chapters.masks.story.experiments import Values
from ui.chapters.masks.story.places import Table
from ui.figures.actors import Actor, Beat, Box, Grid, Stage, Word
from ui.figures.staging import fitting
from ui.page.story import Told


def _table(v: Values, stage: Stage) -> Table:
    left, right = (120, 150) if stage.wide else (46, 62)
    table = Table(stage, len(v.words), v.words, left, stage.width - right)
    return table if table.told else replace(table, left=max(left, 60.0))


def _sentence(v: Values, at: Table) -> Word:
    """What is translated."""
    room = at.stage.width - 2 * 24
    size = fitting([v.sentence], room, 18)
    return Word(name="sentence", x=at.stage.width / 2, y=18, text=v.sentence, size=size, color="encoder")


def _guesses(v: Values, at: Table, rows: int) -> list[Actor]:
    """What each row has to predict, behind it."""
    texts = [f"→ {word}" for word in v.guesses]
    size = fitting(texts, at.stage.width - at.right - 10, min(18, 0.56 * at.tall), 6)
    return [
        Word(name=f"guess {row}", x=at.right + 8, y=at.middle(row), text=texts[row], size=size, align="left",
             color="decoder")
        for row in range(rows)
    ]  # fmt: skip


def card(v: Values, stage: Stage) -> Told:
    at, count = _table(v, stage), len(v.words)
    beside = [] if at.told else at.labels(v.words)
    still: list[Actor] = [_sentence(v, at), *at.heads(v), *beside]
    beats = [Beat(tuple(still), 0.6, 0.5)]
    shown: list[Actor] = []
    for row in range(count):
        asked = row + 1 < count
        shown += [at.word(row, column, v.words[column]) for column in range(row + 1)]
        shown += at.card(row, row + 1, born=f"card {row - 1}")
        if asked:
            mark = Word(name=f"ask {row}", x=at.columns[row + 1], y=at.middle(row), text="?", size=0.55 * at.tall,
                        weight=600, color="decoder", level=2)  # fmt: skip
            shown.append(mark)
        first = row < 2
        actors = (*still, *shown, *_guesses(v, at, row + 1))
        beats.append(Beat(actors, 0.6 if first else 1.6 / count, 0.4 if first else 0.6 / count))
    said = {"last": v.words[-2], "next": v.words[-1]}
    link = {"ahead_cell": f"mask.{count - 2}.{count - 1}"}
    return Told(tuple(beats), f"subsequent_mask({count}) · {count} × {count}", said, link)


def _rows(v: Values, at: Table, which: str) -> list[Actor]:
    """The table's numbers, a strip a row: scores, or weights where those that are blocked are 0."""
    values = np.asarray(getattr(v, which))
    end = float(np.abs(v.scores).max()) or 1.0
    wide = at.step >= 30
    return [
        Grid(
            name=f"strip {row}",
            x=at.left,
            y=at.top(row),
            width=at.right - at.left,
            height=at.tall,
            values=values[row : row + 1],
            scale="probability" if which == "weights" else "signed",
            ends=(0.0, 1.0) if which == "weights" else (-end, end),
            digits=2 if wide else 0,
        )
        for row in range(at.rows)
    ]


def table(v: Values, stage: Stage) -> Told:
    at, count = _table(v, stage), len(v.words)
    still = [_sentence(v, at), *at.heads(v), *at.labels(v.words)]
    cards = [actor for row in range(count) for actor in at.card(row, row + 1)]
    scores, weights = _rows(v, at, "scores"), _rows(v, at, "weights")

    def name(which: str) -> Word:
        text = v.say(f"story.{which}")
        room = stage.width - at.right - 12
        return Word(name=f"name {which}", x=at.right + 8, y=at.middle(0), text=text, size=fitting([text], room, 15, 8),
                    align="left", color="attention" if which == "weights" else "quiet")  # fmt: skip

    sums: list[Actor] = [
        Word(name=f"sum {row}", x=at.right + 8, y=at.middle(row), text=v.say("story.sum"), color="attention",
             size=fitting([v.say("story.sum")], stage.width - at.right - 12, min(15, 0.5 * at.tall), 8), align="left")
        for row in range(1, count)
    ]  # fmt: skip
    diagonal = Box(name="diagonal", x=at.left, y=at.top(0), width=at.step, height=at.tall, color="chosen", filled=False)
    beats = [Beat((*still, *scores, name("scores")), 0.7, 0.5)]
    shown: list[Actor] = []
    for row in range(count):
        shown = cards[: row + 1]
        beats.append(Beat((*still, *scores, *shown, name("scores")), 1.2 / count, 0.2 / count))
    beats.append(Beat((*still, *weights, *cards, name("weights"), *sums, diagonal), 0.9, 0.6))
    link = {"ahead_cell": "mask.0.0"}
    return Told(tuple(beats), f"{v.origins[0]} · masked, weights", {"first": v.words[0]}, link)
