"""Ways to decode told: a drop on a strip that probabilities divide, what temperature and top-p make of it, a beam."""

import math
from dataclasses import dataclass, replace

import numpy as np

from ui.chapters.shared.output import reads
from ui.chapters.ways.story_values import ALPHA, COOL, KEEPS, SEEDS, SQUEEZED, TOP_P, WARM, WaysStoryValues, values
from ui.figures import number, percent
from ui.figures.actors import Actor, Beat, Box, Dot, Line, Stage, Word
from ui.sections.scene import Bars, Columns, Told, adding, breadth, centres, fitting, pace, story

SHOWN = 8  # tokens that have a part of their own
LEAST = 9  # the size below which a name is left out
RADIUS = 5  # of a drop


@dataclass(frozen=True)
class _StripLayout:
    v: WaysStoryValues
    stage: Stage
    left: float
    width: float  # of the strip
    words: float  # heights: of what is written,
    source: float
    top: float  # of the strip,
    tall: float  # and its own

    @classmethod
    def of(cls, v: WaysStoryValues, stage: Stage) -> "_StripLayout":
        left, words, source, top, tall = stage.of((24, 64, 26, 252, 58), (8, 92, 38, 270, 52))
        return cls(v, stage, left, stage.width - 2 * left, words, source, top, tall)

    @property
    def names(self) -> list[str]:
        """Of the parts; the last is that of all other tokens."""
        shown = [self.v.named(token) for token in self.v.order[:SHOWN]]
        return shown if len(self.v.order) <= SHOWN else [*shown, self.v.say("others")]

    def parts(self, shares: np.ndarray) -> np.ndarray:
        """The tokens' shares, the likeliest first, and that of all others together."""
        sorted_ = shares[self.v.order]
        few, rest = sorted_[:SHOWN], sorted_[SHOWN:]
        return few if not len(rest) else np.append(few, rest.sum())

    def said(self, chosen: str = "?", color: str = "quiet") -> list[Actor]:
        """The source, what is written so far, and the place of the word that is to be drawn."""
        v = self.v
        texts = [*v.at_hand.target.labels(v.greedy)[: v.turn], chosen]
        at, above, most, source_most = self.stage.of((110, 0, 18, 15), (8, 22, 15, 13))
        room = self.stage.width - at - 8
        size = min(most, room / sum(breadth(text) + 1.3 for text in texts))
        source = Word(
            "source", at, self.source, " ".join(v.at_hand.source.labels(v.src)), color="encoder", align="left"
        )
        shown: list[Actor] = [
            Word(f"name {name}", 8, y - above, text, size=13, color=color, align="left")
            for name, text, y, color in (
                ("source", v.say("story.source"), self.source, "encoder"),
                ("words", v.say("output"), self.words, "quiet"),
            )
        ]
        shown.append(source.fit(room, source_most))
        x = float(at)
        for place, text in enumerate(texts):
            x += (0.65 + breadth(text) / 2) * size
            gloss, room = v.glosses.get(text, ""), (breadth(text) + 1) * size
            word = Word(f"word {place}", x, self.words, text, size=size, color="decoder", gloss=gloss, room=room)
            last = place == len(texts) - 1
            shown.append(replace(word, name="chosen", color=color, chip=color, born="drop 0") if last else word)
            x += (0.65 + breadth(text) / 2) * size
        return shown

    def ends(self, y: float) -> list[Actor]:
        last = self.left + self.width
        return [
            Word("end 0", self.left, y, "0", size=13, color="quiet", align="left"),
            Word("end 1", last, y, "1", size=13, color="quiet", align="right"),
        ]

    def strip(
        self, shares: np.ndarray, name: str = "part", top: float | None = None, born: str = "", lit: int = -1
    ) -> list[Actor]:
        """The parts end to end, each as wide as its share, with its name where that has room."""
        top = self.top if top is None else top
        shown: list[Actor] = []
        x = self.left
        for rank, (share, text) in enumerate(zip(self.parts(shares), self.names)):
            wide, others = float(share) * self.width, rank >= SHOWN
            home = f"{born} {rank}" if born else ""
            if wide > 0:
                drawn, opacity = max(wide - min(1.0, wide / 4), 0.2), 0.75 if rank % 2 else 1.0
                tint = "masked" if others else "chosen" if rank == lit else "decoder"
                part = Box(f"{name} {rank}", x, top, drawn, self.tall, color=tint, opacity=opacity, born=home)
                shown.append(replace(part, hatched=others, filled=not others))
            size, shown_share = min(17.0, (wide - 6) / breadth(text)), percent(float(share))
            if size >= LEAST:
                ink = "text" if others else "background"
                shown.append(
                    Word(f"{name} token {rank}", x + wide / 2, top + self.tall / 2, text, size=size, color=ink,
                         level=1, born=home)
                )  # fmt: skip
            small = min(14.0, (wide - 4) / breadth(shown_share))
            if small >= LEAST:
                shown.append(
                    Word(f"{name} share {rank}", x + wide / 2, top + self.tall + 13, shown_share, size=small, level=1,
                         born=home, gloss=self.v.glosses.get(text, ""), room=wide)
                )  # fmt: skip
            x += wide
        return shown

    def bars(self, shares: np.ndarray) -> list[Actor]:
        """The same parts side by side, as high as their shares."""
        parts, base = self.parts(shares), self.top + self.tall
        columns = Columns(len(parts), self.left, self.left + self.width)
        step, bars = columns.step, Bars(base, 0.6 * columns.step, gap=11)
        tall = (base - self.words - 76) / max(float(parts.max()), 1e-9)
        names = columns.words(
            "part token", self.names, base + 16, 17, 4, least=LEAST, alike=False, glosses=self.v.glosses, room=step
        )
        shown: list[Actor] = []
        for rank, (share, x, name) in enumerate(zip(parts.tolist(), columns.middles, names)):
            color, opacity = "masked" if rank >= SHOWN else "decoder", 0.75 if rank % 2 else 1.0
            figure = bars.figure(f"part share {rank}", x, share * tall, percent(share)).fit(step - 3, 13, LEAST - 1)
            shown += [bars.bar(f"part {rank}", x, share * tall, color, opacity), name, figure]
        return shown

    def x_of(self, number: float) -> float:
        return self.left + number * self.width


