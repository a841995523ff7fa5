"""A lab sheet worked out again: each answer is what its link gives, or it is not."""

import math
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from transformer_core.labsheet.judges import worked_out
from transformer_core.labsheet.sheet import Claim, Entry, LabSheet
from transformer_core.shell import RELEASE

State = Literal["right", "wrong", "changed", "differing", "unchecked"]
Show = Callable[[Entry], Entry | None]  # as the page gathers it to whom its link is opened
EXACT = 1e-6  # relative: what the core computes of small numbers, on another processor
ROUNDED = 1e-3  # relative: what a model computes


class ClaimOutcome(NamedTuple):
    """What has become of a claim. `now` is what its link gives, where it gives that at all."""

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


def check(sheet: LabSheet, show: Show = unseen) -> list[ClaimOutcome]:
    """Every claim of a sheet. What their links `show` is what answers are compared with that only a model can judge."""
    current = sheet.release == RELEASE
    return [one for entry in sheet.entries for one in _of_entry(entry, show, current=current)]


def _of_entry(entry: Entry, show: Show, *, current: bool) -> Iterator[ClaimOutcome]:
    given, near = worked_out(entry), EXACT
    if given is None and (shown := show(entry)) and shown.claims:
        given, near = shown.claims, ROUNDED
    now = {claim.at: claim for claim in given or ()}
    for claim in entry.claims:
        other = now.get(claim.at)
        state: State = "unchecked" if given is None else _state(claim, other, near, current=current)
        yield ClaimOutcome(state, entry, claim, other)


def _state(claim: Claim, now: Claim | None, near: float, *, current: bool) -> State:
    if now is None or (claim.reply, claim.first) != (now.reply, now.first):
        return "differing"  # in every release: the link has another reply
    if (claim.kind, claim.cause) != (now.kind, now.cause) or not _alike(claim.numbers, now.numbers, near):
        return "differing" if current else "changed"
    return "right" if claim.kind == "right" else "wrong"


def _alike(one: tuple[float, ...], other: tuple[float, ...], near: float) -> bool:
    """Equal but for what processors round differently, as far as `near`, relatively."""
    return len(one) == len(other) and all(
        math.isclose(a, b, rel_tol=near, abs_tol=1e-3 * near) or (math.isnan(a) and math.isnan(b))
        for a, b in zip(one, other)
    )
