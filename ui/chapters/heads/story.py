"""All heads told: beams from an output word to the source; one head off, and the output is written anew; the wall."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ui.chapters.heads.story_values import SPARED, HeadsStoryValues, values
from ui.chapters.heads.what_if.outcome import in_both
from ui.chapters.shared.attention_values import path
from ui.figures import percent
from ui.figures.actors import Actor, Beat, Dot, Grid, Line, Stage, Word
from ui.sections.scene import Bars, Columns, Told, adding, breadth, centres, fitting, flowing, pace, sizes, story
from ui.settings.shared import KINDS

THIN = 0.02  # a share below it has no beam
THICK = 16.0  # the beam of a share of 1
READABLE = 10  # size of letters
MOST = 12  # words of the output that the beams are moved along


BEAMS = sizes(
    edge=(24, 6),  # beside the words
    word=(24.0, 15.0),  # letters of the output, at most
    lines=(1, 2),  # of the output
    line=(22, 18),  # from one to the next, besides their letters
    heads=(222, 236),  # their height
    source=(30, 26),  # of the source's words, from below
    end=(24, 17),  # of a beam, above its word
    parts=(14, 10),  # between the old output and the new one
)


@dataclass(frozen=True)
class BeamLayout:
    v: HeadsStoryValues
    stage: Stage
    side: str = "encoder"  # whose words are looked at

    @property
    def sizes(self) -> Any:
        return BEAMS.on(self.stage)

    @property
    def edges(self) -> tuple[float, float]:
        return self.sizes.edge, self.stage.width - self.sizes.edge

    @property
    def size(self) -> float:
        """Of the output's letters: the longer one has a line on the wide stage, two or three on the narrow one."""
        left, right = self.edges
        longest = max(sum(breadth(word) + 1.1 for word in words) for words in (self.v.before, self.v.after))
        return max(8.5, min(self.sizes.word, 0.9 * self.sizes.lines * (right - left) / longest))

    def spots(self, words: Sequence[str]) -> list[tuple[float, int]]:
        """Where words of the output stand: their middle, and their line; on the wide stage the row is centred."""
        left, right = self.edges
        found = flowing(words, left, right, self.size, 1.1 * self.size)
        if not self.stage.wide or not found:
            return found
        end = found[-1][0] + self.size * breadth(words[-1]) / 2
        return [(x + (right - end) / 2, line) for x, line in found]

    @property
    def line(self) -> float:
        return self.size + self.sizes.line

    def dot(self, head: int) -> tuple[float, float]:
        left, right = self.edges
        inset = 0.16 * self.stage.width
        count = len(self.v.weights)
        return centres(count, left + inset, right - inset)[head], self.sizes.heads

    def key(self, at: int) -> tuple[float, float]:
        left, right = self.edges
        return centres(len(self.v.sources), left, right)[at], self.stage.height - self.sizes.source

    def output(self, words: Sequence[str], top: float, lit: int | None = None, *, color: str = "text") -> list[Word]:
        size, known = self.size, self.v.glosses if self.size > 10 else {}
        glosses = [known.get(word, "") for word in words]
        places = [(x, top + line * self.line) for x, line in self.spots(words)]
        return [
            Word(f"out {at}", x, y, word, size=size, color=color, gloss=gloss).lit(at == lit, "decoder")
            for at, (word, gloss, (x, y)) in enumerate(zip(words, glosses, places))
        ]

    def source(self) -> list[Actor]:
        """Its words; where they would be too small in a row, every second one stands below it."""
        left, right = self.edges
        room = (right - left) / len(self.v.sources)
        low = fitting(self.v.sources, room - 4, 21, 6) < READABLE
        size = fitting(self.v.sources, (2 if low else 1) * room - 4, 13 if low else 21, 6)
        glosses = {} if low else self.v.glosses
        shown: list[Actor] = []
        for at, word in enumerate(self.v.sources):
            (x, y), half = self.key(at), size * breadth(word) / 2
            x, y = min(max(x, half), self.stage.width - half), y + (16 if low and at % 2 else 0)
            gloss = glosses.get(word, "")
            shown.append(Word(f"source {at}", x, y, word, size=size, color=self.side, gloss=gloss, room=room))
        return shown

    def heads(self, upto: int | None = None, off: int | None = None) -> list[Actor]:
        shown: list[Actor] = []
        count = len(self.v.weights)
        radius = min(15.0, 0.3 * (self.dot(1)[0] - self.dot(0)[0])) if count > 1 else 15.0
        for head in range(count if upto is None else upto):
            x, y = self.dot(head)
            gone = head == off
            color = "wrong" if gone else "attention"
            shown.append(Dot(f"head {head}", x, y, radius, color=color, filled=not gone, level=2))
            shown.append(
                Word(f"number {head}", x, y + 0.5, "✗" if gone else str(head), size=1.1 * radius, weight=600,
                     color="wrong" if gone else "background", level=3)
            )  # fmt: skip
        return shown

    def beams(
        self, row: int, start: tuple[float, float], upto: int | None = None, off: int | None = None
    ) -> list[Actor]:
        """Of one output word: a thin line to each head, and on from there to each source word, as thick as its
        share."""
        shown: list[Actor] = []
        for head in range(len(self.v.weights) if upto is None else upto):
            if head == off:
                continue
            x, y = self.dot(head)
            shown.append(Line(f"asks {head}", start[0], start[1], x, y, width=1.2, color="decoder", opacity=0.7))
            for at, share in enumerate(self.v.weights[head, row].tolist()):
                if share >= THIN:
                    to_x, to_y = self.key(at)[0], self.key(at)[1] - self.sizes.end
                    shown.append(
                        Line(f"beam {head} {at}", x, y, to_x, to_y, width=THICK * share, color="attention",
                             opacity=0.3 + 0.6 * share)
                    )  # fmt: skip
        return shown

    def below(self, row: int, words: Sequence[str], top: float) -> tuple[float, float]:
        x, line = self.spots(words)[row]
        return x, top + line * self.line + 0.62 * self.size + (16 if self.v.glosses.get(words[row]) else 4)