def strip(v: WaysStoryValues, stage: Stage) -> Told:
    at, shares = _StripLayout.of(v, stage), v.shares()
    said, ends = at.said(), at.ends(at.top + at.tall + 40)
    beats = (
        Beat((*said,), 0.4, 0.3),
        Beat((*said, *at.bars(shares)), 0.6, 0.6),
        Beat((*said, *ends, *at.strip(shares)), 1.2, 0.6),
    )
    best = v.order[0]
    told = {"turn": v.turn, "best": v.named(best), "share": percent(float(shares[best])), "tokens": len(shares)}
    return Told(beats, v.at_hand.provenance("generator.log_probs", len(shares)), told, v.link())


def drop(v: WaysStoryValues, stage: Stage) -> Told:
    at, shares = _StripLayout.of(v, stage), v.shares()
    token, number = v.falls_on(0), v.number(0)
    surface, high = at.top - RADIUS - 1, at.words + 52
    rank = v.order.index(token)
    still = [*at.strip(shares), *at.ends(at.top + at.tall + 40)]
    lit = [*at.strip(shares, lit=rank), *at.ends(at.top + at.tall + 40)]

    def one(seed: int, y: float) -> Dot:
        color = "chosen" if seed == 0 else "text"
        return Dot(f"drop {seed}", at.x_of(v.number(seed)), y, RADIUS, color=color, level=2)

    x = at.x_of(number) + (-12 if number > 0.8 else 12)
    figure = Word("number", x, high, f"{number:.3f}", size=16, color="chosen", weight=600)
    figure = replace(figure, align="right" if number > 0.8 else "left")
    chosen = at.said(v.named(token), "chosen")
    beats = [
        Beat((*at.said(), *still, one(0, high), figure), 0.5, 0.7),
        Beat((*at.said(), *lit, one(0, surface), figure), 0.7, 0.3),
        Beat((*chosen, *lit, one(0, surface), figure), 0.6, 0.6),
    ]
    fallen = [one(0, surface)]
    for seed in range(1, SEEDS):
        near = sum(abs(each.x - at.x_of(v.number(seed))) < 1.8 * RADIUS for each in fallen)
        fallen.append(one(seed, surface - 2 * RADIUS * near))
        beats.append(Beat((*chosen, *lit, *fallen, figure), 0.14, 0.04))
    best = v.order[0]
    told = {"number": f"{number:.3f}", "token": v.named(token), "seeds": SEEDS, "best": v.named(best)}
    told |= {"times": sum(v.falls_on(seed) == best for seed in range(SEEDS)), "share": percent(float(shares[best]))}
    origin = (
        f"torch.Generator().manual_seed(0 … {SEEDS - 1}) · {v.at_hand.provenance('generator.log_probs', len(shares))}"
    )
    return Told(tuple(beats), origin, told, v.link())


