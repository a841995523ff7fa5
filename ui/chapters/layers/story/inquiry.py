"""What the story of layers asks: what becomes of a word without residual sums; and the same of another word."""

from ui.chapters.layers.story.stream import LayersStoryValues
from ui.figures import number
from ui.sections import Choice
from ui.sections.inquiry import Inquiry, Version, one_of

UNHOOK = Choice("story_unhook", ("lost", "same", "zero"), right="lost")
LESS = 0.1  # of the likeness, a cosine


def of_another(v: LayersStoryValues, seed: int) -> Version | None:
    others = [row for row in range(len(v.words)) if row != v.row]
    return one_of(seed, others, lambda row: _of(v, row))


def _of(v: LayersStoryValues, row: int) -> Version | None:
    """None where it is hardly less like its start than on the belt."""
    hooked, unhooked = (float(like) for like in v.every_like[:, row])
    if hooked - unhooked < LESS:
        return None
    said = {"word": v.words[row], "sums": len(v.added), "hooked": number(hooked, 2), "unhooked": number(unhooked, 2)}
    return Version("lost", said)


UNHOOKED = Inquiry(UNHOOK, ("neighbours", "size", "carried"), "carried", of_another)