TOP = 40  # of the output


def one(v: HeadsStoryValues, stage: Stage) -> Told:
    at = BeamLayout(v, stage)
    row, count = v.row, len(v.weights)
    start = at.below(row, v.before, TOP)
    still = [*at.output(v.before, TOP, row), *at.source()]
    beats = [Beat(tuple(still), 0.6, 0.5)]
    slow, quick = min(count, 3), max(0, count - 3)
    for upto in range(1, count + 1):
        glide, rest = (0.6, 0.2) if upto <= slow else pace(quick, 1.5)
        beats.append(Beat((*still, *at.heads(upto), *at.beams(row, start, upto)), glide, rest))
    said = {"word": v.before[row], "heads": count, "layer": v.written.layer}
    return Told(tuple(beats), v.origin, said, _cell(v, row), "" if count > 1 else "single")


def turns(v: HeadsStoryValues, stage: Stage) -> Told:
    at = BeamLayout(v, stage)
    rows = [*range(min(MOST, len(v.before))), v.row]
    glide, rest = pace(len(rows), 4.0)
    shown = [
        (*at.output(v.before, TOP, row), *at.source(), *at.heads(), *at.beams(row, at.below(row, v.before, TOP)))
        for row in rows
    ]
    beats = (Beat(shown[-1], 0.5, 0.2), *(Beat(one, glide, rest) for one in shown))
    weights = v.weights[v.written.head, v.row]
    best = int(weights.argmax())
    said = {
        "word": v.before[v.row],
        "head": v.written.head,
        "best": v.sources[best],
        "share": percent(float(weights[best]), 0),
    }
    return Told(beats, v.origin, said, _cell(v, v.row))


def _cell(v: HeadsStoryValues, row: int) -> dict[str, str]:
    head = v.written.head
    best = int(v.weights[head, row].argmax())
    name = f"cross.{v.written.layer}.{head}"
    return {"cell": f"{name}.{row}.{best}", "opened": f"weights.{row}.{best}"} | dict(v.link)


# One head is switched off: what is written then, and how often that matters, head by head.


