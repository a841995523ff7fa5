"""Figures that are drawn once for all readers of the same, however often a page runs."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from ui.cache import cached
from ui.figures.figure import Figure
from ui.frame.chapter import Chapter

T = TypeVar("T")


def kept(chapter: Chapter[Any], draw: Callable[[], T], *about: Hashable) -> T:
    """What `draw` makes of the model at hand in the words of the section: a figure, or a tuple with figures in it.

    It is shared by all who ask for the same, so nothing changes it, `about` names all else that it depends on, and
    drawing it puts nothing on the page.
    """

    def drawn() -> T:
        found = draw()
        for one in found if isinstance(found, tuple) else (found,):
            if isinstance(one, Figure) and one.board:
                one.board.text(chapter.glosses)  # so that it counts
        return found

    return cached.get_or_make(("figure", chapter.at_hand, chapter.say, chapter.named, *about), drawn)
