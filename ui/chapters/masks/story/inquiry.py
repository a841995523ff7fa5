"""What the story of masks asks: which rows a word of the answer changes; and the same of another word."""

from ui.chapters.masks.story.experiments import MasksStoryValues
from ui.sections import Choice
from ui.sections.inquiry import Inquiry, Version, one_of, ranked

LATER = Choice("story_later", ("from", "before", "all"), right="from")


def of_another(v: MasksStoryValues, seed: int) -> Version | None:
    places = [place for place in range(1, len(v.words)) if place != v.changed]
    return one_of(seed, places, lambda place: _of(v, place))


def _of(v: MasksStoryValues, place: int) -> Version | None:
    """Its rows are counted: those that compute something else with another word there."""
    rows, changed = len(v.words), int((v.under.difference[:, place] > 0).sum())
    labels = ranked({"from": changed, "before": place, "all": rows})
    said = {"word": v.words[place], "place": place + 1, "rows": rows, "changed": changed, "above": place}
    return Version("from", said, labels) if labels else None


COVERED = Inquiry(LATER, ("loss", "turns", "uncovered"), "uncovered", of_another)
