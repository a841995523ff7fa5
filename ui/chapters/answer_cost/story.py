"""What an answer costs, told: each step computes all keys and values anew, or keeps them; what that takes, and how
groups and a window make it smaller."""

from collections.abc import Sequence

import numpy as np

from transformer_core.experiments.answer_cost import cache_bytes
from transformer_core.tasks.vocabulary import END
from ui.chapters.answer_cost.memory import COLORS, ENDS, GROUPS, KINDS, sizes_of
from ui.figures import number
from ui.figures.actors import Actor, Beat, Box, Grid, Stage, Word
from ui.model.rows import continued_row, row_example, row_kind, task_of
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, ranked
from ui.sections.scene import Columns, Told, pace, story

KEPT = Choice("story_kept", ("both", "queries", "outputs"), right="both")
FEWEST, MOST = 5, 24  # words of the row that is asked about besides
LOW, TOP, STEP_ROOM = 40, 64, 90  # middle of the words, top of the first step, left of the table
WINDOW = 4096


class AnswerStoryValues:
    """Of the row that the GPT writes from the example."""

    def __init__(self, chapter: AnyChapter) -> None:
        self.say, self.kind = chapter.say, row_kind("gpt", chapter.at_hand)
        vocabulary = task_of(self.kind).vocabulary
        row = continued_row(self.kind, tuple(vocabulary.read(row_example(self.say, "story.prompt", self.kind))))
        self.names = vocabulary.names_of(token for token in row[1:] if token != END)
        self.n = len(self.names)
        self.bytes = {size: self._bytes(size) for size in ENDS}

    def _bytes(self, size: str) -> dict[str, float]:
        """A row as long as can be, by each kind of cache."""
        sizes, n = sizes_of(size, self.kind), np.array([ENDS[size][1]])
        few = {"all": sizes, "grouped": sizes._replace(groups=GROUPS[size]), "one": sizes._replace(groups=1)}
        found = {kind: float(cache_bytes(each, n)[0]) for kind, each in few.items()}
        return found | {"window": float(cache_bytes(sizes, n, WINDOW)[0])}


def _steps(v: AnswerStoryValues, stage: Stage, made: np.ndarray) -> list[Actor]:
    """A line for each step, with a cell for each key and value that it needs: 1 = computed, a little = kept."""
    left = stage.of(STEP_ROOM, 44)
    columns = Columns(v.n, left, stage.width - 8)
    words = columns.words("word", v.names, LOW, stage.of(20, 14), 4)
    tall = (stage.height - TOP - 34) / v.n
    steps = [
        Word(f"step {n}", left - 8, TOP + (n + 0.5) * tall, v.say("story.step", step=n + 1), align="right",
             color="quiet").fit(left - 10, min(14, 0.8 * tall))
        for n in range(v.n)
    ]  # fmt: skip
    grid = Grid("table", left, TOP, v.n * columns.step, v.n * tall, made, shares=True)
    return [*words, *steps, grid]


def _count(v: AnswerStoryValues, stage: Stage, count: int) -> Word:
    text = v.say("story.count", count=count)
    at = Word("count", stage.width - 10, stage.height - 14, text, align="right", weight=600, color="attention")
    return at.fit(stage.width - 20, 16)


def _triangle(v: AnswerStoryValues, steps: int, kept: float) -> np.ndarray:
    """The first so many steps, what a later one needs of an earlier word being worth `kept`."""
    cells = np.where(np.tri(v.n, v.n, -1) > 0, kept, np.where(np.eye(v.n) > 0, 1.0, np.nan))
    cells[steps:] = np.nan
    return cells


