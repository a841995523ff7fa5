"""A lab sheet worked out again: each answer is what its link gives, or it is not."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from transformer_core.labsheet.file import Found
from transformer_core.labsheet.judges import worked_out
from transformer_core.labsheet.sheet import RELEASE, Claim, Entry

State = Literal["right", "wrong", "changed", "forged", "unchecked"]


class Outcome(NamedTuple):
    """What has become of a claim. `now` is what its link gives, where it gives that at all; of what a sheet keeps
    silent about, the `claim` is that."""

    state: State
    entry: Entry
    claim: Claim
    now: Claim | None = None


def check(found: Found) -> list[Outcome]:
    """Every claim of a sheet, and those that it should have and has not."""
    sheet = found.sheet
    named = Counter(entry.key for entry in sheet.entries)
    return [
        one._replace(state="forged") if named[entry.key] > 1 else one
        for entry in sheet.entries
        for one in _outcomes(entry, current=sheet.release == RELEASE)
    ]


def _outcomes(entry: Entry, *, current: bool) -> Iterator[Outcome]:
    given = worked_out(entry)
    if given is None:
        yield from (Outcome("unchecked", entry, claim) for claim in entry.claims)
        return
    now, said = {claim.at: claim for claim in given}, Counter(claim.at for claim in entry.claims)
    for claim in entry.claims:
        other = now.get(claim.at)
        state = _state(claim, other, current=current) if said[claim.at] == 1 else "forged"
        yield Outcome(state, entry, claim, other)
    yield from (Outcome("forged", entry, claim, claim) for at, claim in now.items() if at not in said)


def _state(claim: Claim, now: Claim | None, *, current: bool) -> State:
    if now is None or (claim.reply, claim.first) != (now.reply, now.first):
        return "forged"  # whatever has judged it: the link has another reply
    if (claim.kind, claim.cause) != (now.kind, now.cause) or not _alike(claim.numbers, now.numbers):
        return "forged" if current else "changed"
    return "right" if claim.kind == "right" else "wrong"


def _alike(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Equal but for what processors round differently."""
    near = (a == b or math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) or a != a != b != b for a, b in zip(one, other))
    return len(one) == len(other) and all(near)
