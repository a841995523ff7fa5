"""What a time-lapse is made of, and where its parts stand."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.probing import embedded_of, watched_of
from ui.chapters.training.figures.space import TableProjection, principal
from ui.chapters.training.values import best_aligned, reference_of
from ui.figures.actors import Actor, Stage
from ui.text import Words

Moments = list[list[Actor]]  # for each record who is there


@dataclass(frozen=True)
class LapseValues:
    say: Words
    config: TrainConfig
    history: History
    glosses: Mapping[str, str]

    @cached_property
    def at(self) -> np.ndarray:
        """The reports of the records: indices (k,)."""
        return np.searchsorted(self.history.step, self.history.probe_step)

    @cached_property
    def head(self) -> tuple[int, int]:
        """The layer and the head that at the last record look most at what they are to find."""
        layer, head, _ = best_aligned(self.history.cross_attention[-1], reference_of(self.config))
        return layer, head

    @cached_property
    def projection(self) -> TableProjection:
        """The plane in which the embeddings of the last record differ most, for all records."""
        return principal(self.history.embedded[-1], 2)

    @cached_property
    def tokens(self) -> list[str]:
        """What the embeddings are called, and `watched` which of them stand in what is watched: (tokens,) bool."""
        every = self.config.vocabularies[0].every
        return [every[token] for token in embedded_of(self.config)]

    @cached_property
    def watched(self) -> np.ndarray:
        seen = {token for source in watched_of(self.config) for token in source}
        return np.isin(embedded_of(self.config), list(seen))


class Area(NamedTuple):
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class LapseLayout:
    stage: Stage
    curve: Area
    dial: tuple[float, float, float]  # its centre and radius
    words: Area
    map: Area  # with the names of its rows and columns, if there is room for them
    bars: Area
    cloud: Area
    letters: float


WIDE = LapseLayout(
    Stage(960, 400),
    curve=Area(24, 44, 270, 88),
    dial=(366, 124, 50),
    words=Area(24, 192, 400, 204),
    map=Area(452, 8, 216, 218),
    bars=Area(452, 246, 216, 150),
    cloud=Area(694, 8, 256, 388),
    letters=16,
)
NARROW = LapseLayout(
    Stage(360, 700),
    curve=Area(10, 40, 214, 80),
    dial=(294, 108, 46),
    words=Area(10, 152, 340, 168),
    map=Area(10, 330, 166, 170),
    bars=Area(188, 330, 162, 170),
    cloud=Area(10, 512, 340, 184),
    letters=14,
)
