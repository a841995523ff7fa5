"""Masks told: a card uncovers the answer row by row; lifted, the words to be guessed can be read, and nothing else is
learned; padding is covered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ui.chapters.masks.story_values import COVERED, PADDINGS, MasksStoryValues, values
from ui.figures import number
from ui.figures.actors import Actor, Beat, Box, Grid, Stage, Word
from ui.model.shipped import PEEKING
from ui.sections.scene import Columns, Told, adding, end_of, fitting, pace, story

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

    @cached_property
    def columns(self) -> Columns:
        return Columns(len(self.names), self.left, self.right)

    @cached_property
    def step(self) -> float:
        return self.columns.step

    @cached_property
    def tall(self) -> float:
        return min(TALLEST, (self.stage.height - TOP - 12) / self.rows)

    @cached_property
    def size(self) -> float:
        return fitting(self.names, self.step - 5, min(19, 0.56 * self.tall), 6)

    @cached_property
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
        size, room = fitting(self.names, self.step - 5, 19, 6), self.step - 2
        heads = self.columns.words("head", words, HEAD, size, glosses=v.glosses, room=room)
        return [word.lit(at == lit, "wrong") for at, word in enumerate(heads)]

    def padded_heads(self, v: MasksStoryValues, paddings: int) -> list[Actor]:
        """The same, where the last columns are paddings, which have one name; words that could not be read are not
        written, for they stand beside the rows too."""
        words = MaskTable(self.stage, self.rows, self.names[:-paddings], self.left, self.right - paddings * self.step)
        room = paddings * self.step + 16
        name = f"{paddings} × {self.names[-1]}"
        mark = Word("paddings", self.right - paddings * self.step / 2, HEAD, name, color="quiet").fit(room, 16, 8)
        return [mark, *(words.heads(v) if fitting(words.names, self.step - 5, 19, 6) >= READABLE else [])]

    def word(self, row: int, column: int, text: str, color: str = "text") -> Actor:
        x, y = self.columns.middles[column], self.middle(row)
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

    def cards(self, first: int | None = None) -> list[Actor]:
        """Over what comes after each row's own column, or from the `first` column on."""
        return [actor for row in range(self.rows) for actor in self.card(row, row + 1 if first is None else first)]

    def strips(self, values: np.ndarray, *, shares: bool = True, end: float = 1.0) -> list[Actor]:
        """The table's numbers, a strip a row."""
        wide, digits = self.right - self.left, 2 if self.step >= 30 else 0
        return [
            Grid(
                f"strip {n}", self.left, self.top(n), wide, self.tall, row[None], shares=shares, end=end, digits=digits
            )
            for n, row in enumerate(values)
        ]

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
    table: MaskTable
    highest: float

    @property
    def left(self) -> float:
        return self.table.right + self.table.stage.of(34, 12)

    @property
    def room(self) -> float:
        return self.table.stage.width - self.left - self.table.stage.of(96, 44)

    def legend(self, v: MasksStoryValues, lifted: bool) -> list[Actor]:
        size, *heights = self.table.stage.of((15, 48, 70), (11, 42, 64))
        said = [("under", "decoder"), *([("lifted", "wrong")] if lifted else [])]
        return [
            Word(f"legend {key}", self.left, y, v.say(f"story.{key}"), align="left", size=size, color=color)
            for y, (key, color) in zip(heights, said)
        ]

    def bars(self, which: str, values: Sequence[float]) -> list[Actor]:
        """`which` is "under" or "lifted"; a number stands behind each bar."""
        thick = 0.34 * self.table.tall
        below = which == "lifted"
        color = "wrong" if below else "decoder"
        size = max(8.0, min(self.table.stage.of(13.0, 10.0), 1.15 * thick))
        shown: list[Actor] = []
        for row, value in enumerate(values):
            y = self.table.middle(row) + (1 if below else -thick - 1)
            long = max(1.5, self.room * value / (self.highest or 1.0))
            shown.append(Box(f"{which} {row}", self.left, y, long, thick, color=color))
            x, y = self.left + long + 6, y + thick / 2 + 0.5
            figure = number(float(value), 2)
            shown.append(Word(f"{which} figure {row}", x, y, figure, size=size, align="left", color=color))
        return shown


# The card is lifted: what the model at hand computes then, of a changed word, without later words, and of padding; and
# what comes of training so.

SHOWN = {"open": "probes", "future": "from"}  # the section where the reader goes on


def _lifted_table(v: MasksStoryValues, stage: Stage) -> MaskTable:
    table = MaskTable(stage, len(v.words), v.words, *stage.of((24, 560), (6, 216)))
    return table if table.told else replace(table, left=60.0)


def _named(v: MasksStoryValues, at: MaskTable, lit: int | None = None) -> list[Actor]:
    """The words above the table's columns, or beside its rows; one of them perhaps replaced."""
    words = [v.instead if place == lit else word for place, word in enumerate(v.words)]
    return at.heads(v, lit, v.instead) if at.told else at.labels(words, lit)


