"""An answer under a card that uncovers one word more in each row, and what attention makes of that."""

from dataclasses import replace

import numpy as np

from ui.chapters.masks.story.experiments import MasksStoryValues
from ui.chapters.masks.story.places import MaskTable
from ui.sections.scene import Actor, Beat, Box, Grid, Stage, Told, Word, end_of, fitting


def _table(v: MasksStoryValues, stage: Stage) -> MaskTable:
    left, right = (120, 150) if stage.wide else (46, 62)
    table = MaskTable(stage, len(v.words), v.words, left, stage.width - right)
    return table if table.told else replace(table, left=max(left, 60.0))


def _sentence(v: MasksStoryValues, at: MaskTable) -> Word:
    """What is translated."""
    room = at.stage.width - 2 * 24
    size = fitting([v.sentence], room, 18)
    return Word("sentence", at.stage.width / 2, 18, v.sentence, size=size, color="encoder")


def _guesses(v: MasksStoryValues, at: MaskTable, rows: int) -> list[Actor]:
    """What each row has to predict, behind it."""
    texts = [f"→ {word}" for word in v.guesses]
    size = fitting(texts, at.stage.width - at.right - 10, min(18, 0.56 * at.tall), 6)
    return [
        Word(f"guess {row}", at.right + 8, at.middle(row), texts[row], size=size, align="left", color="decoder")
        for row in range(rows)
    ]


def card(v: MasksStoryValues, stage: Stage) -> Told:
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
            mark = Word(f"ask {row}", at.columns[row + 1], at.middle(row), "?", size=0.55 * at.tall, weight=600,
                        color="decoder", level=2)  # fmt: skip
            shown.append(mark)
        first = row < 2
        actors = (*still, *shown, *_guesses(v, at, row + 1))
        beats.append(Beat(actors, 0.6 if first else 1.6 / count, 0.4 if first else 0.6 / count))
    said = {"last": v.words[-2], "next": v.words[-1]}
    link = {"ahead_cell": f"mask.{count - 2}.{count - 1}"}
    return Told(tuple(beats), f"subsequent_mask({count}) · {count} × {count}", said, link)


def _rows(v: MasksStoryValues, at: MaskTable, which: str) -> list[Actor]:
    """The table's numbers, a strip a row: scores, or weights where those that are blocked are 0."""
    values, shares = np.asarray(getattr(v, which)), which == "weights"
    wide, end, digits = at.right - at.left, end_of(v.scores), 2 if at.step >= 30 else 0
    return [
        Grid(f"strip {n}", at.left, at.top(n), wide, at.tall, row[None], shares=shares, end=end, digits=digits)
        for n, row in enumerate(values)
    ]


def table(v: MasksStoryValues, stage: Stage) -> Told:
    at, count = _table(v, stage), len(v.words)
    still = [_sentence(v, at), *at.heads(v), *at.labels(v.words)]
    cards = [actor for row in range(count) for actor in at.card(row, row + 1)]
    scores, weights = _rows(v, at, "scores"), _rows(v, at, "weights")

    def name(which: str) -> Word:
        text = v.say(f"story.{which}")
        room = stage.width - at.right - 12
        return Word(f"name {which}", at.right + 8, at.middle(0), text, align="left",
                    color="attention" if which == "weights" else "quiet").fit(room, 15, 8)  # fmt: skip

    sums: list[Actor] = [
        Word(f"sum {row}", at.right + 8, at.middle(row), v.say("story.sum"), color="attention",
             align="left").fit(stage.width - at.right - 12, min(15, 0.5 * at.tall), 8)
        for row in range(1, count)
    ]  # fmt: skip
    diagonal = Box("diagonal", at.left, at.top(0), at.step, at.tall, color="chosen", filled=False)
    beats = [Beat((*still, *scores, name("scores")), 0.7, 0.5)]
    shown: list[Actor] = []
    for row in range(count):
        shown = cards[: row + 1]
        beats.append(Beat((*still, *scores, *shown, name("scores")), 1.2 / count, 0.2 / count))
    beats.append(Beat((*still, *weights, *cards, name("weights"), *sums, diagonal), 0.9, 0.6))
    link = {"ahead_cell": "mask.0.0"}
    return Told(tuple(beats), f"{v.origins[0]} · masked, weights", {"first": v.words[0]}, link)