def off(v: HeadsStoryValues, stage: Stage) -> Told:
    """The output as it was goes up; below it the new one, of which what stays glides down."""
    at, head, row = BeamLayout(v, stage), v.written.head, v.row
    lines = 1 + max(line for _, line in at.spots(v.before))
    high, low = (24.0, 24.0 + lines * at.line + at.sizes.parts)
    stays, stayed = in_both(tuple(v.written.before[1:]), tuple(v.written.after[1:]))
    old = [replace(word, born=f"out {place}") for place, word in enumerate(at.output(v.before, high, color="quiet"))]
    old = [replace(word, name=f"old {place}") for place, word in enumerate(old)]
    names = dict(zip(sorted(stayed), sorted(stays)))  # what stays is the same actor, and glides
    new = [
        replace(word, name=f"out {names[place]}", color="text", weight=400)
        if place in stayed
        else replace(word, name=f"new {place}", color="wrong", weight=600)
        for place, word in enumerate(at.output(v.after, low))
    ]
    spare = len(v.after) - 1 if v.after else 0
    at_row = min(row, max(0, spare))
    start = at.below(row, v.before, TOP)
    still = at.source()
    begun = at.below(at_row, v.after, low) if v.after else start
    beats = (
        Beat((*still, *at.output(v.before, TOP, row), *at.heads(), *at.beams(row, start)), 0.6, 0.6),
        Beat((*still, *at.output(v.before, TOP, row), *at.heads(off=head), *at.beams(row, start, off=head)), 0.7, 0.6),
        Beat((*still, *old, *new, *at.heads(off=head), *at.beams(row, begun, off=head)), 1.0, 1.2),
    )
    said = {"head": head, "layer": v.written.layer, "word": v.before[row], "heads": v.kept.size}
    said |= {"instead": v.after[row] if row < len(v.after) else "—"}
    link = {"open": "what_if", "hurts": "decoder", "if_how": "off", "if_kind": "cross"}
    link |= {"if_layer": str(v.written.layer), "if_head": str(head)} | dict(v.link)
    origin = f"{v.origin} · head_off(…, {head})"
    return Told(beats, origin, said, link, "" if v.changes else "none")


def often(v: HeadsStoryValues, stage: Stage) -> Told:
    """A bar for each head of every cross-attention: of how many sentences it may be switched off."""
    layers, heads = v.kept.shape
    kept = v.kept.reshape(-1)
    left, right = stage.of((70.0, 890), (14.0, 346))
    columns = Columns(kept.size, left, right)
    base, tall = stage.height - 66.0, stage.height - 128.0
    worst, off = int(kept.argmin()), v.written.layer * heads + v.written.head
    chosen = worst if v.unseen else off  # the one of which the sentence speaks
    names = [str(at % heads) if layers == 1 else f"{at // heads}·{at % heads}" for at in range(kept.size)]
    small, upright = fitting([f"{v.sentences}"], columns.step - 3, 18, 6), Bars(base, min(90.0, 0.6 * columns.step))
    name = v.say("story.heads")
    title = v.say(f"story.{'unseen' if v.unseen else 'this'}", n=v.sentences)
    labels: list[Actor] = [
        columns.base(base),
        Line("all", left, base - tall, right, base - tall, color="quiet", dashed=True),
        Word("title", left, base - tall - 34, title, color="quiet", align="left").fit(right - left, 17, 8),
        Word("axis", (left + right) / 2, base + 46, name, color="quiet").fit(right - left, 16, 8),
    ]
    for at, word in enumerate(columns.words("number", names, base + 18, 19, 4, least=6, color="attention")):
        born = f"head {at % heads}" if at // heads == v.written.layer else ""
        labels.append(replace(word, born=born).lit(at == chosen, "wrong"))

    def bars(counts: np.ndarray) -> list[Actor]:
        shown: list[Actor] = []
        for at, count in enumerate(counts.tolist()):
            high = tall * count / v.sentences
            color = "wrong" if at == chosen else "attention"
            shown.append(upright.bar(f"bar {at}", columns.middles[at], high, color))
            inside = high > 2 * small  # where the line of all sentences does not cross it
            shown.append(
                Word(f"count {at}", columns.middles[at], base - high + (0.8 if inside else -0.8) * small,
                     f"{count:.0f}", size=small, color="background" if inside else "text", level=1)
            )  # fmt: skip
        return shown

    whole = np.full(kept.size, v.sentences)
    beats = (Beat((*labels, *bars(whole)), 0.7, 0.7), Beat((*labels, *bars(kept)), 1.2, 0.8))
    said = {
        "n": v.sentences,
        "head": names[worst],
        "least": int(kept.min()),
        "most": int(kept.max()),
        "heads": kept.size,
        "still": int((kept == v.sentences).sum()),
    }
    words = ("alike" if kept.min() == kept.max() else "") if v.unseen else "own"
    origin = v.at_hand.provenance("scores_without(decoder.layers.*.src_attn).right", *v.kept.shape, v.sentences)
    return Told(beats, origin, said, {"open": "ablation"} | dict(v.link), words)


