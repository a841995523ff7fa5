"""Beams: from an output word through the heads of one cross-attention to the words of the source."""

from collections.abc import Sequence
from dataclasses import dataclass

from ui.chapters.heads.story.chosen import HeadsStoryValues
from ui.figures import percent
from ui.sections.scene import Actor, Beat, Dot, Line, Stage, Told, Word, breadth, centres, fitting, flowing, pace

THIN = 0.02  # a share below it has no beam
THICK = 16.0  # the beam of a share of 1
READABLE = 10  # size of letters
MOST = 12  # words of the output that the beams are moved along


@dataclass(frozen=True)
class BeamLayout:
    v: HeadsStoryValues
    stage: Stage

    @property
    def edges(self) -> tuple[float, float]:
        return (24, self.stage.width - 24) if self.stage.wide else (6, self.stage.width - 6)

    @property
    def size(self) -> float:
        """Of the output's letters: the longer one has a line on the wide stage, two or three on the narrow one."""
        left, right = self.edges
        longest = max(sum(breadth(word) + 1.1 for word in words) for words in (self.v.before, self.v.after))
        lines = 1 if self.stage.wide else 2
        return max(8.5, min(24.0 if self.stage.wide else 15.0, 0.9 * lines * (right - left) / longest))

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
        """From line to line of an output."""
        return self.size + (22 if self.stage.wide else 18)

    def dot(self, head: int) -> tuple[float, float]:
        left, right = self.edges
        inset = 0.16 * self.stage.width
        count = len(self.v.weights)
        return centres(count, left + inset, right - inset)[head], (222 if self.stage.wide else 236)

    def key(self, at: int) -> tuple[float, float]:
        left, right = self.edges
        return centres(len(self.v.sources), left, right)[at], (self.stage.height - (30 if self.stage.wide else 26))

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
            shown.append(Word(f"source {at}", x, y, word, size=size, color="encoder", gloss=gloss, room=room))
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
                    to_x, to_y = self.key(at)[0], self.key(at)[1] - (24 if self.stage.wide else 17)
                    shown.append(
                        Line(f"beam {head} {at}", x, y, to_x, to_y, width=THICK * share, color="attention",
                             opacity=0.3 + 0.6 * share)
                    )  # fmt: skip
        return shown

    def below(self, row: int, words: Sequence[str], top: float) -> tuple[float, float]:
        """Where the beams of an output word begin."""
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
    """The beams move along the output, and come back to the word of the story."""
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
    """The wall at this head and word."""
    head = v.written.head
    best = int(v.weights[head, row].argmax())
    name = f"cross.{v.written.layer}.{head}"
    return {"cell": f"{name}.{row}.{best}", "opened": f"weights.{row}.{best}"} | dict(v.link)