def temperature(v: WaysStoryValues, stage: Stage) -> Told:
    at = _StripLayout.of(v, stage)
    tops = stage.of((128, 222, 316), (152, 248, 344))
    tall = replace(at, tall=44.0)
    number = v.number(0)
    every = ((COOL, "cool", tops[0]), (1.0, "part", tops[1]), (WARM, "warm", tops[2]))

    def row(degrees: float, name: str, top: float, first: bool = False) -> list[Actor]:
        label = Word(f"T {name}", at.left, top - 12, f"T = {degrees:g}", size=14, weight=600, align="left")
        rank = v.order.index(v.falls_on(0, degrees))
        return [label, *tall.strip(v.shares(degrees), name, top, "" if first else "part", lit=rank)]

    x, start = at.x_of(number), tops[0] - 16
    words = [word for each in every for word in row(*each) if isinstance(word, Word)]
    fall = [Dot("drop 0", x, start, RADIUS, color="chosen", level=2), *_broken(x, start, tops[2] + 44, words)]
    token = v.named(v.falls_on(0))
    said = at.said(token, "chosen")
    beats = (
        Beat((*said, *row(*every[1]), *fall), 0.6, 0.5),
        Beat((*said, *row(*every[1]), *row(*every[0]), *fall), 1.0, 0.5),
        Beat((*said, *row(*every[1]), *row(*every[0]), *row(*every[2]), *fall), 1.0, 0.5),
    )
    shares = [percent(float(v.shares(degrees)[v.order[0]])) for degrees, _, _ in every]
    told = {"cool": f"T = {COOL:g}", "warm": f"T = {WARM:g}", "best": v.named(v.order[0])}
    told |= dict(zip(("cooled", "share", "warmed"), shares))
    origin = f"sampling_steps · {v.at_hand.provenance('generator.log_probs', len(v.logits))}"
    return Told(beats, origin, told, v.link(temperature=f"{COOL:g}"))


def _broken(x: float, top: float, bottom: float, words: list[Word]) -> list[Line]:
    """A dashed upright, broken where a word stands in its way."""
    edges = [top]
    for word in sorted(words, key=lambda word: word.y):
        half = breadth(word.text) * word.size / 2 + 3
        middle = word.x + half if word.align == "left" else word.x
        if abs(middle - x) < half:
            edges += [word.y - 0.7 * word.size, word.y + (1.7 if word.gloss else 0.7) * word.size]
    pieces = enumerate(zip(edges[::2], [*edges[1::2], bottom]))
    return [
        Line(f"fall {at}", x, start, x, end, color="text", dashed=True, level=2)
        for at, (start, end) in pieces
        if start < end
    ]


