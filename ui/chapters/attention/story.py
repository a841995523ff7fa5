"""One head told: a word visits every other, divides, shares out, and collects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from transformer_core.tasks.vocabulary import END_NAME, START_NAME
from ui.chapters.shared.agreement import OtherWord, other_word, told_of
from ui.chapters.shared.attention_values import head_of, path
from ui.figures import number, percent
from ui.figures.actors import Actor, Beat, Grid, Line, Stage, Word
from ui.figures.stages import HeadValues
from ui.model import recorded
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, one_of, ranked, short
from ui.sections.scene import Bars, Columns, Told, adding, end_of, fitting, story
from ui.text import Words

KIND, LAYER = "encoder", 0
WORDS, QUERY, KEY, VALUE, OUTPUT = 30, 76, 112, 148, 352  # heights
BARS = 140, 390  # from where to where they reach, with their figures
FIGURE = 20
GUESS = Choice("story_share", ("exaggerated", "proportional", "equal"), right="exaggerated")


@dataclass(frozen=True)
class AttentionStoryValues:
    """Of one head of the encoder's first layer, and the word that the story is about."""

    say: Words
    words: list[str]
    head: HeadValues
    number: int  # of the head
    row: int  # the word that asks
    best: int  # the word that it takes most from
    origin: str
    other: OtherWord  # what becomes of the output with another noun
    output: str  # the tensor that says so
    glosses: Mapping[str, str]

    @property
    def d_k(self) -> int:
        return int(self.head.q.shape[1])

    @property
    def weights(self) -> np.ndarray:
        """(S,): what the word takes from each."""
        return np.asarray(self.head.weights[self.row])

    def link(self, stage: str, panel: str) -> dict[str, str]:
        cell = f"{panel}.{self.row}.{self.best if panel != 'output' else 0}"
        return {"kind": KIND, "layer": str(LAYER), "head": str(self.number), "stage": stage, "cell": cell}


def values(chapter: AnyChapter) -> AttentionStoryValues | None:
    sequences = chapter.typed
    at_hand = chapter.at_hand
    trace = recorded(at_hand, sequences.src, sequences.given)
    which, row, best = told_of(at_hand, trace[f"{path(KIND, LAYER)}.weights"][0].numpy(), sequences.src)
    head = head_of(trace, KIND, LAYER, which, sequences, at_hand.config.scale)
    origin = at_hand.provenance(path(KIND, LAYER), head=which)
    other = other_word(at_hand, sequences.src, best)
    output = at_hand.provenance("generator.output", 2, max(map(len, other.outputs)), at_hand.config.tgt_vocab)
    return AttentionStoryValues(
        say=chapter.say,
        words=sequences.sources,
        head=head,
        number=which,
        row=row,
        best=best,
        origin=origin,
        other=other,
        output=output,
        glosses=chapter.glosses,
    )


@dataclass(frozen=True)
class _AttentionLayout(Columns):
    stage: Stage
    unit: float  # of the bars, the same for products and scores: what is divided is seen to shrink
    floor: float  # on which they stand

    @property
    def strip(self) -> float:
        """The width of a strip."""
        return min(104, self.step - 6)

    @property
    def tall(self) -> float:
        """The height of the tallest bar."""
        return self.floor - BARS[0] - FIGURE


def _places(v: AttentionStoryValues, stage: Stage) -> _AttentionLayout:
    products = np.asarray(v.head.products[v.row])
    up, down = max(0.0, float(products.max())), max(0.0, -float(products.min()))
    unit = (BARS[1] - BARS[0] - 2 * FIGURE) / (up + down or 1.0)
    base = BARS[0] + FIGURE + up * unit
    return _AttentionLayout(len(v.words), stage.of(150.0, 8.0), stage.width - 8.0, stage, unit, base)


def _words(v: AttentionStoryValues, at: _AttentionLayout, lit: bool = True) -> list[Actor]:
    words = at.words("word", v.words, WORDS, 20, gap=2, alike=False)
    return [word.lit(lit and n == v.row, "query") for n, word in enumerate(words)]


