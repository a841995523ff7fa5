"""The card is lifted: what the model at hand computes then, of a changed word, without later words, and of padding; and
what comes of training so."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ui.chapters.masks.story.experiments import PADDINGS, MasksStoryValues
from ui.chapters.masks.story.places import MaskTable, Measure
from ui.figures import number
from ui.model.shipped import PEEKING
from ui.sections.scene import Actor, Beat, Grid, Stage, Told, Word, fitting, pace

SHOWN = {"open": "probes", "future": "from"}  # the section where the reader goes on


def _table(v: MasksStoryValues, stage: Stage) -> MaskTable:
    left, right = (24, 560) if stage.wide else (6, 216)
    table = MaskTable(stage, len(v.words), v.words, left, right)
    return table if table.told else replace(table, left=60.0)


def _named(v: MasksStoryValues, at: MaskTable, lit: int | None = None) -> list[Actor]:
    """The words above the table's columns, or beside its rows; one of them perhaps replaced."""
    words = [v.instead if place == lit else word for place, word in enumerate(v.words)]
    return at.heads(v, lit, v.instead) if at.told else at.labels(words, lit)


def _written(values: Sequence[float]) -> list[str]:
    return [number(float(value), 2) for value in values]


def _cards(at: MaskTable) -> list[Actor]:
    return [actor for row in range(at.rows) for actor in at.card(row, row + 1)]


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
    at = _table(v, stage)
    under, lifted = (probe.difference[:, v.changed].tolist() for probe in (v.under, v.lifted))
    measure = Measure(at, max(*under, *lifted))
    now = _named(v, at, v.changed)
    bars = measure.bars("under", under, _written(under))
    more = measure.bars("lifted", lifted, _written(lifted))
    legend, both = (measure.legend(v, lifted) for lifted in (False, True))
    beats = (
        Beat((*_named(v, at), *_words(v, at), *_cards(at)), 0.4, 0.2),
        Beat((*now, *_words(v, at, changed=True), *_cards(at)), 0.6, 0.4),
        Beat((*now, *_words(v, at, changed=True), *_cards(at), *legend, *bars), 0.7, 0.6),
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
    at = _table(v, stage)
    under, lifted = (probe.difference.tolist() for probe in (v.alone_under, v.alone_lifted))
    measure = Measure(at, max(*under, *lifted))
    bars = measure.bars("under", under, _written(under))
    more = measure.bars("lifted", lifted, _written(lifted))
    legend, both = (measure.legend(v, lifted) for lifted in (False, True))
    written = v.say("story.written")
    size = fitting([written], at.right - at.left, 17)
    heads: list[Actor] = [] if at.told else _named(v, at)
    heads += [Word("written", at.left + 6, 52, written, size=size, color="quiet", align="left")]
    beats = (
        Beat((*_named(v, at), *_words(v, at), *_cards(at)), 0.4, 0.2),
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
    at = MaskTable(stage, len(found.right), [""], *((170, 420) if stage.wide else (84, 190)))
    measure = Measure(at, 1.0)
    labels = at.labels(found.right)
    titles = {"written": (at.left, measure.left, "quiet"), "share": (measure.left, stage.width, "wrong")}
    texts = {name: v.say(f"story.{name}") for name in titles}
    large = min(fitting([texts[name]], right - left - 8, 16) for name, (left, right, _) in titles.items())
    heads: dict[str, Actor] = {
        name: Word(name, left, 64, texts[name], align="left", color=color, size=large)
        for name, (left, _, color) in titles.items()
    }
    sentence = Word("sentence", stage.width / 2, 20, found.sentence, color="encoder").fit(stage.width - 48, 18)
    size = fitting(found.written, at.step - 8, min(18, 0.56 * at.tall))
    words = [
        Word(f"written {row}", at.columns[0], at.middle(row), said, size=size,
             color="decoder" if said == word else "wrong", gloss=v.glosses.get(said, "") if at.tall > 28 else "",
             room=at.step)
        for row, (said, word) in enumerate(zip(found.written, found.right))
    ]  # fmt: skip
    before = (sentence, *labels)
    bars = (heads["share"], *measure.bars("lifted", found.shares.tolist(), _written(found.shares.tolist())))
    each = pace(len(words), 1.1)
    beats = [Beat(before, 0.4, 0.2), Beat((*before, *bars), 0.6, 0.3)]
    beats += [Beat((*before, *bars, heads["written"], *words[: row + 1]), *each) for row in range(len(words))]
    said = {
        "loss": number(found.loss, 1),
        "least": number(int(100 * found.shares.min()) / 100, 2),
        "right": found.hits,
        "count": len(found.right),
    }
    origin = f"{PEEKING} · Batch(look_ahead=False) · greedy_decode"
    return Told(tuple(beats), origin, said, SHOWN | {"ahead_on": "0"}, "" if found.cheats else "mixed")


def padding(v: MasksStoryValues, stage: Stage) -> Told:
    """Rows of the encoder: its words, to which paddings are appended."""
    count = len(v.sources) - PADDINGS
    at = MaskTable(stage, count, v.sources, 110 if stage.wide else 50, 600 if stage.wide else 216)
    lifted, under = (probe.difference[:, -1].tolist() for probe in (v.padded_lifted, v.padded_under))
    measure = Measure(at, max(*under, *lifted))
    heads, labels = at.padded_heads(v, PADDINGS), at.labels(v.sources[:count])
    cards = [actor for row in range(count) for actor in at.card(row, count)]

    def strips(which: np.ndarray) -> list[Actor]:
        return [
            Grid(f"strip {row}", at.left, at.top(row), at.right - at.left, at.tall, which[row : row + 1], shares=True,
                 digits=2 if at.step >= 30 else 0)
            for row in range(count)
        ]  # fmt: skip

    more = measure.bars("lifted", lifted, _written(lifted))
    bars = measure.bars("under", under, _written(under))
    beats = (
        Beat((*heads, *labels, *strips(v.read)), 0.6, 0.5),
        Beat((*heads, *labels, *strips(v.read), *measure.legend(v, lifted=True)[1:], *more), 0.7, 0.6),
        Beat((*heads, *labels, *strips(v.unread), *cards, *measure.legend(v, lifted=True), *more, *bars), 0.8, 0.5),
    )
    most = int(np.argmax(lifted))
    said = {"word": v.sources[most], "open": number(lifted[most], 2), "masked": number(max(under), 1)}
    return Told(beats, f"{v.origins[1]} · padding_probe", said, SHOWN | {"paddings": str(PADDINGS)})
