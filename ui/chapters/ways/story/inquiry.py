"""What the story of drawing asks: what a temperature does to the largest share; and the same at another one."""

from ui.chapters.ways.story.values import WaysStoryValues
from ui.figures import number, percent
from ui.sections import Choice
from ui.sections.inquiry import Inquiry, Version, one_of

SQUEEZE = Choice("story_squeeze", ("grows", "shrinks", "same"), right="grows")
TEMPERATURES = (0.25, 2.0, 0.8, 1.25, 4.0)


def at_another(v: WaysStoryValues, seed: int) -> Version | None:
    return one_of(seed, TEMPERATURES, lambda temperature: _at(v, temperature))


def _at(v: WaysStoryValues, temperature: float) -> Version | None:
    """None where nobody can see a change."""
    before, after = (float(v.shares(each).max()) for each in (1.0, temperature))
    said = {"T": number(temperature), "best": v.named(v.order[0]), "turn": v.turn, "times": number(1 / temperature, 3)}
    said |= {"share": percent(before), "after": percent(after)}
    return Version("grows" if after > before else "shrinks", said) if said["share"] != said["after"] else None


SQUEEZED = Inquiry(SQUEEZE, ("size", "noise", "leads"), "leads", at_another)