def cut(v: WaysStoryValues, stage: Stage) -> Told:
    at, shares, nucleus = _StripLayout.of(v, stage), v.shares(), v.shares(top_p=TOP_P)
    kept = int((nucleus > 0).sum())
    above, below = stage.of((156, 276), (176, 300))
    edge, last = at.x_of(float(np.sort(shares)[::-1][:kept].sum())), at.left + at.width
    said = [*at.said(), *at.strip(shares, top=above)]
    marks: list[Actor] = [
        Line("edge", edge, above - 14, edge, above + at.tall + 6, color="wrong", width=2, level=2),
        Word("p", min(max(edge, 50.0), last - 44), above - 25, f"top-p = {TOP_P:g}", size=14, color="wrong", level=2),
        Box("tail", edge, above, max(last - edge, 0.5), at.tall, color="background", opacity=0.8, hatched=True,
            level=1),
    ]  # fmt: skip
    stretched = [*at.strip(nucleus, "kept", below, "part"), *at.ends(below + at.tall + 40)]
    beats = adding((said, 0.6, 0.3), (marks, 0.6, 0.6), (stretched, 1.0, 0.6))
    told = {"p": f"{TOP_P:g}", "kept": kept, "tokens": len(shares)}
    origin = f"sampling_steps · {v.at_hand.provenance('generator.log_probs', len(shares))}"
    return Told(beats, origin, told, v.link(top_p=f"{TOP_P:g}"), "one" if kept == 1 else "")


# A beam: the best few beginnings go on at every turn, the others die.

PRUNED = 1  # of the beginnings that die at a turn: the best is drawn
SLOW = 3  # turns


def beam(v: WaysStoryValues, stage: Stage) -> Told:
    tree, found = _Tree.of(v, stage), v.found
    last = max(node.turn for node in found.nodes)
    beats = [Beat((tree.node(0, "decoder"),), 0.5, 0.2)]
    fast = pace(last - SLOW, 2.0)
    beats += [Beat(tuple(tree.at(turn)), *((0.5, 0.3) if turn <= SLOW else fast)) for turn in range(1, last + 1)]
    output = found.output(tree.winner)
    scores = {"beam": found.nodes[tree.winner].score, "greedy": v.greedy_score}
    outputs = {"beam": reads(v.at_hand, output), "greedy": reads(v.at_hand, v.greedy)}
    beats.append(Beat((*tree.won(), *_lines(v, stage, outputs, scores)), 0.5, 0.8))
    words = "same" if output == v.greedy else "" if scores["beam"] > scores["greedy"] else "shorter"
    told = {"width": KEEPS} | {f"{name}_share": share(score) for name, score in scores.items()}
    origin = f"Beam.nodes · {len(found.nodes)} · {v.at_hand.provenance('generator.log_probs', len(v.logits))}"
    own = {"src": v.text, "tgt": ""} if v.text else {}
    link = own | {"width": str(KEEPS), "alpha": f"{ALPHA:g}", "prefix": ""}
    return Told(tuple(beats), origin, told, link, words)


def _lines(v: WaysStoryValues, stage: Stage, outputs: dict[str, str], scores: dict[str, float]) -> list[Word]:
    texts = {name: v.say(f"story.line.{name}", output=outputs[name], share=share(scores[name])) for name in outputs}
    size = fitting(list(texts.values()), stage.width - 20, stage.of(17, 14), 4)
    lines = ("beam", 13, "decoder", 600), ("greedy", 36, "text", 400)
    return [
        Word(f"line {name}", 10, stage.height - up, texts[name], size=size, color=color, weight=weight, align="left")
        for name, up, color, weight in lines
    ]


def share(score: float) -> str:
    """What an output has of all, from the sum of its log-probabilities; what would be written as nothing, as a power of
    ten."""
    probability = math.exp(score)
    if probability >= 0.9995:
        return percent(probability)
    return f"{probability:.1%}" if probability >= 5e-4 else number(probability, 2)


