"""A lab sheet worked out again: each answer is what its link gives, or it is not."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from transformer_core.labsheet.file import OpenedSheet
from transformer_core.labsheet.judges import Claims, worked_out
from transformer_core.labsheet.sheet import Claim, Entry, SheetTable
from transformer_core.shell import RELEASE

State = Literal["right", "wrong", "changed", "forged", "figures", "unchecked", "linked"]
Show = Callable[[Entry], Entry | None]  # as the page gathers it to whom its link is opened
EXACT = 1e-6  # relative: what the core computes of small numbers, on another processor
ROUNDED = 1e-3  # of a model's, and of a figure's, which are written with six digits


class ClaimOutcome(NamedTuple):
    """What has become of a claim. `now` is what its link gives, where it gives that at all; of what a sheet keeps
    silent about, the `claim` is that. A figure is a claim about its numbers: "figures" where its link shows them. What
    no press has answered is "linked": a link or a scene has set it."""

    state: State
    entry: Entry
    claim: Claim
    now: Claim | None = None


def unseen(_: Entry) -> None:
    """Opens no link."""


def once(show: Show) -> Show:
    """Opens each link once, whoever's sheets it is on."""
    seen: dict[tuple[str, str, str], Entry | None] = {}

    def shown(entry: Entry) -> Entry | None:
        named = (*entry.key, entry.link)
        if named not in seen:
            seen[named] = show(entry)
        return seen[named]

    return shown


def check(found: OpenedSheet, show: Show = unseen) -> list[ClaimOutcome]:
    """Every claim of a sheet, and those that it should have and has not. What their links `show` is what figures are
    compared with, and answers that only a model can judge."""
    sheet = found.sheet
    named, current = Counter(entry.key for entry in sheet.entries), sheet.release == RELEASE
    return [
        one._replace(state="forged") if named[entry.key] > 1 else _pressed(one)
        for entry in sheet.entries
        for one in _of_entry(entry, show, current=current)
    ]


def _pressed(one: ClaimOutcome) -> ClaimOutcome:
    return one._replace(state="linked") if one.entry.presses == 0 and one.state in ("right", "wrong") else one


def _of_entry(entry: Entry, show: Show, *, current: bool) -> Iterator[ClaimOutcome]:
    given, near = worked_out(entry), EXACT
    shown = show(entry) if entry.tables or given is None else None
    if given is None and shown and shown.claims:
        given, near = shown.claims, ROUNDED
    if given is None:
        yield from (ClaimOutcome("unchecked", entry, claim) for claim in entry.claims)
    else:
        yield from _outcomes(entry, given, near, current=current)
    yield from _figures(entry, shown, current=current)


def _figures(entry: Entry, now: Entry | None, *, current: bool) -> Iterator[ClaimOutcome]:
    """Of each table whether its link shows it."""
    for table in entry.tables:
        claim = Claim(table.name, f"{len(table.rows)} × {max(map(len, table.rows), default=0)}", "", "right")
        state: State = "unchecked"
        if now is not None:
            same = any(_same(table, other) for other in now.tables)
            state = "figures" if same else "forged" if current else "changed"
        yield ClaimOutcome(state, entry, claim)


def _same(table: SheetTable, other: SheetTable) -> bool:
    sizes = [*map(len, table.rows)] == [*map(len, other.rows)]
    near = (_near(a, b, ROUNDED, ROUNDED) for one, two in zip(table.rows, other.rows) for a, b in zip(one, two))
    return table.name == other.name and sizes and all(near)


def _outcomes(entry: Entry, given: Claims, near: float, *, current: bool) -> Iterator[ClaimOutcome]:
    """Of each claim whether it is among those that are `given`, its numbers as far from those as `near`, relatively."""
    now, said = {claim.at: claim for claim in given}, Counter(claim.at for claim in entry.claims)
    for claim in entry.claims:
        other = now.get(claim.at)
        state = _state(claim, other, near, current=current) if said[claim.at] == 1 else "forged"
        yield ClaimOutcome(state, entry, claim, other)
    yield from (ClaimOutcome("forged", entry, claim, claim) for at, claim in now.items() if at not in said)


def _state(claim: Claim, now: Claim | None, near: float, *, current: bool) -> State:
    if now is None or (claim.reply, claim.first) != (now.reply, now.first):
        return "forged"  # whatever has judged it: the link has another reply
    if (claim.kind, claim.cause) != (now.kind, now.cause) or not _alike(claim.numbers, now.numbers, near):
        return "forged" if current else "changed"
    return "right" if claim.kind == "right" else "wrong"


def _alike(one: tuple[float, ...], other: tuple[float, ...], near: float) -> bool:
    """Equal but for what processors round differently."""
    return len(one) == len(other) and all(_near(a, b, near, 1e-3 * near) for a, b in zip(one, other))


def _near(a: float, b: float, relative: float, absolute: float) -> bool:
    return math.isclose(a, b, rel_tol=relative, abs_tol=absolute) or (math.isnan(a) and math.isnan(b))
