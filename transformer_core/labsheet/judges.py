"""Who works an entry out again, from what its link says and nothing else.

An exercise of this package has its judge here; what only the app can judge is named, and imported if the app is there.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import read
from transformer_core.exercises.parsons.judge import judge
from transformer_core.exercises.reply import unpacked
from transformer_core.exercises.worksheet import TASKS
from transformer_core.exercises.worksheet.exercise import SEEDS
from transformer_core.labsheet.sheet import Claim, Entry, Kind, Table, opened

Claims = tuple[Claim, ...]
Judge = Callable[[str, str, Mapping[str, str]], Claims | None]
PRACTICE = "practice"  # the chapter of the exercises


def worksheet(chapter: str, what: str, said: Mapping[str, str]) -> Claims | None:
    """Each blank that was filled; its number, once the reply is right."""
    name, seed = said.get("sheet_task", ""), said.get("sheet_seed", "")
    if chapter != PRACTICE or name not in TASKS or what != f"{name} {seed}" or not _is_seed(seed):
        return ()
    blanks = TASKS[name].exercise(int(seed)).blanks
    replies, first = (unpacked(said.get(each, ""), len(blanks)) for each in ("sheet_replies", "sheet_first"))
    claims = []
    for blank, reply, at_first in zip(blanks, replies, first):
        verdict = blank.judged(reply)
        if verdict.kind != "empty":
            numbers = (blank.right,) if verdict.kind == "right" else ()
            claims.append(Claim(blank.place, reply, at_first, verdict.kind, verdict.cause, numbers))
    return tuple(claims)


def mend(chapter: str, what: str, said: Mapping[str, str]) -> Claims | None:
    """The lines that were judged last, and how far they are from each law, as far as these were measured."""
    puzzle = PUZZLES.get(said.get("mend_puzzle", ""))
    if chapter != PRACTICE or puzzle is None or what != puzzle.name:
        return ()
    order = said.get("mend_judged", "")
    assembly = read(puzzle, order)
    if assembly is None:
        return ()
    verdict = judge(puzzle, assembly)
    kinds: dict[str, Kind] = {"right": "right", "slip": "slip", "law": "wrong"}
    errors = tuple(one.error for one in verdict.measured)
    cause = verdict.cause or verdict.name
    return (Claim(puzzle.name, order, said.get("mend_first", ""), kinds[verdict.kind], cause, errors),)


def _is_seed(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len(str(SEEDS)) and 1 <= int(text) <= SEEDS


JUDGES: dict[str, Judge] = {"worksheet": worksheet, "mend": mend}
BEYOND = {"question": "ui.answers:question"}  # module: function
SHOWN = "ui.answers:shown"  # what opens a link, and gives the tables of the figures there


def worked_out(entry: Entry) -> Claims | None:
    """What the link of an entry gives; nothing where it is none of its kind; None where nobody here can tell."""
    judge: Judge | None = JUDGES.get(entry.kind) or _of_the_app(BEYOND.get(entry.kind, ""))
    if judge is None:
        return None
    try:
        chapter, said = opened(entry.link)
    except ValueError:
        return ()
    return judge(chapter, entry.what, said)


def shown_again(entry: Entry) -> tuple[Table, ...] | None:
    """The tables that the page shows to whom its link is opened; None where nobody here can open it."""
    show: Callable[[Entry], tuple[Table, ...] | None] | None = _of_the_app(SHOWN)
    return show and show(entry)


def _of_the_app(named: str) -> Any:
    """A function of the app by its name, where the app is there."""
    beside = Path(__file__).parents[2]
    for folder in (beside, beside / "glassformer"):  # as in the sources, and as installed
        if (folder / "ui").is_dir() and str(folder) not in sys.path:
            sys.path.append(str(folder))
    module, _, name = named.partition(":")
    try:
        return getattr(import_module(module), name) if named else None
    except ImportError:
        return None
