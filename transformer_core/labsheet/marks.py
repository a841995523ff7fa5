"""The marks of a class as a table: a row for each sheet, for a spreadsheet."""

import csv
from collections.abc import Iterable, Sequence
from typing import IO, NamedTuple, get_args

from transformer_core.labsheet.check import ClaimOutcome, State
from transformer_core.labsheet.sheet import LabSheet

FORMULA = ("=", "+", "-", "@")  # how a formula begins in a spreadsheet, and no cell of ours


class Mark(NamedTuple):
    """What has become of one file."""

    file: str
    student: str  # as the platform that handed it out names him
    sheet: LabSheet | None  # None where none could be read
    outcomes: Sequence[ClaimOutcome]
    notes: tuple[str, ...]  # what a teacher should know of it

    def count(self, state: State) -> int:
        return sum(one.state == state for one in self.outcomes)


def write(marks: Iterable[Mark], file: IO[str]) -> None:
    """As CSV. No cell is a formula, whatever a file is called or says."""
    states: tuple[State, ...] = get_args(State)
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["file", "student", "name", "exercises", *states, "notes"])
    for mark in marks:
        counts = [mark.count(state) if mark.sheet else "" for state in states]
        entries = len(mark.sheet.entries) if mark.sheet else ""
        words = (mark.file, mark.student, mark.sheet.name if mark.sheet else "")
        table.writerow([*map(_plain, words), entries, *counts, _plain("; ".join(mark.notes))])


def shown(text: str) -> str:
    """What a file says, for a terminal: no letter of it is a command."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _plain(text: str) -> str:
    said = shown(text)
    return f"'{said}" if said.lstrip().startswith(FORMULA) else said


class Same(NamedTuple):
    """Two sheets with the same answers to the same exercises, by their places; or with the same of everything."""

    first: int
    later: int
    whole: bool


class Alike:
    """Finds sheets that are the same as one before."""

    def __init__(self) -> None:
        self._sheets: dict[str, int] = {}
        self._answers: dict[object, int] = {}

    def before(self, at: int, sheet: LabSheet) -> Same | None:
        """None if no sheet before has the same answers to the same exercises."""
        answers = frozenset(
            (entry.key, tuple((claim.at, claim.reply, claim.first) for claim in entry.claims))
            for entry in sheet.entries
            if entry.claims
        )
        if not answers:
            return None
        whole, first = self._sheets.setdefault(repr(sheet), at), self._answers.setdefault(answers, at)
        return None if first == at else Same(whole if whole != at else first, at, whole != at)


def noted(marks: Sequence[Mark], found: Iterable[Same]) -> list[Mark]:
    """With a note of which sheets are the same: of each the first one, and of that one the others."""
    told = list(marks)
    groups: dict[tuple[int, bool], list[int]] = {}
    for same in found:
        groups.setdefault((same.first, same.whole), []).append(same.later)
    for (first, whole), later in groups.items():
        more = f" and {len(later) - 1} more" if len(later) > 1 else ""
        told[first] = _with_note(told[first], same_as(told[first], f"{shown(marks[later[0]].file)}{more}", whole=whole))
        for at in later:
            told[at] = _with_note(told[at], same_as(told[at], shown(marks[first].file), whole=whole))
    return told


def same_as(mark: Mark, other: str, *, whole: bool) -> str:
    if whole:
        return f"word for word the same sheet as {other}"
    return f"the same answers to the same exercises as {other}, {mark.count('wrong')} of them wrong"


def _with_note(mark: Mark, note: str) -> Mark:
    return mark._replace(notes=(*mark.notes, note))
