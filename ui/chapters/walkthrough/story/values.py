"""What the story shows: the tensors of a turn by their paths, the stops that make them, and a word to follow."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ui.chapters.shared.forced_prefix import Tokens
from ui.chapters.shared.forward.stops import ForwardStop, stops
from ui.chapters.shared.forward.values import TurnTensors, turn_values
from ui.chapters.shared.speaking import speaking_row
from ui.model import ModelAtHand, made, output_of
from ui.sections import AnyChapter
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
        """What the decoder reads."""
        return self.at_hand.target.labels(self.output[: self.turn])

    @property
    def next(self) -> str:
        """What is written in this turn."""
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
    head, row, _ = speaking_row(tensors[f"{ENCODER}.self_attn.weights"][0].numpy(), src)
    return WalkthroughStoryValues(chapter.say, at_hand, chapter.glosses, src, output, turn, tensors, head, row)
