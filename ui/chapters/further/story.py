"""Further than trained, told: a row is moved, two models lose it, and one turns its queries and keys and keeps it."""

import math
from typing import Literal

import numpy as np

from transformer_core.tasks.vocabulary import END
from transformer_core.verify.after_2017 import FAR, measured
from ui.chapters.further.values import COLORS, COUNT, KINDS, MOVED, models_of, moved_shares
from ui.figures import number, percent
from ui.figures.actors import Actor, Beat, Curve, Dot, Line, Stage, Word
from ui.inputs.gloss import glosses_for
from ui.model.rows import continued_row, row_example, task_of
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, one_of, ranked
from ui.sections.scene import Columns, Told, adding, centres, fitting, story

BY = 8  # places by which the story moves its row
STILL = Choice("story_still", ("sinusoids", "learned", "rotary"), right="rotary")
ANGLE, TURN = 0.5, 0.42  # radians between the arrows, and for each position


class FurtherStoryValues:
    def __init__(self, chapter: AnyChapter) -> None:
        self.say, models = chapter.say, models_of(chapter.at_hand)
        self.kind, task = models[0], task_of(models[0])
        vocabulary, languages = task.vocabulary, task.translation
        row = continued_row(self.kind, tuple(vocabulary.read(row_example(self.say, "story.prompt", self.kind))))
        self.glosses = glosses_for(chapter.lang, languages.source, languages.target)
        self.names = vocabulary.names_of(token for token in row[1:] if token != END)
        self.shares = moved_shares(models)
        self.gap = measured("rotary")

    def of(self, by: int) -> dict[str, float]:
        return dict(zip(KINDS, self.shares[MOVED.index(by), 1:].tolist()))


def row(v: FurtherStoryValues, stage: Stage) -> Told:
    """The row twice: across a wide stage one below the other, down a narrow one side by side."""
    along, start = stage.of((stage.width, 8), (stage.height, 0))
    places = Columns(len(v.names) + BY, start, along - start)
    size = stage.of(fitting(v.names, places.step - 3, 18), 14)

    def at(first: int, beside: float, which: Literal["kept", "moved"]) -> list[Actor]:
        shown: list[Actor] = []
        for n, (name, place) in enumerate(zip(v.names, places.middles[first:])):
            (x, y), (right, down) = stage.of(((place, beside), (0, 34)), ((beside, place), (52, 0)))
            gloss = stage.of(v.glosses.get(name, ""), "")  # down a narrow one there is no room below a word
            shown.append(Word(f"{which} word {n}", x, y, name, size=size, gloss=gloss, room=places.step))
            shown.append(Word(f"{which} place {n}", x + right, y + down, "#", value=float(first + n + 1), digits=2,
                              size=size, color="key"))  # fmt: skip
        return shown

    across = stage.of(stage.height, stage.width)
    one, other = stage.of(0.24, 0.2) * across, 0.66 * across
    kept = at(0, one, "kept")
    beats = (
        Beat(tuple(kept), 0.6, 0.6),
        Beat((*kept, *at(0, one, "moved")), 0.1, 0),
        Beat((*kept, *at(BY, other, "moved")), 1.6, 0.8),
    )
    return Told(beats, f"held_out({COUNT})", {"count": len(v.names), "places": BY})


def falls(v: FurtherStoryValues, stage: Stage) -> Told:
    left, right, top, base = stage.of((70, stage.width - 170, 50, stage.height - 70), (44, 262, 50, 350))
    x = np.array(centres(len(MOVED), left, right))
    axes: list[Actor] = [
        Line("base", left, base, right, base, color="grid"),
        Line("side", left, top, left, base, color="grid"),
        Word("most", left - 8, top, "100%", align="right", color="quiet", size=stage.of(13, 10)),
        Word("title", (left + right) / 2, base + 44, v.say("places"), color="quiet", size=stage.of(15, 12)),
        *(Word(f"by {by}", at, base + 18, str(by), color="quiet", size=stage.of(14, 11))
          for by, at in zip(MOVED, x)),
    ]  # fmt: skip
    drawn: list[list[Actor]] = []
    for n, kind in enumerate(KINDS):
        y = base - (base - top) * v.shares[:, 1 + n]
        ends = Word(f"name {kind}", right - 8, y[-1] - 14 * (kind == "learned"), v.say(f"short.{kind}"), align="left",
                    color=COLORS[kind], weight=600)  # fmt: skip
        curve = Curve(f"line {kind}", left, base, np.column_stack([x - left, y - base]), color=COLORS[kind], width=3)
        drawn.append([curve, ends.fit(stage.width - right, 18)])
    beats = adding((axes, 0.5, 0.2), *((line, 0.8, 0.6) for line in drawn))
    said = {"places": BY, **{kind: percent(share, 0) for kind, share in v.of(BY).items()}}
    return Told(beats, f"row_right(model, task, moved) · {COUNT} × {len(MOVED)}", said)


def turns(v: FurtherStoryValues, stage: Stage) -> Told:
    """A pair of numbers of a query and of a key, each turned by its position: the angle between them stays."""
    long, (x, y) = min(stage.width / 2 - 66, stage.height / 2 - 62), (stage.width / 2, stage.height / 2)

    def at(position: int) -> list[Actor]:
        turned = {"query": ANGLE + (position + 3) * TURN, "key": position * TURN}
        ends = {name: (x + long * math.cos(angle), y - long * math.sin(angle)) for name, angle in turned.items()}
        places = {"query": position + 3, "key": position}
        return [
            Dot("circle", x, y, long, color="grid", filled=False),
            *(Line(f"arrow {name}", x, y, *end, color=name, width=3.5, arrow=True) for name, end in ends.items()),
            *(Word(f"name {name}", x + 1.13 * (end[0] - x), y + 1.13 * (end[1] - y),
                   v.say(f"story.{name}", place=places[name]), color=name, size=stage.of(16, 12))
              for name, end in ends.items()),
        ]  # fmt: skip

    beats = [Beat(tuple(at(position)), 0.9 if position else 0.6, 0.2) for position in (0, 2, 4, 6)]
    said = {"far": f"{FAR:,}", "gap": number(v.gap, 1)}
    return Told(tuple(beats), "rotated(q, m) · rotated(k, n)", said, {"open": "distance"})


def of_other_places(v: FurtherStoryValues, seed: int) -> Version | None:
    return one_of(seed, MOVED[1:], lambda by: _of(v, by))


def _of(v: FurtherStoryValues, by: int) -> Version | None:
    labels = ranked(v.of(by), lambda share: percent(share, 0))
    return Version("sinusoids", {"places": by, "share": labels["sinusoids"]}, labels) if labels else None


ASKED = Inquiry(STILL, ("turned", "table", "smooth"), "turned", of_other_places)
STORY = story(FurtherStoryValues, (row, falls, turns), {"row": ASKED}, fixed=True)
