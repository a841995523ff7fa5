"""What a symptom is: a state that looks wrong, which several causes can bring about."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from transformer_core import EncoderDecoder

State = Mapping[str, Any]  # the names that a check may use
Make = Callable[[int, EncoderDecoder], State]  # of a seed, and of a model that has learned the copy task


class CheckedCause(NamedTuple):
    """`check` is an expression over the names of a state: true where this is the cause, and false elsewhere."""

    name: str
    make: Make
    check: str


class Symptom(NamedTuple):
    """`show` gives the numbers (rows, columns) in which a state shows it, and `measure` the one number to judge by."""

    name: str
    healthy: Make
    causes: tuple[CheckedCause, ...]
    show: Callable[[State], Tensor]
    measure: Callable[[State], float]

    def state(self, cause: str, seed: int, model: EncoderDecoder) -> State:
        """What this cause makes; with no cause, the healthy state."""
        makers = {"": self.healthy} | {one.name: one.make for one in self.causes}
        return makers[cause](seed, model)


def holds(cause: CheckedCause, state: State) -> bool:
    """Whether the line that tells this cause is true of a state."""
    return bool(eval(cause.check, {"torch": torch, **state}))
