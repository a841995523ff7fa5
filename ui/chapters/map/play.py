"""What the map plays: the tensors of the forward pass as small pictures, and the words as they are written."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from transformer_core import Trace
from ui.chapters.map.figures.figure_one import Block
from ui.chapters.map.figures.thumbnail import Thumbnail, thumbnail
from ui.model import ModelAtHand, made, output_of, recorded

ATTENTION = ("encoder", "masked", "cross")  # blocks, by their keys


class Play(NamedTuple):
    """Decoding turn by turn, as one recorded forward pass over what was written: no position of the decoder sees a
    later one, so that turn t is the first t rows of every tensor."""

    given: tuple[int, ...]  # what the decoder reads in the last turn: T tokens
    written: tuple[int, ...]  # T tokens, one per turn
    chances: np.ndarray  # (T,) their probabilities
    likeliest: np.ndarray  # (T, 3) the tokens of each turn with the highest probabilities
    probabilities: np.ndarray  # (T, 3) theirs
    score: float  # the logit of the first token that is written
    weights: Mapping[str, np.ndarray]  # of each of ATTENTION, (h, queries, keys)
    firing: Mapping[str, np.ndarray]  # of each side, (tokens,): hidden numbers of the feed-forward network above 0
    pictures: list[Thumbnail]  # one per block

    @property
    def looks(self) -> np.ndarray:
        """(T, S) weights of the last layer's cross-attention, mean of its heads."""
        return np.asarray(self.weights["cross"].mean(0))


def written_by(at_hand: ModelAtHand, src: tuple[int, ...]) -> tuple[int, ...]:
    """What the decoder reads: the output without its last token, if it has more than one."""
    output = output_of(at_hand, src)
    return output[:-1] or output


def play(at_hand: ModelAtHand, src: tuple[int, ...], drawn: Sequence[Block]) -> Play:
    given = written_by(at_hand, src)
    return made(at_hand, ("play", src), lambda _: _play(recorded(at_hand, src, given), given, drawn))


def _play(trace: Trace, given: tuple[int, ...], drawn: Sequence[Block]) -> Play:
    values = {path: trace[path][0].numpy() for path in (block.path for block in drawn)}
    values[drawn[-1].path] = probabilities = np.exp(values[drawn[-1].path])
    likeliest = np.argsort(-probabilities, axis=1, kind="stable")[:, :3]
    best = np.take_along_axis(probabilities, likeliest, 1)
    written = (*given[1:], int(likeliest[-1, 0]))
    (logits,) = [values[block.path] for block in drawn if block.key == "linear"]
    return Play(
        given,
        written,
        probabilities[np.arange(len(written)), written],
        likeliest,
        best,
        float(logits[0, written[0]]),
        {block.key: values[block.path] for block in drawn if block.key in ATTENTION},
        {block.side: (values[block.path] > 0).sum(1) for block in drawn if block.key == "feed_forward"},
        [thumbnail(values[block.path], block.scale) for block in drawn],
    )
