"""Check lab sheets from the shell: a line for each file, and then the slips of all, the most frequent first.

A folder is the files in it, and so is the ZIP of all submissions that a learning platform makes.

    python -m transformer_core.labsheet check *.html
    python -m transformer_core.labsheet check handed-in
    python -m transformer_core.labsheet check --details --figures anna.html
    python -m transformer_core.labsheet check --csv marks.csv submissions.zip

It ends with 0 if every sheet is what its links give, 1 if one is not, 2 if a file could not be read.
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
from transformer_core.labsheet.marks import Alike, Mark, Same, noted, same_as, shown, titled, write
from transformer_core.labsheet.sheet import VERSION, Claim
from transformer_core.shell import RELEASE, Parser

COMMAND = "python -m transformer_core.labsheet"
UNSAID: tuple[State, ...] = ("figures", "unchecked", "linked")  # where there are none
WHY: dict[Reason, str] = {
    "missing": "cannot be opened, or is an empty folder",
    "huge": f"is larger than {LARGEST // 1_000_000} MB, which no lab sheet is",
    "none": "is no lab sheet",
    "truncated": "ends in the middle: a part of the lab sheet is missing",
    "version": f"is a lab sheet of another version, which this one (version {VERSION}) does not read",
    "broken": "is a lab sheet whose data is damaged",
    "mhtml": "was saved by a browser as MHTML, without its data as a lab sheet; the file that the app saves has it",
    "pdf": "is a PDF, which has no data of a lab sheet; the file that the app saves has it",
    "zip": "is a ZIP that is damaged, or packed in a way that cannot be read here",
    "locked": "is locked with a password",
    "deep": f"is a ZIP more than {DEPTH - 1} deep in another, and was not opened",
    "many": f"has more in it than a class hands in (at most {MEMBERS} files); what follows was not read",
}
UNLIKE = "not letter for letter as the app saved it"
CAUSES = (
    f"{UNLIKE}: the words on its page or its data differ from those that were saved. A browser's translation\n"
    "or extension, a converter and an editor can do that. What its links give is worked out all the same."
)


SAME = "The same answers: right ones to the same numbers are the same for everyone; wrong ones seldom are."


def main(arguments: Sequence[str] | None = None, show: Show = unseen, named: str = COMMAND) -> int:
    """`show` is what opens a link, where somebody can; `named` what this is called by."""
    parser = Parser(named, description="Work lab sheets out again.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("check", help="hold every answer and number to what its link gives")
    one.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a lab sheet, a folder or a ZIP of them")
    one.add_argument("--details", action="store_true", help="a line for each answer, too")
    one.add_argument("--figures", action="store_true", help="open links: compare figures, ask models (a second each)")
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
    show = once(show) if said.figures else unseen
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
    """What all sheets have in common: slips, and what the notes of some of them mean."""
    slips = Counter[str]()
    for mark in marks:
        slips.update({_slip(one) for one in mark.outcomes if one.state == "wrong" and one.claim.cause})
    if slips:
        print("Slips, and in how many sheets:", file=out)
    for slip, count in sorted(slips.items(), key=lambda one: (-one[1], one[0])):
        print(f"{count:6}  {slip}", file=out)
    if any(UNLIKE in mark.notes for mark in marks):
        print(CAUSES, file=out)
    if same:
        print(SAME, file=out)


def _line(mark: Mark) -> str:
    """What has become of a file."""
    notes = "; ".join(mark.notes)
    if mark.sheet is None:
        return f"{shown(mark.file)}: {notes}"
    states: tuple[State, ...] = get_args(State)
    said = ", ".join(f"{mark.count(one)} {titled(one)}" for one in states if mark.count(one) or one not in UNSAID)
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
    if not found.intact:
        notes.append(UNLIKE)
    if sheet.release != RELEASE:
        notes.append(f"made with release {shown(sheet.release)}, not {RELEASE}")
    if any(one.presses is None for one in sheet.entries):
        notes.append("does not say who answered")
    mark = Mark(handed.name, handed.student, sheet, check(found, show), tuple(notes))
    unlike = mark.count("forged") or mark.count("changed") or mark.count("linked")
    return mark, int(bool(unlike) or not found.intact)


def _details(outcomes: Sequence[ClaimOutcome]) -> Iterator[str]:
    for state, entry, claim, now in outcomes:
        told = f"{titled(state)}: {shown(f'{entry.kind} {entry.what}, {claim.at}')}: {_worth(claim)}"
        if state in ("changed", "forged"):
            told += f"; its link gives {_worth(now)}" if now and now != claim else "; not as its link has it"
        yield f"{told}  {shown(entry.link)}"


def _worth(claim: Claim) -> str:
    cause = f" ({claim.cause})" if claim.cause else ""
    numbers = "".join(f" {number:.6g}" for number in claim.numbers)
    return shown(f"“{claim.reply}” {claim.kind}{cause}{numbers}")
