"""Check lab sheets from the shell: a line for each file, and then the slips of all, the most frequent first.

    python -m transformer_core.labsheet check *.html
    python -m transformer_core.labsheet check handed-in
    python -m transformer_core.labsheet check --details --figures anna.html

It ends with 0 if every sheet is what its links give, 1 if one is not, 2 if a file could not be read.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from transformer_core.labsheet.check import Outcome, Show, State, check, once, unseen
from transformer_core.labsheet.file import LARGEST, Reason, Unreadable, read
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
}


def main(arguments: Sequence[str] | None = None, show: Show = unseen, named: str = COMMAND) -> int:
    """`show` is what opens a link, where somebody can; `named` what this is called by."""
    parser = Parser(named, description="Work lab sheets out again.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("check", help="hold every answer and number to what its link gives")
    one.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a lab sheet as the app saves it, or a folder")
    one.add_argument("--details", action="store_true", help="a line for each answer, too")
    one.add_argument("--figures", action="store_true", help="open links: compare figures, ask models (a second each)")
    said = parser.parse_args(arguments)
    show = once(show) if said.figures else unseen
    worst, slips = 0, Counter[str]()
    for path in (file for named in said.files for file in _files(named)):
        outcomes, ends = _told(path, show, details=said.details)
        worst = max(worst, ends)
        slips.update({_slip(one) for one in outcomes if one.state == "wrong" and one.claim.cause})
    if slips:
        print("Slips, and in how many sheets:")
    for slip, count in sorted(slips.items(), key=lambda one: (-one[1], one[0])):
        print(f"{count:6}  {slip}")
    return worst


def _files(named: Path) -> list[Path]:
    """A file; or those of a folder and of the folders in it, but for hidden files and what is in hidden folders."""
    if not named.is_dir():
        return [named]
    found = (path for path in named.rglob("*") if path.is_file() and not _is_hidden(path.relative_to(named)))
    return sorted(found) or [named]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _slip(one: Outcome) -> str:
    """The exercise, whatever its numbers are, and the mistake."""
    what = " ".join(word for word in one.entry.what.split() if not word.isdigit())
    return _shown(f"{one.entry.kind} {what}: {one.claim.cause}")


def _told(path: Path, show: Show, *, details: bool) -> tuple[list[Outcome], int]:
    """A line for a file, and those for its answers; the answers, and what the command is to end with for its sake."""
    try:
        found = read(path)
    except Unreadable as problem:
        print(f"{_shown(str(path))}: {WHY[problem.reason]}")
        return [], 2
    outcomes, sheet = check(found, show), found.sheet
    counts = {state: sum(one.state == state for one in outcomes) for state in get_args(State)}
    said = ", ".join(f"{count} {state}" for state, count in counts.items() if count or state not in UNSAID)
    edited = "" if found.intact else "; edited by hand after it was saved"
    released = "" if sheet.release == RELEASE else f"; made with release {_shown(sheet.release)}, not {RELEASE}"
    unsaid = "; does not say who answered" if any(one.presses is None for one in sheet.entries) else ""
    print(f"{_shown(str(path))}: {_shown(sheet.name) or 'no name'}: {said}{edited}{released}{unsaid}")
    for line in _details(outcomes) if details else ():
        print(f"  {line}")
    return outcomes, int(bool(counts["forged"] or counts["changed"] or counts["linked"]) or not found.intact)


def _details(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for state, entry, claim, now in outcomes:
        told = f"{state}: {_shown(f'{entry.kind} {entry.what}, {claim.at}')}: {_worth(claim)}"
        if state in ("changed", "forged"):
            told += f"; its link gives {_worth(now)}" if now and now != claim else "; not as its link has it"
        yield f"{told}  {_shown(entry.link)}"


def _worth(claim: Claim) -> str:
    cause = f" ({claim.cause})" if claim.cause else ""
    numbers = "".join(f" {number:.6g}" for number in claim.numbers)
    return _shown(f"“{claim.reply}” {claim.kind}{cause}{numbers}")


def _shown(text: str) -> str:
    """What a file says, for a terminal: no letter of it is a command."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
