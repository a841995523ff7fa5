"""A section of a chapter: what it shows, sets, reads and asks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, TypeVar

from ui.frame.chapter import Chapter
from ui.page.lecture import Step
from ui.page.predict import Choice, Quantity
from ui.settings.composed import composed
from ui.settings.fields import Settings, number_reply, reply

S = TypeVar("S", bound=Settings)


NONE: Any = Settings  # of its own


def heading_only(_: Chapter[Any]) -> None:
    """What a section draws that is a heading over its parts."""


def always(_: Chapter[Any]) -> bool:
    return True


def typed(chapter: Chapter[Any]) -> bool:
    """Whether the sequences at the top of the page can be read, so that there is something to show."""
    return chapter.sequences is not None


@cache
def reply_setting(question: str, picked: bool) -> type[Settings]:
    """The setting of a question."""
    made = reply() if picked else number_reply()
    return type(question.title(), (Settings,), {"__annotations__": {question: object}, question: made})


@dataclass(frozen=True)
class Section(Generic[S]):
    """One idea of a chapter: `draw` puts it on the page, between the words `name.<text>` and `name.<why>` if given.

    It has `settings` of its own, which `draw` gets, and names those of other sections that it `reads`: where one of
    these changes it runs too, and where only its own change it runs alone. Those that it `sets` on a click and does not
    show change nothing of it. `look` is "story" (with which the chapter opens), "lead" (what stands below that, or
    under the page's title), "open" (with a heading `name.title`) or "folded". A link that sets anything of a folded
    section opens it, unless it says otherwise. It is there `when` that holds, with its `parts` below it. `step` leads
    through the stages of its figure, for a lecture's arrow keys. One with a clock of its own, or on which the rest of
    the page depends, runs with the `whole` page. `words` names the texts of one that several chapters have. It `asks`
    questions, and those of a `lesson` where one stops at it; their replies are settings of its own. Fields for
    sequences that it has are what the reader `types` in it. Settings that are `given` a teacher chooses for a link:
    which exercise it is.
    """

    name: str
    draw: Callable[[Chapter[S]], object] = heading_only
    look: Literal["story", "lead", "open", "folded"] = "folded"
    text: str = ""
    why: str = ""
    parts: tuple["Section[Any]", ...] = ()
    step: Step | None = None
    whole: bool = False
    words: str = ""
    asks: tuple[Choice | Quantity, ...] = ()
    lesson: tuple[Choice | Quantity, ...] = ()
    types: tuple[Literal["src", "tgt"], ...] = ()
    given: tuple[str, ...] = ()
    settings: type[S] = NONE
    reads: tuple[type[Settings], ...] = ()
    sets: tuple[type[Settings], ...] = ()
    when: Callable[[Chapter[Any]], bool] = always

    def __post_init__(self) -> None:
        replies = [reply_setting(one.name, isinstance(one, Choice)) for one in (*self.asks, *self.lesson)]
        if replies:
            object.__setattr__(self, "settings", composed(self.name.title(), [self.settings, *replies]))


def flat(listed: tuple[Section[Any], ...]) -> Iterator[Section[Any]]:
    """The sections and, below each, its parts."""
    for one in listed:
        yield one
        yield from flat(one.parts)