def _strips(
    v: AttentionStoryValues,
    at: _AttentionLayout,
    which: str,
    y: float,
    *,
    opacity: float = 1.0,
    only: int | None = None,
) -> list[Grid]:
    table = np.asarray(getattr(v.head, which[0]))
    strips = at.strips(which, table, y, at.strip, 18, end=end_of(table), rim=which, opacity=opacity)
    return [replace(strip, born=f"word {n}") for n, strip in enumerate(strips) if only in (None, n)]


def _names(v: AttentionStoryValues, at: _AttentionLayout, **rows: float) -> list[Actor]:
    """What the strips are, beside their row; there is no room for that on a narrow stage."""
    if not at.stage.wide:
        return []
    return [
        Word(f"name {which}", 12, y + 9, v.say(f"story.{which}"), size=13, color=which, align="left")
        for which, y in rows.items()
    ]


def meaning(v: AttentionStoryValues, stage: Stage) -> Told:
    at = _places(v, stage)
    rows = {"query": QUERY, "key": KEY, "value": VALUE}
    drawn = ([*_strips(v, at, which, y), *_names(v, at, **{which: y})] for which, y in rows.items())
    beats = adding((_words(v, at, lit=False), 0.6, 0.4), *((one, 0.6, 0.4) for one in drawn))
    return Told(beats, v.origin, {"d_k": v.d_k}, v.link("products", "products"))


def _scores(
    v: AttentionStoryValues, at: _AttentionLayout, heights: np.ndarray, figures: list[str], upto: int, color: str
) -> list[Actor]:
    bars, size = Bars(at.floor, min(44, 0.5 * at.step), gap=11), fitting(figures, at.step - 3, 14)
    shown: list[Actor] = [at.base(at.floor)]
    for n, (x, height) in enumerate(zip(at.middles[:upto], heights.tolist())):
        shown.append(bars.bar(f"bar {n}", x, height, color))
        shown.append(bars.figure(f"figure {n}", x, height, figures[n], size=size).lit(n == v.best))
    return shown


def visit(v: AttentionStoryValues, stage: Stage) -> Told:
    at = _places(v, stage)
    products = np.asarray(v.head.products[v.row])
    figures = [number(float(one), 2) for one in products]
    still = [*_words(v, at), *_strips(v, at, "key", KEY), *_names(v, at, query=QUERY, key=KEY)]
    (query,) = _strips(v, at, "query", QUERY, only=v.row)
    beats = [Beat((*still, query), 0.6, 0.5)]
    for n in range(len(v.words)):
        there = replace(query, x=at.middles[n] - at.strip / 2)
        shown = _scores(v, at, at.unit * products, figures, n + 1, "query")
        first = n < 2
        beats.append(Beat((*still, there, *shown), 0.5 if first else 0.2, 0.4 if first else 0.05))
    said = {"word": v.words[v.row], "best": v.words[v.best], "score": figures[v.best]}
    return Told(tuple(beats), f"{v.origin} · query, key, products", said, v.link("products", "products"))


def share(v: AttentionStoryValues, stage: Stage) -> Told:
    at = _places(v, stage)
    products, scores = np.asarray(v.head.products[v.row]), np.asarray(v.head.masked[v.row])
    scores = np.where(v.head.mask[v.row], scores, 0.0)
    still = [*_words(v, at), *_strips(v, at, "key", KEY, opacity=0.35)]
    raw, divided = ([number(float(one), 2) for one in row] for row in (products, scores))
    shares = [percent(float(one), 0) for one in v.weights]
    count = len(v.words)
    beats = (
        Beat((*still, *_scores(v, at, at.unit * products, raw, count, "query")), 0.3, 0.2),
        Beat((*still, *_scores(v, at, at.unit * scores, divided, count, "query")), 0.7, 0.5),
        Beat((*still, *_scores(v, at, at.tall * v.weights, shares, count, "attention")), 0.8, 0.5),
    )
    best = float(v.weights[v.best])
    said = {
        "root": f"√{v.d_k}",
        "word": v.words[v.row],
        "best": v.words[v.best],
        "share": percent(best, 0),
        "rest": percent(1 - best, 0),
    }
    words = "" if v.head.scale else "unscaled"
    return Told(beats, f"{v.origin} · scores, weights", said, v.link("weights", "weights"), words)