# All heads of all attentions, each a small table of its shares.


def wall(v: HeadsStoryValues, stage: Stage) -> Told:
    layers, heads = v.at_hand.config.N, v.at_hand.config.h
    left, top = stage.of((112.0, 26.0), (52.0, 22.0))
    names = [v.say(f"story.{kind}") for kind in KINDS]
    across = (stage.width - left - 8) / (layers * heads)
    down = (stage.height - top - 6) / len(KINDS)
    high = min(0.88 * down, 1.4 * 0.92 * across)
    side = min(0.92 * across, 1.9 * high)
    size = fitting(names, left - 14, 18, 7)
    labels: list[Actor] = []
    for line, name in enumerate(names):
        y = top + (line + 0.5) * down
        labels.append(Word(f"kind {line}", left - 10, y, name, size=size, align="right"))
    for at in range(layers * heads):
        text = f"{at // heads}·{at % heads}"
        x = left + (at + 0.5) * across
        labels.append(Word(f"column {at}", x, 12, text, color="quiet").fit(across - 2, 15, 6))
    drawn: list[list[Actor]] = []
    for line, kind in enumerate(KINDS):
        row: list[Actor] = []
        for at in range(layers * heads):
            layer, head = divmod(at, heads)
            here = kind == "cross" and layer == v.written.layer
            rim, born = "chosen" if here and head == v.written.head else "", f"number {at}" if here else ""
            x, y = left + (at + 0.5) * across - side / 2, top + (line + 0.5) * down - high / 2
            weights = v.trace[f"{path(kind, layer)}.weights"][0, head].numpy()
            row.append(Grid(f"grid {kind} {at}", x, y, side, high, weights, shares=True, rim=rim, born=born))
        drawn.append(row)
    crossing, others = drawn[-1], drawn[:-1]
    glide, rest = pace(len(others), 1.6)
    beats = adding(([*labels, *crossing], 0.9, 0.6), *((row, glide + 0.3, rest) for row in others))
    count = len(KINDS) * layers * heads
    origin = v.at_hand.provenance("*.layers.*.*_attn.weights", len(KINDS), layers, heads)
    name = f"cross.{v.written.layer}.{v.written.head}"
    best = int(v.weights[v.written.head, v.row].argmax())
    return Told(beats, origin, {"count": count}, {"cell": f"{name}.{v.row}.{best}"} | dict(v.link))


# A word that must fit another one, and the head that looks there.


def fits(v: HeadsStoryValues, stage: Stage) -> Told:
    own = v.own
    seen = replace(v, weights=own.weights, sources=own.keys, before=own.queries, after=own.queries, row=own.look.query)
    at = BeamLayout(seen, stage, "decoder" if own.kind == "decoder" else "encoder")
    row, head = own.look.query, own.look.head
    start = at.below(row, seen.before, TOP)
    words = [*at.output(seen.before, TOP, row), *_lit(at.source(), own.look.key)]
    others = [
        replace(one, opacity=0.25)
        if one.name.split()[0] in ("beam", "asks") and one.name.split()[1] != str(head)
        else one
        for one in at.beams(row, start)
    ]
    beats = (
        Beat((*words, *at.heads()), 0.6, 0.4),
        Beat((*words, *at.heads(), *at.beams(row, start)), 0.7, 0.4),
        Beat((*words, *at.heads(), *others), 0.6, 0.6),
    )
    said = {"word": own.word, "noun": own.noun, "head": head, "share": percent(own.look.weight, 0)}
    said |= {"asks": own.queries[row]}
    origin = v.at_hand.provenance(f"{path(own.kind, own.look.layer)}.weights", *own.weights.shape)
    cell = f"{own.kind}.{own.look.layer}.{head}.{row}.{own.look.key}"
    return Told(beats, origin, said, {"cell": cell}, own.kind if own.follows else "back")


def _lit(words: list[Actor], at: int) -> list[Actor]:
    return [one.lit(n == at, "attention") if isinstance(one, Word) else one for n, one in enumerate(words)]


STORY = story(values, (one, turns, off, often, wall, fits), {"off": SPARED})
