"""What a puzzle is made of: lines of the core, lines from real bugs, and the laws that tell one from the other."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from transformer_core.verify.checks import FLOAT64

Function = Callable[..., Any]  # what the lines make
NO_VALUES: Mapping[str, float | int | str] = MappingProxyType({})


def itself(function: Function) -> Function:
    return function


class PuzzleLine(NamedTuple):
    """A line of the core, where the core has it: `indent` levels below the function's own."""

    name: str
    code: str
    indent: int = 0


class Distractor(NamedTuple):
    """A line from a real bug: `instead` of that line of the core it breaks the `law`, or stops with an error (RAISED),
    or never ends (ENDLESS)."""

    name: str
    code: str
    instead: str
    law: str


class Finding(NamedTuple):
    """How far a function is from a law, and the numbers of the sentence that says so."""

    error: float
    values: Mapping[str, float | int | str] = NO_VALUES


class Law(NamedTuple):
    """A statement that holds for the core's function, measured on the puzzle's `subject`; NaN is no number, and none
    within the tolerance."""

    name: str
    measure: Callable[[Any], Finding]
    tolerance: float = FLOAT64

    def holds(self, finding: Finding) -> bool:
        return finding.error <= self.tolerance


@dataclass(frozen=True)
class Puzzle:
    """`lines` below the `header` are the function; `names` are what they may use besides its parameters.

    The laws are measured in their order, and the first that fails is told: on the function itself, or on what the
    `subject` makes of it once for all of them. The lines come from the modules of the `core` functions.
    """

    name: str
    header: str
    lines: tuple[PuzzleLine, ...]
    distractors: tuple[Distractor, ...]
    laws: tuple[Law, ...]
    names: Mapping[str, Any]
    core: tuple[Callable[..., Any], ...]
    subject: Callable[[Function], Any] = itself

    @cached_property
    def every(self) -> tuple[PuzzleLine | Distractor, ...]:
        """All lines: an assembly names them by their place here."""
        return (*self.lines, *self.distractors)

    def place(self, name: str) -> int:
        """Of the line with this name, in `every`. ValueError if there is none."""
        return [line.name for line in self.every].index(name)

    def mixed(self, seed: int) -> list[int]:
        """The places of all lines, shuffled by a seed."""
        places = list(range(len(self.every)))
        random.Random(seed).shuffle(places)
        return places
