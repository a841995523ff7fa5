"""Check lab sheets from the shell: a line for each file, and then the slips of all, the most frequent first.

A folder is the files in it, and so is the ZIP of all submissions that a learning platform makes.

    python -m transformer_core.labsheet check *.html
    python -m transformer_core.labsheet check handed-in
    python -m transformer_core.labsheet check --details anna.html
    python -m transformer_core.labsheet check --csv marks.csv submissions.zip

It ends with 0 if every sheet is what its links give, 1 if one is not or was changed, 2 if a file could not be read.
A sheet does not prove who answered it.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, get_args

from transformer_core.labsheet.check import ClaimOutcome, Show, State, check, once, unseen
from transformer_core.labsheet.file import LARGEST, Reason, Unreadable, found_in
from transformer_core.labsheet.handed_in import DEPTH, MEMBERS, Handed, handed_in
from transformer_core.labsheet.marks import Alike, Mark, Same, noted, same_as, shown, write
from transformer_core.labsheet.sheet import VERSION, Claim
from transformer_core.shell import RELEASE, Parser

COMMAND = "python -m transformer_core.labsheet"
WHY: dict[Reason, str] = {
    "missing": "cannot be opened, or is an empty folder",
    "huge": f"is larger than {LARGEST // 1_000_000} MB, which no lab sheet is",
    "none": "is no lab sheet",
    "truncated": "ends in the middle: a part of the lab sheet is missing",
    "version": f"is a lab sheet of another version, which this one (version {VERSION} and before) does not read",
    "broken": "is a lab sheet whose data is damaged",
    "mhtml": "was saved by a browser as MHTML, without its data as a lab sheet; the file that the app saves has it",
    "pdf": "is a PDF, which has no data of a lab sheet; the file that the app saves has it",
    "zip": "is a ZIP that is damaged, or packed in a way that cannot be read here",
    "locked": "is locked with a password",
    "deep": f"is a ZIP more than {DEPTH - 1} deep in another, and was not opened",
    "many": f"has more in it than a class hands in (at most {MEMBERS} files); what follows was not read",
}
CHANGED = "its data was changed after it was saved"
LIMITS = "A lab sheet does not prove who answered. A checksum only finds data that was changed after it was saved."
SAME = "The same answers: right ones to the same numbers are the same for everyone; wrong ones seldom are."


def main(arguments: Sequence[str] | None = None, show: Show = unseen, named: str = COMMAND) -> int:
    """`show` is what opens a link, where somebody can; `named` what this is called by."""
    parser = Parser(named, description=f"Compute every answer of a lab sheet again from its link. {LIMITS}")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("check", help="compare every answer with what its link gives", description=LIMITS)
    one.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a lab sheet, a folder or a ZIP of them")
    one.add_argument("--details", action="store_true", help="a line for each answer, too")
    one.add_argument("--models", action="store_true", help="open the links that only a model judges (a second each)")
    one.add_argument(
        "--csv", metavar="FILE", help="write a table, a row a file; - is stdout, where nothing else is then"
    )
    said = parser.parse_args(arguments)
    try:
        with _table(said.csv) as table:
            return _checked(said.files, said, show, table)
    except OSError as problem:
        print(f"{parser.prog}: {problem}", file=sys.stderr)
        return 2


def _table(named: str | None) -> AbstractContextManager[IO[str] | None]:
    """Where the table goes, if anywhere. For a spreadsheet, a file says that it is UTF-8."""
    if named in (None, "-"):
        return nullcontext(sys.stdout if named else None)
    return Path(named).open("w", encoding="utf-8-sig", newline="")


def _checked(files: Sequence[Path], said: argparse.Namespace, show: Show, table: IO[str] | None) -> int:
    out = sys.stderr if table is sys.stdout else sys.stdout
    show = once(show) if said.models else unseen
    worst, marks, alike, same = 0, list[Mark](), Alike(), list[Same]()
    for handed in (one for named in files for one in handed_in(named) if not _is_table(one.name, said.csv)):
        mark, ends = _told(handed, show)
        worst = max(worst, ends)
        known = alike.before(len(marks), mark.sheet) if mark.sheet else None
        marks.append(mark)
        notes = mark.notes
        if known:
            same.append(known)
            notes = (*notes, same_as(mark, shown(marks[known.first].file), whole=known.whole))
        print(_line(mark._replace(notes=notes)), file=out)
        for line in _details(mark.outcomes) if said.details else ():
            print(f"  {line}", file=out)
    _tell_of_all(marks, out, same=bool(same))
    if table is not None:
        write(noted(marks, same), table)
    return worst


def _is_table(name: str, table: str | None) -> bool:
    """Whether a file is the table that is being written."""
    return table not in (None, "-") and Path(name).resolve() == Path(str(table)).resolve()


def _tell_of_all(marks: Sequence[Mark], out: IO[str], *, same: bool) -> None:
    """What all sheets have in common: slips, and what the same answers mean."""
    slips = Counter[str]()
    for mark in marks:
        slips.update({_slip(one) for one in mark.outcomes if one.state == "wrong" and one.claim.cause})
    if slips:
        print("Slips, and in how many sheets:", file=out)
    for slip, count in sorted(slips.items(), key=lambda one: (-one[1], one[0])):
        print(f"{count:6}  {slip}", file=out)
    if same:
        print(SAME, file=out)


def _line(mark: Mark) -> str:
    """What has become of a file."""
    notes = "; ".join(mark.notes)
    if mark.sheet is None:
        return f"{shown(mark.file)}: {notes}"
    states: tuple[State, ...] = get_args(State)
    said = ", ".join(f"{mark.count(one)} {one}" for one in states if mark.count(one) or one != "unchecked")
    return f"{shown(mark.file)}: {shown(mark.sheet.name) or 'no name'}: {said}{'; ' if notes else ''}{notes}"


def _slip(one: ClaimOutcome) -> str:
    """The exercise, whatever its numbers are, and the mistake."""
    what = " ".join(word for word in one.entry.what.split() if not word.isdigit())
    return shown(f"{one.entry.kind} {what}: {one.claim.cause}")


def _told(handed: Handed, show: Show) -> tuple[Mark, int]:
    """What has become of a file, and what the command is to end with for its sake."""
    try:
        if isinstance(handed.content, Unreadable):
            raise handed.content
        found = found_in(handed.content)
    except Unreadable as problem:
        return Mark(handed.name, handed.student, None, (), (WHY[problem.reason],)), 2
    sheet, notes = found.sheet, list[str]()
    if not found.unchanged:
        notes.append(CHANGED)
    if sheet.release != RELEASE:
        notes.append(f"made with release {shown(sheet.release)}, not {RELEASE}")
    mark = Mark(handed.name, handed.student, sheet, check(sheet, show), tuple(notes))
    return mark, int(bool(mark.count("differing") or mark.count("changed")) or not found.unchanged)


def _details(outcomes: Sequence[ClaimOutcome]) -> Iterator[str]:
    for state, entry, claim, now in outcomes:
        told = f"{state}: {shown(f'{entry.kind} {entry.what}, {claim.at}')}: {_worth(claim)}"
        if state in ("changed", "differing"):
            told += f"; its link gives {_worth(now)}" if now and now != claim else "; not as its link has it"
        yield f"{told}  {shown(entry.link)}"


def _worth(claim: Claim) -> str:
    cause = f" ({claim.cause})" if claim.cause else ""
    numbers = "".join(f" {number:.6g}" for number in claim.numbers)
    return shown(f"“{claim.reply}” {claim.kind}{cause}{numbers}")
