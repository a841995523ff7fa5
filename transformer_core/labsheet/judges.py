"""Who works an entry out again, from what its link says and nothing else.

An exercise of this package has its judge here; who has exercises of other kinds adds theirs.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress

import numpy as np

from transformer_core.exercises.drawing import rate, wave
from transformer_core.exercises.drawing.packed import FULL, NotADrawing
from transformer_core.exercises.drawing.packed import unpacked as unpacked_levels
from transformer_core.exercises.drawing.verdict import DrawingVerdict
from transformer_core.exercises.faults.which_fault import FAULTS, MOST, fault_of
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import read
from transformer_core.exercises.parsons.judge import judge
from transformer_core.exercises.reply import unpacked
from transformer_core.exercises.worksheet import TASKS
from transformer_core.exercises.worksheet.exercise import SEEDS
from transformer_core.labsheet.sheet import Claim, Entry, Kind, opened

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


def draw(chapter: str, what: str, said: Mapping[str, str]) -> Claims | None:
    """The drawing that was run last, of what the core computes; None of what a model or a run does."""
    name, seed = said.get("draw_task", ""), said.get("draw_seed", "")
    if chapter != PRACTICE or what != f"{name} {seed}" or not _is_seed(seed):
        return ()
    if name not in ("wave", "rate"):
        return None
    drawn = said.get("drawn_run", "")
    with suppress(NotADrawing):
        if name == "wave":
            asked = wave.asked(int(seed))
            verdict = wave.judged(asked, 2 * _heights(drawn, len(asked.x)) - 1)
        else:
            rates = rate.asked(int(seed))
            verdict = rate.judged(rates, rates.top * _heights(drawn, len(rates.x)))
        return (drawing(name, drawn, said.get("drawn_first", ""), verdict),)
    return ()


def drawing(task: str, drawn: str, first: str, verdict: DrawingVerdict) -> Claim:
    """What a drawing is worth, and how far it is from the truth."""
    cause = verdict.causes[0].name if verdict.causes else ""
    return Claim(task, drawn, first, "right" if verdict.right else "wrong", cause, (verdict.distance,))


def _heights(drawn: str, points: int) -> np.ndarray:
    """(points,) from 0, at the bottom of the sheet, to 1."""
    return np.asarray(unpacked_levels(drawn, points), dtype=np.float64) / FULL


def fault(chapter: str, what: str, said: Mapping[str, str]) -> Claims | None:
    """The name that was given to the fault of a seed."""
    seed, named = said.get("fault", ""), said.get("fault_named", "")
    if chapter != PRACTICE or what != seed or not _is_seed(seed, MOST) or named not in FAULTS:
        return ()
    found = fault_of(int(seed)).name == named
    return (Claim("fault", named, said.get("fault_first", ""), "right" if found else "wrong"),)


def _is_seed(text: str, most: int = SEEDS) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len(str(most)) and 1 <= int(text) <= most


JUDGES: dict[str, Judge] = {"worksheet": worksheet, "mend": mend, "draw": draw, "fault": fault}


def add_judge(kind: str, judge: Judge) -> None:
    """From here on entries of this kind are judged by this."""
    JUDGES[kind] = judge


def worked_out(entry: Entry) -> Claims | None:
    """What the link of an entry gives; nothing where it is none of its kind; None where nobody here can tell."""
    judge = JUDGES.get(entry.kind)
    if judge is None:
        return None
    try:
        chapter, said = opened(entry.link)
    except ValueError:
        return ()
    return judge(chapter, entry.what, said)