def anew(v: AnswerStoryValues, stage: Stage) -> Told:
    glide, rest = pace(v.n, 5)
    beats = []
    for steps in range(1, v.n + 1):
        cells = _triangle(v, steps, 1.0)
        beats.append(Beat((*_steps(v, stage, cells), _count(v, stage, steps * (steps + 1) // 2)), glide, rest))
    said = {"n": v.n, "count": v.n * (v.n + 1) // 2}
    return Told(tuple(beats), "continued(model, prompt)", said, {"open": "work"})


def kept(v: AnswerStoryValues, stage: Stage) -> Told:
    glide, rest = pace(v.n, 4)
    before = Beat((*_steps(v, stage, _triangle(v, v.n, 1.0)), _count(v, stage, v.n * (v.n + 1) // 2)), 0.5, 0.4)
    beats = [before]
    for steps in range(1, v.n + 1):
        cells = _triangle(v, v.n, 1.0)
        cells[:steps] = _triangle(v, steps, 0.12)[:steps]
        computed = steps + sum(range(steps + 1, v.n + 1))
        beats.append(Beat((*_steps(v, stage, cells), _count(v, stage, computed)), glide, rest))
    return Told(tuple(beats), "CachedReader(model)", {"n": v.n, "count": v.n * (v.n + 1) // 2}, {"open": "work"})


def _bars(v: AnswerStoryValues, stage: Stage, size: str, kinds: Sequence[str], unit: float, name: str) -> list[Actor]:
    left, most = stage.of(300, 116), max(v.bytes[size].values())
    long = stage.width - left - stage.of(130, 84)
    shown: list[Actor] = []
    for at, kind in enumerate(KINDS):
        if kind not in kinds:
            continue
        y, value = 90 + at * 70, v.bytes[size][kind]
        label = v.say(f"kind.{kind}", h=sizes_of(size, v.kind).h, groups=GROUPS[size], window=WINDOW)
        wide = max(2.0, long * value / most)
        figure = v.say(name, number=number(value / unit, 3))
        shown += [
            Word(f"label {kind}", left - 12, y, label, align="right", color=COLORS[kind]).fit(left - 18, 17),
            Box(f"bar {kind}", left, y - 16, wide, 32, color=COLORS[kind]),
            Word(f"figure {kind}", left + wide + 8, y, figure, align="left", size=stage.of(16, 13)),
        ]
    return shown


def fewer(v: AnswerStoryValues, stage: Stage) -> Told:
    """Of the shipped GPT's size, whose rows are far shorter than the window."""
    beats = [Beat(tuple(_bars(v, stage, "here", KINDS[:n], 1e3, "story.kb")), 0.7, 0.5) for n in (1, 2, 3)]
    sizes = {kind: number(v.bytes["here"][kind] / 1e3, 3) for kind in KINDS[:3]}
    said = {**sizes, "last": ENDS["here"][1]}
    return Told(tuple(beats), "cache_bytes(sizes, n)", said, {"cache_of": "here"})


def far(v: AnswerStoryValues, stage: Stage) -> Told:
    mark = Word("mark", stage.width / 2, 36, v.say("story.formula"), color="quiet").fit(stage.width - 20, 16)
    beats = [Beat((mark, *_bars(v, stage, "seventy", KINDS[:n], 1e9, "story.gb")), 0.7, 0.5) for n in (1, 2, 3, 4)]
    sizes = {kind: number(v.bytes["seventy"][kind] / 1e9, 3) for kind in KINDS}
    last = f"{ENDS['seventy'][1]:,}"
    said: dict[str, object] = {
        **sizes,
        "window_gb": sizes["window"],
        "last": last,
        "window": WINDOW,
        "groups": GROUPS["seventy"],
    }
    return Told(tuple(beats), "cache_bytes(sizes, n)", said, {"cache_of": "seventy", "window": str(WINDOW)})


def of_another_row(v: AnswerStoryValues, seed: int) -> Version:
    """In a row of another length: how many pairs of key and value each head computes without a cache."""
    n = FEWEST + (7 * seed) % (MOST - FEWEST + 1)
    n += n == v.n
    count = int(np.tri(n).sum())
    return Version("both", {"n": n, "count": count}, ranked({"queries": n, "both": count, "outputs": n**2}))


INQUIRY = Inquiry(KEPT, ("asks", "small", "same"), "asks", of_another_row)
STORY = story(AnswerStoryValues, (anew, kept, fewer, far), {"anew": INQUIRY}, fixed=True)
