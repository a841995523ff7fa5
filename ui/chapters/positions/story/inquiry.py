"""What the story of order asks: what another order makes of the vectors; and the same of a third one."""

from ui.chapters.positions.order import memories, reordering
from ui.chapters.positions.story.values import PositionsStoryValues, seeds
from ui.figures import number
from ui.sections import Choice
from ui.sections.inquiry import Inquiry, Version, first_of

ORDER = Choice("story_order", ("moved", "changed", "stayed"), right="moved")
INNER = 1, 4  # the three words' places, between the symbols


def of_a_third(v: PositionsStoryValues, seed: int) -> Version | None:
    """The words alone change places, neither as they stood nor as the story has them."""
    length, inner = len(v.tokens), range(*INNER)
    known = [list(range(length)), v.order]
    found = {tuple(reordering(length, each).tolist()): each for each in range(*seeds())}
    other = [
        (order, each) for order, each in found.items()
        if list(order) not in known and all(order[at] == at for at in range(length) if at not in inner)
    ]  # fmt: skip
    return first_of(seed, other, lambda one: _of(v, *one))


def _of(v: PositionsStoryValues, order: tuple[int, ...], seed: int) -> Version | None:
    """Where the vector of the first word that moves comes out is found, not supposed: the nearest one."""
    of = memories(v.at_hand, v.tokens, seed)["without"]
    to = next(at for at, before in enumerate(order) if before != at)
    away = (of["reordered"] - of["expected"][to]).norm(dim=-1)
    if int(away.argmin()) != to:
        return None
    names = [v.words[at] for at in order]
    said = {"order": " ".join(names[slice(*INNER)]), "word": names[to], "to": to, "from": order[to]}
    return Version("moved", said | {"off": number(float(away[to]), 1)})


ORDERED = Inquiry(ORDER, ("short", "sum", "trained"), "sum", of_a_third)