def _words(v: MasksStoryValues, at: MaskTable, *, lifted: bool = False, changed: bool = False) -> list[Actor]:
    """Those that a row sees: up to its own, or all; in the column that is changed, the other word."""
    shown: list[Actor] = []
    for row in range(at.rows):
        for column in range(at.rows if lifted else row + 1):
            other = changed and column == v.changed
            text = v.instead if other else v.words[column]
            shown.append(at.word(row, column, text, "wrong" if other else "text"))
    return shown


def leak(v: MasksStoryValues, stage: Stage) -> Told:
    at = _lifted_table(v, stage)
    under, lifted = (probe.difference[:, v.changed].tolist() for probe in (v.under, v.lifted))
    measure = Measure(at, max(*under, *lifted))
    now = _named(v, at, v.changed)
    bars = measure.bars("under", under)
    more = measure.bars("lifted", lifted)
    legend, both = (measure.legend(v, lifted) for lifted in (False, True))
    beats = (
        Beat((*_named(v, at), *_words(v, at), *at.cards()), 0.4, 0.2),
        Beat((*now, *_words(v, at, changed=True), *at.cards()), 0.6, 0.4),
        Beat((*now, *_words(v, at, changed=True), *at.cards(), *legend, *bars), 0.7, 0.6),
        Beat((*now, *_words(v, at, lifted=True, changed=True), *legend, *bars), 0.6, 0.2),
        Beat((*now, *_words(v, at, lifted=True, changed=True), *both, *bars, *more), 0.8, 0.5),
    )
    earlier = np.array(lifted[: v.changed])
    said = {
        "old": v.words[v.changed],
        "new": v.instead,
        "count": int((earlier > 0).sum()),
        "rows": v.changed,
        "most": number(float(earlier.max()), 2),
    }
    link = SHOWN | {"ahead_on": "0", "causal_cell": f"difference.0.{v.changed}"}
    words = "" if earlier.any() else "blind"
    return Told(beats, "causality_probe · decoder.output", said, link, words)


def alone(v: MasksStoryValues, stage: Stage) -> Told:
    at = _lifted_table(v, stage)
    under, lifted = (probe.difference.tolist() for probe in (v.alone_under, v.alone_lifted))
    measure = Measure(at, max(*under, *lifted))
    bars = measure.bars("under", under)
    more = measure.bars("lifted", lifted)
    legend, both = (measure.legend(v, lifted) for lifted in (False, True))
    written = Word("written", at.left + 6, 52, v.say("story.written"), color="quiet", align="left")
    heads = [*([] if at.told else _named(v, at)), written.fit(at.right - at.left, 17)]
    beats = (
        Beat((*_named(v, at), *_words(v, at), *at.cards()), 0.4, 0.2),
        Beat((*heads, *_words(v, at)), 0.6, 0.3),
        Beat((*heads, *_words(v, at), *legend, *bars), 0.6, 0.4),
        Beat((*heads, *_words(v, at), *both, *bars, *more), 0.7, 0.4),
    )
    most = int(np.argmax(lifted))
    said = {"same": number(max(under), 1), "row": v.words[most], "apart": number(lifted[most], 2)}
    return Told(beats, "prefix_probe · decoder.output", said, SHOWN | {"ahead_on": "0"})


def peeks(v: MasksStoryValues, stage: Stage) -> Told:
    """Another model, which was trained so. A row for each next word: what it writes there alone, and the probability
    of the right one."""
    found = v.peek
    at = MaskTable(stage, len(found.right), [""], *stage.of((170, 420), (84, 190)))
    measure = Measure(at, 1.0)
    labels = at.labels(found.right)
    titles = {
        "correct": (0, at.left + 2, "query"),
        "own": (at.left + 10, measure.left, "quiet"),
        "share": (measure.left, stage.width, "wrong"),
    }
    texts = {name: v.say(f"story.{name}") for name in titles}
    large = min(fitting([texts[name]], right - left - 8, 16) for name, (left, right, _) in titles.items())
    heads = {
        name: Word(name, left, 64, texts[name], align="left", color=color, size=large)
        for name, (left, _, color) in titles.items()
    }
    sentence = Word("sentence", stage.width / 2, 20, found.sentence, color="encoder").fit(stage.width - 48, 18)
    size = fitting(found.written, at.step - 8, min(18, 0.56 * at.tall))
    words = [
        Word(f"written {row}", at.columns.middles[0], at.middle(row), said, size=size,
             color="decoder" if said == word else "wrong", gloss=v.glosses.get(said, "") if at.tall > 28 else "",
             room=at.step)
        for row, (said, word) in enumerate(zip(found.written, found.right))
    ]  # fmt: skip
    heads["correct"] = replace(heads["correct"], x=at.left - 6, align="right")
    before = (sentence, heads["correct"], *labels)
    bars = (heads["share"], *measure.bars("lifted", found.shares.tolist()))
    glide, rest = pace(len(words), 1.1)
    first, *others = words
    each = (([word], glide, rest) for word in others)
    beats = adding((before, 0.4, 0.2), (bars, 0.6, 0.3), ([heads["own"], first], glide, rest), *each)
    said = {
        "loss": number(found.loss, 1),
        "least": number(int(100 * found.shares.min()) / 100, 2),
        "right": found.hits,
        "count": len(found.right),
    }
    origin = f"{PEEKING} · Batch(look_ahead=False) · greedy_decode"
    return Told(beats, origin, said, SHOWN | {"ahead_on": "0"}, "" if found.cheats else "mixed")


