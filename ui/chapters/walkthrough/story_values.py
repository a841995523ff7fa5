"""What the story shows: the tensors of a turn by their paths, the stops that make them, and a word to follow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ui.chapters.shared.agreement import speaking_noun
from ui.chapters.shared.forced_prefix import Tokens
from ui.chapters.shared.forward.stops import ForwardStop, stops
from ui.chapters.shared.forward.values import TurnTensors, turn_values
from ui.figures.actors import Actor, Box, Dot, Grid, Line, Stage, Word
from ui.model import ModelAtHand, made, output_of
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, first_of
from ui.sections.scene import Columns, breadth, fitting, sizes
from ui.sections.sequence_fields import typed
from ui.text import Words

TURN = 4  # of the decoding loop, so that its mask has rows; the last one of a shorter output
ENCODER, DECODER = "encoder.layers.0", "decoder.layers.0"  # the first layer of either stack


@dataclass(frozen=True)
class WalkthroughStoryValues:
    say: Words
    at_hand: ModelAtHand
    glosses: Mapping[str, str]
    src: Tokens
    output: Tokens  # what the model says, the start symbol first
    turn: int
    tensors: TurnTensors
    head: int
    row: int  # the source's word that is followed

    @property
    def words(self) -> list[str]:
        return self.at_hand.source.labels(self.src)

    @property
    def written(self) -> list[str]:
        return self.at_hand.target.labels(self.output[: self.turn])

    @property
    def next(self) -> str:
        return self.at_hand.target.every[int(self.tensors["choice"])]

    def route(self) -> list[ForwardStop]:
        return made(self.at_hand, ("route", self.turn), lambda model: stops(model, self.turn))

    def table(self, path: str) -> np.ndarray:
        """The tensor as a matrix, without the batch of one, and of its heads the one that is followed."""
        tensor = self.tensors[path]
        if tensor.dim() == 4:
            tensor = tensor[0, self.head]
        elif tensor.dim() == 3:
            tensor = tensor[0]
        return np.atleast_2d(tensor.numpy())

    def given(self, path: str) -> np.ndarray:
        """What a stop's tensor is made of in the first place."""
        (stop,) = (one for one in self.route() if one.path == path)
        return self.table(stop.inputs[0])

    def before(self, path: str) -> str:
        """What is computed at the stop before this one."""
        (place,) = (at for at, one in enumerate(self.route()) if one.path == path)
        return next(one.path for one in reversed(self.route()[:place]) if one.inputs)

    def weight(self, path: str) -> np.ndarray:
        """Of a linear layer, (in, out): a vector is multiplied by it from the left."""
        return self.table(path).T

    def head_weight(self, path: str) -> np.ndarray:
        """Its columns that make the head that is followed."""
        d_k = self.at_hand.config.d_model // self.at_hand.config.h
        return self.weight(path)[:, self.head * d_k : (self.head + 1) * d_k]

    def link(self, path: str) -> dict[str, str]:
        """The stop at which this tensor is made."""
        (place,) = (at for at, one in enumerate(self.route()) if one.path == path)
        return {"place": str(place), "turn": str(self.turn), "head": str(self.head)}

    def origin(self, *paths: str) -> str:
        return " · ".join([*paths[:-1], self.at_hand.provenance(paths[-1])])


def values(chapter: AnyChapter) -> WalkthroughStoryValues | None:
    """The head and the word are those whose attention says most in the encoder's first layer."""
    src, at_hand = typed(chapter, "src"), chapter.at_hand
    if len(src) < 2:
        return None
    output = output_of(at_hand, src)
    turn = min(TURN, len(output) - 1)
    tensors = turn_values(at_hand, src, turn)
    head, row, _ = speaking_noun(at_hand, tensors[f"{ENCODER}.self_attn.weights"][0].numpy(), src)
    return WalkthroughStoryValues(
        say=chapter.say,
        at_hand=at_hand,
        glosses=chapter.glosses,
        src=src,
        output=output,
        turn=turn,
        tensors=tensors,
        head=head,
        row=row,
    )


# The strip of figure 1 with the mark on it, and below it one operation: a matrix, another one, what they make.

