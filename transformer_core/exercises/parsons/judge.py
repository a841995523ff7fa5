"""The laws of a puzzle, run on what a reader has assembled: the first that fails, with its number."""

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from transformer_core.exercises.parsons.assembly import (
    FILE,
    Assembly,
    Misplaced,
    Stopped,
    assembled,
    misplaced,
)
from transformer_core.exercises.parsons.puzzle import NO_VALUES, Distractor, Puzzle

ENDLESS, RAISED = "endless", "raised"
LONGEST = 200  # letters of what an error says
_QUOTED = re.compile(r"'(\w+)'")


class MeasuredLaw(NamedTuple):
    """A law, and by how much the function misses it."""

    law: str
    error: float
    tolerance: float
    held: bool


class PuzzleVerdict(NamedTuple):
    """`right`, or what is wrong: a `slip` that leaves nothing to measure, or the `law` that fails first.

    A slip is `empty`, `deeper`, `hollow`, `unset`, `raised`, `endless`, `nothing` or `odd`; `at` is the line of the
    assembly that it concerns, counted from 0. `values` are the blanks of the sentence, `measured` the laws up to the
    one that failed. `cause` names the line in the assembly that is known to break this.
    """

    kind: Literal["right", "slip", "law"]
    name: str = ""
    at: int | None = None
    values: Mapping[str, float | int | str] = NO_VALUES
    measured: tuple[MeasuredLaw, ...] = ()
    cause: str = ""


def judge(puzzle: Puzzle, assembly: Assembly) -> PuzzleVerdict:
    """Run the laws in their order on the function that the lines make."""
    wrong = misplaced(puzzle, assembly)
    if wrong:
        return _misplaced(puzzle, assembly, wrong)
    subject = puzzle.subject(assembled(puzzle, assembly))
    measured: list[MeasuredLaw] = []
    for law in puzzle.laws:
        try:
            finding = law.measure(subject)
        except Exception as problem:  # whatever the lines lead to is the reader's to see
            return _stopped(puzzle, assembly, problem, tuple(measured))
        held = law.holds(finding)
        measured.append(MeasuredLaw(law.name, finding.error, law.tolerance, held))
        if not held:
            cause = _cause(puzzle, assembly, law.name)
            return PuzzleVerdict("law", law.name, None, finding.values, tuple(measured), cause)
    return PuzzleVerdict("right", measured=tuple(measured))


def _misplaced(puzzle: Puzzle, assembly: Assembly, wrong: Misplaced) -> PuzzleVerdict:
    return PuzzleVerdict("slip", wrong.name, wrong.at if assembly else None)


def _stopped(
    puzzle: Puzzle, assembly: Assembly, problem: Exception, measured: tuple[MeasuredLaw, ...]
) -> PuzzleVerdict:
    """An error in a line of the assembly, or in what the laws make of its result."""
    at = _line(problem)
    if isinstance(problem, Stopped):
        name = str(problem)
        return PuzzleVerdict("slip", name, at, measured=measured, cause=_cause(puzzle, assembly, name))
    said = (str(problem).splitlines() or [""])[0][:LONGEST]
    named = _QUOTED.search(said)
    if at is not None and isinstance(problem, NameError) and named:
        return PuzzleVerdict("slip", "unset", at, {"name": named[1]}, measured)
    if at is None:
        return PuzzleVerdict("slip", "odd", None, {"error": f"{type(problem).__name__}: {said}"}, measured)
    told = {"error": f"{type(problem).__name__}: {said}"}
    return PuzzleVerdict("slip", RAISED, at, told, measured, _cause(puzzle, assembly, RAISED))


def _line(problem: Exception) -> int | None:
    """The line of the assembly that raised it, counted from 0."""
    found, trace = None, problem.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == FILE:
            found = trace.tb_lineno - 2
        trace = trace.tb_next
    return found


def _cause(puzzle: Puzzle, assembly: Assembly, law: str) -> str:
    """The first line from a bug in the assembly that is known to break this law."""
    for placed in assembly:
        line = puzzle.every[placed.line]
        if isinstance(line, Distractor) and line.law == law:
            return line.name
    return ""