def pour(v: AttentionStoryValues, stage: Stage) -> Told:
    at = _places(v, stage)
    table = np.asarray(v.head.v)
    end = end_of(table)
    shares = [percent(float(one), 0) for one in v.weights]
    still = [*_words(v, at), *_strips(v, at, "value", VALUE - 24), *_names(v, at, value=VALUE - 24)]
    figures = at.words("figure", shares, VALUE + 12, 14, 3, color="attention")
    still += [figure.lit(n == v.best) for n, figure in enumerate(figures)]
    wide = min(320, stage.width - 40)
    x, y = at.middles[v.row], OUTPUT - 40
    left = min(max(x - wide / 2, 8), stage.width - wide - 8)
    text = v.say("story.output", word=v.words[v.row])
    name = Word("name output", left + wide / 2, y + 44, text, size=15, color="text")
    beats = [Beat(tuple(still), 0.7, 0.5)]
    total = np.zeros(v.d_k)
    order = np.argsort(-v.weights, kind="stable")
    for turn, n in enumerate(order):
        share, value = float(v.weights[n]), table[n][None]
        total = total + v.weights[n] * table[n]
        drop = Grid(
            f"drop {turn}", left, y, wide, 26, value, end=end, rim="value", opacity=share, born=f"value {n}", level=1
        )
        sum_of = Grid("output", left, y, wide, 26, total[None], end=end, rim="attention")
        beats.append(Beat((*still, name, sum_of, drop), 0.7 if turn < 2 else 0.2, 0.3 if turn < 2 else 0.05))
    beats.append(Beat((*still, name, sum_of), 0.4, 0.6))
    said = {"word": v.words[v.row], "best": v.words[v.best], "share": shares[v.best]}
    return Told(tuple(beats), f"{v.origin} · value, weights, heads", said, v.link("output", "output"))


def every(v: AttentionStoryValues, stage: Stage) -> Told:
    count = len(v.words)
    wide, cell = min(60.0, (stage.width - 110) / count), min(46.0, (stage.height - 90) / count)
    left, top = (stage.width - wide * count) / 2 + 30, 72.0
    size, weights = fitting(v.words, min(96, left - 10), 16, 6), np.asarray(v.head.weights)
    labels: list[Actor] = []
    heads = Columns(count, left, left + wide * count).words("word", v.words, top - 14, 14, 2, alike=False)
    for n, (y, above) in enumerate(zip(Columns(count, top, top + cell * count).middles, heads)):
        beside = Word(f"row {n}", left - 8, y, v.words[n], size=size, align="right")
        labels += [beside.lit(n == v.row, "query"), above]

    def row(n: int) -> Grid:
        rim, y = "attention" if n == v.row else "", top + n * cell
        return Grid(f"weights {n}", left, y, wide * count, cell, weights[n : n + 1], shares=True, digits=2, rim=rim)

    others = (([row(n)], 0.13, 0.04) for n in range(count) if n != v.row)
    beats = adding(([*labels, row(v.row)], 0.8, 0.8), *others)
    return Told(beats, f"{v.origin} · weights", {"word": v.words[v.row]}, v.link("weights", "weights"))