BLOCKS = (  # of figure 1, in the order of the computation, each with what it belongs to
    ("embed", "encoder"), ("position", "encoder"), ("attention", "encoder"), ("network", "encoder"),
    ("embed_out", "decoder"), ("position_out", "decoder"), ("masked", "decoder"), ("cross", "decoder"),
    ("network_out", "decoder"), ("linear", "text"), ("softmax", "text"),
)  # fmt: skip
WINDOW = 64, 16  # rows and columns of a large matrix that are drawn; of its vectors as many columns as rows
AT = sizes(  # middles of
    first=((196, 232), (112, 178)),  # a matrix, another one, and what they make,
    second=((486, 232), (268, 178)),
    result=((790, 232), (190, 346)),
    alone=((300, 232), (112, 178)),  # one matrix alone, and what it makes,
    made=((730, 232), (190, 346)),
    sign=((346, 232), (190, 178)),  # the sign between the two,
    equals=((634, 232), (64, 346)),  # the arrow to the result, from one alone, and to several
    from_alone=((500, 232), (64, 346)),
    to_several=((634, 232), (190, 262)),
)


@dataclass(frozen=True)
class Item:
    """A matrix in an operation. Its `name` stays while it is the same one, so that a result goes where it is read."""

    name: str
    table: np.ndarray
    title: str
    rim: str = ""
    end: float = 1.0  # of its scale, which is centred on zero
    shares: bool = False  # or a scale of 0 to 1
    learned: bool = False
    lit: int | None = None  # a row that is framed
    rows: tuple[str, ...] = ()  # what its rows are called

    @property
    def shown(self) -> np.ndarray:
        rows, columns = WINDOW
        return self.table[:rows, : columns if self.learned else rows]

    @property
    def shape(self) -> str:
        return " × ".join(map(str, self.table.shape))