@dataclass(frozen=True)
class _Tree:
    """A column for each turn; in it those that stay, the best above, and below them the best of those that do not."""

    v: WaysStoryValues
    stage: Stage
    columns: Columns
    rows: list[float]
    size: float
    places: dict[int, int]  # of the nodes that are drawn: the row
    winner: int

    @classmethod
    def of(cls, v: WaysStoryValues, stage: Stage) -> "_Tree":
        found = v.found
        places = {0: 0}
        for turn in found.turns:
            sorted_ = sorted(turn.children, key=lambda at: -found.nodes[at].score)
            stay = [at for at in sorted_ if found.nodes[at].fate != "pruned"]
            gone = [at for at in sorted_ if found.nodes[at].fate == "pruned"][:PRUNED]
            places |= {at: row for row, at in enumerate([*stay, *gone])}
        last = max(node.turn for node in found.nodes)
        columns, rows = Columns(last + 1, 4, stage.width - 4), centres(KEEPS + PRUNED, 4, stage.height - 54)
        texts = [v.named(found.nodes[at].token) for at in places]
        size = fitting(texts, columns.step - stage.of(26, 6), stage.of(18, 14), 9)
        return cls(v, stage, columns, rows, size, places, found.finished(ALPHA)[0])

    def node(self, at: int, color: str = "text", opacity: float = 1.0, weight: int = 400) -> Word:
        node = self.v.found.nodes[at]
        name = self.v.named(node.token) if at else self.v.at_hand.target.labels([node.token])[0]
        x, y = self.columns.middles[node.turn], self.rows[self.places[at]] - self.stage.of(7, 0)
        born = f"node {node.parent}" if at else ""
        word = Word(f"node {at}", x, y, name, color=color, opacity=opacity, weight=weight, level=1, born=born)
        return word.fit(self.columns.step - 4, self.size)

    def score(self, at: int, opacity: float = 1.0) -> list[Word]:
        """How likely the beginning is up to here, and what its last word means."""
        node = self.v.found.nodes[at]
        if not self.stage.wide or not at:
            return []
        x, y = self.columns.middles[node.turn], self.rows[self.places[at]] + 13
        word = Word(f"score {at}", x, y, share(node.score), color="quiet", opacity=opacity, born=f"node {node.parent}")
        return [replace(word.fit(self.columns.step - 4, 13), gloss=self.v.glosses.get(self.v.named(node.token), ""))]

    def edge(self, at: int, color: str, opacity: float, width: float) -> list[Line]:
        node = self.v.found.nodes[at]
        if node.parent < 0:
            return []
        parent, child = self.node(node.parent), self.node(at)
        x = self.columns.middles[node.turn - 1] + breadth(parent.text) * parent.size / 2 + 4
        to_x = self.columns.middles[node.turn] - breadth(child.text) * child.size / 2 - 4
        y, to_y = self.rows[self.places[node.parent]], self.rows[self.places[at]]
        line = Line(f"edge {at}", x, y, to_x, to_y, color=color, opacity=opacity, width=width)
        return [replace(line, dashed=node.fate == "pruned", born=f"node {node.parent}")]

    def at(self, turn: int) -> list[Actor]:
        """The tree after a turn: what still goes on or has ended, with all that led to it; what has died fades, and
        what dies at this turn is seen once."""
        nodes = self.v.found.nodes
        drawn = [at for at in self.places if nodes[at].turn <= turn]
        alive = {0}
        for at in drawn:
            open_ = nodes[at].turn == turn and nodes[at].fate == "kept"
            if open_ or nodes[at].fate == "ended":
                alive |= {at, *self.v.found.way(at)}
        shown: list[Actor] = []
        for at in drawn:
            dies = nodes[at].fate == "pruned"
            if dies and nodes[at].turn < turn:
                continue
            opacity = 1.0 if at in alive else 0.55 if dies else 0.25
            color = "decoder" if at in alive else "quiet"
            shown += [self.node(at, color, opacity), *self.score(at, opacity), *self.edge(at, color, opacity, 1.5)]
        return shown

    def won(self) -> list[Actor]:
        nodes, way = self.v.found.nodes, {0, *self.v.found.way(self.winner)}
        shown: list[Actor] = []
        for at in self.places:
            if nodes[at].fate == "pruned":
                continue
            on = at in way
            color, opacity = ("decoder", 1.0) if on else ("quiet", 0.4)
            shown += [self.node(at, color, opacity, 600 if on else 400), *self.score(at, opacity)]
            shown += self.edge(at, color, opacity, 3.5 if on else 1.2)
        return shown


STORY = story(values, (strip, drop, temperature, cut, beam), {"drop": SQUEEZED})
