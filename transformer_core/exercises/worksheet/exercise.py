"""An exercise: numbers that are given, blanks to fill, and for each blank what known mistakes lead to."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, count
from typing import Generic, NamedTuple, TypeVar

import torch
from torch import Tensor

from transformer_core.exercises.reply import ReplyVerdict, judged

G = TypeVar("G")

SEEDS = 999_999  # the numbers that a sheet can have, from 1
TOLERANCE = 0.006  # of a number with two decimals, whichever way the last one is rounded

Blanks = Mapping[tuple[str, str], float]  # (row, place): number


class Blank(NamedTuple):
    """A number to find: its row on the sheet and its place in that. `slips` maps a mistake to what it leads to."""

    row: str
    place: str
    right: float
    slips: Mapping[str, float]
    tolerance: float

    def judged(self, reply: str) -> ReplyVerdict:
        return judged(reply, self.right, self.slips, self.tolerance)

    @property
    def clear(self) -> bool:
        """Whether no reply can be near two of its numbers, so that each slip is known by its own."""
        numbers = (self.right, *self.slips.values())
        return all(abs(one - other) > 2 * self.tolerance for one, other in combinations(numbers, 2))


@dataclass(frozen=True)
class Exercise(Generic[G]):
    seed: int
    givens: G
    blanks: tuple[Blank, ...]


@dataclass(frozen=True)
class ExerciseKind(Generic[G]):
    """A kind of exercise. `draw` draws what is given, or None where that would not do; `right` computes all that is
    asked, with the functions of the model; `slips` the same with each mistake, as far as that changes it. What is
    rounded twice on the way has a larger `tolerance`, by its place."""

    name: str
    draw: Callable[[random.Random], G | None]
    right: Callable[[G], Blanks]
    slips: Callable[[G], Mapping[str, Blanks]]
    tolerance: Mapping[str, float] = field(default_factory=dict)

    def exercise(self, seed: int) -> Exercise[G]:
        """The exercise of this seed, the same everywhere: the first numbers drawn that keep all slips apart."""
        drawn = (self.draw(random.Random(f"{self.name} {seed} {again}")) for again in count())
        tried = (Exercise(seed, givens, self.blanks(givens)) for givens in drawn if givens is not None)
        return next(one for one in tried if all(blank.clear for blank in one.blanks))

    def blanks(self, givens: G) -> tuple[Blank, ...]:
        mistakes = self.slips(givens)
        return tuple(
            Blank(
                *at,
                right=right,
                slips={slip: numbers[at] for slip, numbers in mistakes.items() if at in numbers},
                tolerance=self.tolerance.get(at[1], self.tolerance.get(at[0], TOLERANCE)),
            )
            for at, right in self.right(givens).items()
        )


def row(name: str, places: Sequence[str], numbers: Tensor | Sequence[float]) -> dict[tuple[str, str], float]:
    """A row of blanks, one for each place. NaN leaves one out."""
    values: list[float] = torch.as_tensor(numbers).tolist()
    return {(name, place): value for place, value in zip(places, values, strict=True) if not math.isnan(value)}