@dataclass(frozen=True)
class WalkthroughLayout:
    v: WalkthroughStoryValues
    stage: Stage

    @property
    def sizes(self) -> Any:
        return AT.on(self.stage)

    def figure(self, *here: str) -> list[Actor]:
        wide, v = self.stage.wide, self.v
        columns, (gap, tall), y = Columns(len(BLOCKS), 4, self.stage.width - 4), self.stage.of((5, 30), (3, 18)), 34.0
        xs, room = columns.middles, columns.step - gap
        texts = {block: v.say(f"story.block.{block.removesuffix('_out')}") for block, _ in BLOCKS}
        size = min(fitting([text], room - 6, 13, 8) for text in texts.values()) if wide else 0.0
        shown: list[Actor] = [
            Line("way", xs[0], y, xs[-1], y, color="grid", width=3),
        ]
        lit: list[float] = []
        for x, (block, side) in zip(xs, BLOCKS):
            on = block in here
            ground = Box(f"ground {block}", x - room / 2, y - tall / 2, room, tall, color="background", radius=5)
            shown += [ground, replace(ground, name=f"block {block}", color=side, filled=on)]
            if wide:
                ink = "background" if on else side
                shown.append(Word(f"name {block}", x, y, texts[block], size=size, color=ink, level=1))
            if on:
                lit.append(x)
        x = sum(lit) / len(lit)
        label = v.say("story.here") if wide else " · ".join(dict.fromkeys(texts[block] for block in here))
        half = breadth(label) * 6.5
        at = min(max(x, half + 4), self.stage.width - half - 4)
        shown += [
            Dot("here", x, y + tall / 2 + 8, 4.5, color="chosen", level=2),
            Word("you are here", at, y + tall / 2 + 23, label, size=13, color="chosen", weight=600, level=2),
        ]
        return shown

    # ---------------------------------------------------------- one operation

    def operation(
        self, first: Item, sign: str = "", second: Item | None = None, result: Item | None = None, over: str = ""
    ) -> list[Actor]:
        """`first` `sign` `second` → `result`; what is not there yet leaves its place empty. A step from `first` alone
        says `over` its arrow what it is."""
        at, alone = self.sizes, second is None and result is not None
        shown = self.matrix(first, at.alone if alone else at.first, named=True)
        if second is not None:
            shown += [*self.matrix(second, at.second), self.sign(sign, at.sign)]
        if result is not None:
            place, (x, y) = (at.made, at.from_alone) if alone else (at.result, at.equals)
            shown += self.matrix(result, place, f"m {first.name}", named=self.stage.wide or alone)
            shown.append(self.sign("→", (x, y)))
            if over:
                shown.append(Word("over", x, y - 22, over, size=self.stage.of(16, 13), color="attention"))
        return shown

    def beside(self, items: Sequence[Item]) -> list[Actor]:
        shown: list[Actor] = [self.sign("→", self.sizes.to_several)] if items else []
        within = self.stage.of((220.0, 64.0), (100.0, 80.0))
        for n, item in enumerate(items):
            place = self.stage.of((790.0, 120 + 106.0 * n), (64 + 116.0 * n, 340.0))
            shown += self.matrix(item, place, "m placed", within=within)
        return shown

    def sign(self, text: str, place: tuple[float, float]) -> Word:
        return Word(f"sign {text}", *place, text, size=26, color="quiet")

    def matrix(
        self,
        item: Item,
        place: tuple[float, float],
        born: str = "",
        named: bool = False,
        within: tuple[float, float] | None = None,
    ) -> list[Actor]:
        """Around this middle: as wide as it has columns, as high as it has rows, up to the room there is."""
        (x, y), table, of = place, item.shown, self.stage.of
        rows, columns = table.shape
        names = item.rows[: WINDOW[0]] if named else ()
        widest, highest = within or of((220.0 if names else 240.0, 196.0), (118.0, 110.0))
        width, height = min(widest, columns * of(20.0, 11.0)), min(highest, rows * of(17.0, 11.0))
        left, top = x - width / 2, y - height / 2
        text = item.shape
        if table.shape != item.table.shape:
            text = self.v.say("story.first", shape=text, part=" × ".join(map(str, table.shape)))
        title = Word(f"title {item.name}", x, top - 13, item.title, weight=600, color=item.rim or "text", born=born)
        shape = Word(f"shape {item.name}", x, top + height + 13, text, color="quiet", born=born)
        shown: list[Actor] = [
            Grid(f"m {item.name}", left, top, width, height, table, shares=item.shares, end=item.end, rim=item.rim,
                 born=born),
            title.fit(of(255, 150), of(15, 12)),
            shape.fit(of(255, 150), of(13, 11), 8),
        ]  # fmt: skip
        step = height / rows
        size = min(step * 0.95, 13.0, min(84.0, left - 8) / max(map(breadth, names), default=1.0))
        for at, text in enumerate(names):
            name, y = f"row {item.name} {at}", top + (at + 0.5) * step
            word = Word(name, left - 6, y, text, size=max(size, 5.5), align="right", born=born, color="quiet")
            shown.append(word.lit(at == item.lit, "chosen"))
        if item.lit is not None:
            shown.append(
                Box(f"lit {item.name}", left, top + item.lit * step, width, step, color="chosen", filled=False,
                    level=2, born=born)
            )  # fmt: skip
        return shown


# What the story of a pass asks: the shape of the scores; and the same where the decoder looks at the source.

SHAPE = Choice("story_shape", ("pairs", "vectors", "numbers"), right="pairs")


def of_cross(v: WalkthroughStoryValues, seed: int) -> Version | None:
    """At another turn, whose words the decoder has written."""
    turns = [turn for turn in range(2, len(v.output)) if turn != v.turn]
    return first_of(seed, turns, lambda turn: _at(v, turn))


def _at(v: WalkthroughStoryValues, turn: int) -> Version | None:
    tensors = turn_values(v.at_hand, v.src, turn)
    scores, query = (tensors[f"{DECODER}.src_attn.{name}"] for name in ("scores", "query"))
    rows, columns = scores.shape[-2:]
    sizes = {"vectors": (rows, query.size(-1)), "pairs": (rows, columns), "numbers": (rows, 1)}
    labels = {option: f"{high} × {wide}" for option, (high, wide) in sizes.items()}
    said = {"turn": turn, "queries": rows, "keys": columns, "d_k": query.size(-1), "shape": labels["pairs"]}
    return Version("pairs", said, labels) if len(set(labels.values())) == len(labels) else None


SHAPED = Inquiry(SHAPE, ("meets", "lies", "joins"), "meets", of_cross)