def padding(v: MasksStoryValues, stage: Stage) -> Told:
    """Rows of the encoder: its words, to which paddings are appended."""
    count = len(v.sources) - PADDINGS
    at = MaskTable(stage, count, v.sources, *stage.of((110, 600), (50, 216)))
    lifted, under = (probe.difference[:, -1].tolist() for probe in (v.padded_lifted, v.padded_under))
    measure = Measure(at, max(*under, *lifted))
    heads, labels, legend = at.padded_heads(v, PADDINGS), at.labels(v.sources[:count]), measure.legend(v, lifted=True)
    read, unread = at.strips(v.read[:count]), at.strips(v.unread[:count])
    more = measure.bars("lifted", lifted)
    bars = measure.bars("under", under)
    beats = (
        Beat((*heads, *labels, *read), 0.6, 0.5),
        Beat((*heads, *labels, *read, *legend[1:], *more), 0.7, 0.6),
        Beat((*heads, *labels, *unread, *at.cards(count), *legend, *more, *bars), 0.8, 0.5),
    )
    most = int(np.argmax(lifted))
    said = {"word": v.sources[most], "open": number(lifted[most], 2), "masked": number(max(under), 1)}
    return Told(beats, f"{v.origins[1]} · padding_probe", said, SHOWN | {"paddings": str(PADDINGS)})


# An answer under a card that uncovers one word more in each row, and what attention makes of that.


def _answer_table(v: MasksStoryValues, stage: Stage) -> MaskTable:
    left, right = stage.of((120, 150), (46, 62))
    table = MaskTable(stage, len(v.words), v.words, left, stage.width - right)
    return table if table.told else replace(table, left=max(left, 60.0))


def _sentence(v: MasksStoryValues, at: MaskTable) -> Word:
    return Word("sentence", at.stage.width / 2, 18, v.sentence, color="encoder").fit(at.stage.width - 2 * 24, 18)


def _guesses(v: MasksStoryValues, at: MaskTable, rows: int) -> list[Actor]:
    texts = [f"→ {word}" for word in v.guesses]
    size = fitting(texts, at.stage.width - at.right - 10, min(18, 0.56 * at.tall), 6)
    return [
        Word(f"guess {row}", at.right + 8, at.middle(row), texts[row], size=size, align="left", color="decoder")
        for row in range(rows)
    ]


def card(v: MasksStoryValues, stage: Stage) -> Told:
    at, count = _answer_table(v, stage), len(v.words)
    beside = [] if at.told else at.labels(v.words)
    still: list[Actor] = [_sentence(v, at), *at.heads(v), *beside]
    beats = [Beat(tuple(still), 0.6, 0.5)]
    shown: list[Actor] = []
    for row in range(count):
        asked = row + 1 < count
        shown += [at.word(row, column, v.words[column]) for column in range(row + 1)]
        shown += at.card(row, row + 1, born=f"card {row - 1}")
        if asked:
            mark = Word(f"ask {row}", at.columns.middles[row + 1], at.middle(row), "?", size=0.55 * at.tall, weight=600,
                        color="decoder", level=2)  # fmt: skip
            shown.append(mark)
        first = row < 2
        actors = (*still, *shown, *_guesses(v, at, row + 1))
        beats.append(Beat(actors, 0.6 if first else 1.6 / count, 0.4 if first else 0.6 / count))
    said = {"last": v.words[-2], "next": v.words[-1]}
    link = {"ahead_cell": f"mask.{count - 2}.{count - 1}"}
    return Told(tuple(beats), f"subsequent_mask({count}) · {count} × {count}", said, link)


def table(v: MasksStoryValues, stage: Stage) -> Told:
    at, count = _answer_table(v, stage), len(v.words)
    still = [_sentence(v, at), *at.heads(v), *at.labels(v.words)]
    cards, end = at.cards(), end_of(v.scores)
    scores = at.strips(np.asarray(v.scores), shares=False, end=end)
    weights = at.strips(np.asarray(v.weights), end=end)  # those that are blocked are 0

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


STORY = story(values, (card, table, leak, alone, peeks, padding), {"table": COVERED})