def another(v: AttentionStoryValues, stage: Stage) -> Told:
    """The source and its output, and below them the same with another noun: what changes is marked."""
    other, changed = v.other, v.other.changed
    drawn = [
        _row(v, stage, "word", other.sources[0], 0.13 * stage.height, [other.place]),
        _row(v, stage, "out", other.outputs[0], 0.36 * stage.height, changed),
        _row(v, stage, "new word", other.sources[1], 0.62 * stage.height, [other.place]),
        _row(v, stage, "new out", other.outputs[1], 0.85 * stage.height, changed),
    ]
    lines: list[Actor] = []
    for which, (sources, outputs) in enumerate((drawn[:2], drawn[2:])):
        noun = sources[other.place]
        lines += [
            Line(f"to {which} {n}", noun.x, noun.y + 16, outputs[n].x, outputs[n].y - 16, color="attention")
            for n in changed[:MARKED]
            if n in outputs
        ]
    source, output, new_source, new_output = (list(row.values()) for row in drawn)
    beats = adding(([*source, *output], 0.3, 0.1), (new_source, 0.6, 0.3), ([*new_output, *lines], 0.7, 0.4))
    said: dict[str, object] = {"noun": other.noun[0], "other": other.noun[1]}
    if not other.looks:
        said |= {"changed": len(changed), "count": len(other.outputs[0])}
        return Told(beats, v.output, said, v.link("weights", "weights"), "plain")
    said |= {"word": other.outputs[0][other.follows], "new": other.outputs[1][other.follows]}
    return Told(beats, v.output, said, v.link("weights", "weights"))


MARKED = 6  # words of an output to which a line leads


def _row(
    v: AttentionStoryValues, stage: Stage, name: str, texts: list[str], y: float, lit: Sequence[int]
) -> dict[int, Word]:
    """By their places; a symbol only where it is `lit`. Both sources are of one size, and both outputs."""
    pair = v.other.sources if name.endswith("word") else v.other.outputs
    kept = [n for n, text in enumerate(texts) if n in lit or text not in (START_NAME, END_NAME)]
    columns = Columns(len(kept), 8, stage.width - 8)
    size = fitting([*pair[0], *pair[1]], columns.step - 4, 22, 6)
    glosses = {} if size < READABLE else v.glosses
    color = "encoder" if name.endswith("word") else "decoder"
    row = columns.words("", [texts[n] for n in kept], y, size, glosses=glosses, color=color, room=columns.step)
    born = name.removeprefix("new ") if name.startswith("new") else ""
    return {
        n: replace(word, name=f"{name} {n}", born=born and f"{born} {n}").lit(n in lit, "attention")
        for n, word in zip(kept, row)
    }


READABLE = 11  # letters below it have no gloss


def leads(v: AttentionStoryValues, row: int) -> tuple[float, float, float]:
    """The two highest scores of a word, and how many times the share of the second is that of the first."""
    scores, weights = v.head.scores[row], v.head.weights[row]
    first, second = np.argsort(-np.asarray(scores), kind="stable")[:2]
    return float(scores[first]), float(scores[second]), float(weights[first] / max(weights[second], 1e-30))


def elsewhere(v: AttentionStoryValues, seed: int) -> Version | None:
    """The same of another word, whose scores would have a ratio, too."""
    if len(v.words) < 2:
        return None
    told = leads(v, v.row)

    def of_word(row: int) -> Version | None:
        high, second, ratio = leads(v, row)
        labels = ranked({"exaggerated": ratio, "proportional": high / second, "equal": 1.0}) if second > 0 else {}
        said = {"word": v.words[row], "root": f"√{v.d_k}", "told": v.words[v.row]}
        numbers = {"high": high, "next": second, "lead": high - second, "ratio": ratio}
        numbers |= {"told_lead": told[0] - told[1], "told_ratio": told[2]}
        said |= {name: short(one) for name, one in numbers.items()}
        return Version("exaggerated", said, labels) if labels else None

    others = [row for row in range(len(v.words)) if row != v.row]
    return one_of(seed, others, of_word)


SHARE = Inquiry(GUESS, ("winner", "lead", "sum"), "lead", elsewhere)
STORY = story(values, (meaning, visit, share, pour, every, another), {"visit": SHARE}, poster=visit)
