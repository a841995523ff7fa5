"""What the story of the backward pass asks: how a sum hands on its gradient; and the same of another sum."""

from ui.chapters.backward.story.values import BackwardStoryValues, ResidualSum
from ui.sections import Choice
from ui.sections.inquiry import Inquiry, Version, one_of, ranked, short

SUM = Choice("story_sum", ("whole", "half", "size"), right="whole")


def at_another(v: BackwardStoryValues, seed: int) -> Version | None:
    return one_of(seed, v.sums, _of)


def _of(one: ResidualSum) -> Version | None:
    whole = one.x + one.added
    if not (one.gradient > 0 and whole > 0):
        return None
    labels = ranked({"whole": one.past, "half": one.gradient / 2, "size": one.gradient * one.x / whole})
    said = {"path": one.path, "gradient": short(one.gradient), "x": short(one.x), "added": short(one.added)}
    return Version("whole", said | {"past": short(one.past)}, labels) if labels else None


HANDED_ON = Inquiry(SUM, ("copy", "slope", "learned"), "slope", at_another)
