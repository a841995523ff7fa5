"""What a link can name of each chapter: its sections and, of each, the controls on its screen, which it can hide.

A test opens every section and finds these and no others.
"""

from ui.chapters import contents
from ui.settings.chapters import CHAPTERS


def _derived(chapter: str) -> dict[str, str]:
    """Those that are there by themselves: the difference from another model, in the words of all chapters, is not."""
    found = contents(chapter)
    there = (one for one in found.every if one.look != "controls" and not one.words)
    return {one.name: " ".join(found.controls(one.name)) for one in there}


OFFERED = {chapter: _derived(chapter) for chapter in CHAPTERS}


def controls(chapter: str, section: str) -> list[str]:
    """Those that a link to the section can hide, or to the whole chapter, where it names none."""
    of_sections = OFFERED[chapter]
    listed = of_sections[section] if section else " ".join(of_sections.values())
    return list(dict.fromkeys(listed.split()))
