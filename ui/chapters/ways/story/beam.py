"""A beam: the best few beginnings go on at every turn, the others die."""

import math
from dataclasses import dataclass, replace

from ui.chapters.shared.output import reads
from ui.chapters.ways.story.values import ALPHA, KEEPS, WaysStoryValues
from ui.figures import number, percent
from ui.sections.scene import Actor, Beat, Line, Stage, Told, Word, breadth, centres, fitting, pace

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
    """What each way of decoding comes to."""
    texts = {name: v.say(f"story.line.{name}", output=outputs[name], share=share(scores[name])) for name in outputs}
    size = fitting(list(texts.values()), stage.width - 20, 17 if stage.wide else 14, 4)
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
    columns: list[float]
    rows: list[float]
    step: float
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
        columns = centres(last + 1, 4, stage.width - 4)
        step = (stage.width - 8) / (last + 1)
        rows = centres(KEEPS + PRUNED, 4, stage.height - 54)
        texts = [v.named(found.nodes[at].token) for at in places]
        size = fitting(texts, step - (26 if stage.wide else 6), 18 if stage.wide else 14, 9)
        return cls(v, stage, columns, rows, step, size, places, found.finished(ALPHA)[0])

    def node(self, at: int, color: str = "text", opacity: float = 1.0, weight: int = 400) -> Word:
        node = self.v.found.nodes[at]
        name = self.v.named(node.token) if at else self.v.at_hand.target.labels([node.token])[0]
        x, y = self.columns[node.turn], self.rows[self.places[at]] - (7 if self.stage.wide else 0)
        born = f"node {node.parent}" if at else ""
        word = Word(f"node {at}", x, y, name, color=color, opacity=opacity, weight=weight, level=1, born=born)
        return word.fit(self.step - 4, self.size)

    def score(self, at: int, opacity: float = 1.0) -> list[Word]:
        """How likely the beginning is up to here, and what its last word means."""
        node = self.v.found.nodes[at]
        if not self.stage.wide or not at:
            return []
        x, y, gloss = (
            self.columns[node.turn],
            self.rows[self.places[at]] + 13,
            self.v.glosses.get(self.v.named(node.token), ""),
        )
        word = Word(f"score {at}", x, y, share(node.score), color="quiet", opacity=opacity, born=f"node {node.parent}")
        return [replace(word.fit(self.step - 4, 13), gloss=gloss)]

    def edge(self, at: int, color: str, opacity: float, width: float) -> list[Line]:
        node = self.v.found.nodes[at]
        if node.parent < 0:
            return []
        parent, child = self.node(node.parent), self.node(at)
        x = self.columns[node.turn - 1] + breadth(parent.text) * parent.size / 2 + 4
        to_x = self.columns[node.turn] - breadth(child.text) * child.size / 2 - 4
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
        """The winner with its way lit, beside the others."""
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
