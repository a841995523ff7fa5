"""What a symptom is: a state that looks wrong, which several causes can bring about."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.training.checkpoint import load

State = Mapping[str, Any]  # the names that a check may use


class ShippedModels(NamedTuple):
    """Trained to copy, to translate, and to translate without the look-ahead mask."""

    copy: EncoderDecoder
    translate: EncoderDecoder
    peeking: EncoderDecoder

    @classmethod
    def in_folder(cls, folder: str | Path) -> Self:
        """Of the files that bear these names. OSError or ValueError if one is missing or damaged."""
        return cls(*(load(Path(folder) / f"{name}.safetensors").model for name in cls._fields))


Make = Callable[[int, ShippedModels], State]  # of a seed


class CheckedCause(NamedTuple):
    """`check` is an expression over the names of a state: true where this is the cause, and false elsewhere."""

    name: str
    make: Make
    check: str


class Symptom(NamedTuple):
    """`show` gives the numbers (rows, columns) in which a state shows it, each of `measured` a number to judge by."""

    name: str
    healthy: Make
    causes: tuple[CheckedCause, ...]
    show: Callable[[State], Tensor]
    measured: Mapping[str, Callable[[State], float]]

    def state(self, cause: str, seed: int, models: ShippedModels) -> State:
        """What this cause makes; with no cause, the healthy state."""
        makers = {"": self.healthy} | {one.name: one.make for one in self.causes}
        return makers[cause](seed, models)


def holds(cause: CheckedCause, state: State) -> bool:
    """Whether the line that tells this cause is true of a state."""
    return bool(eval(cause.check, {"torch": torch, **state}))
