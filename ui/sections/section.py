"""A section of a chapter: what it shows, sets, reads and asks."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Literal, Self, TypeVar

from ui.frame.chapter import Chapter
from ui.sections.inquiry import Inquiry
from ui.sections.lecture import Step
from ui.sections.question import Choice, Quantity, reply_setting
from ui.settings.composed import composed
from ui.settings.fields import Settings, cell_setting

S = TypeVar("S", bound=Settings)


NONE: Any = Settings  # of its own


def heading_only(_: Chapter[Any]) -> None:
    """What a section draws that is a heading over its parts."""


def always(_: Chapter[Any]) -> bool:
    return True


@dataclass(frozen=True)
class Section(Generic[S]):
    """One idea of a chapter: `draw` puts it on the page, between the words `name.<text>` and `name.<why>` if given.

    It has `settings` of its own, which `draw` gets, and the `cell` that is chosen in its figure: the setting's name or,
    where one is chosen at first, what a link says, "share_cell=share.2.0"; several figures have one each, with a space
    between. It names settings of other sections that it `reads`: where one of these changes it runs too, and where only
    its own change it runs alone. Those that it `sets` on a click and does not show change nothing of it. `look` is
    "story" (with which the chapter opens), "lead" (what stands below that, or under the page's title), "open" (with a
    heading `name.title`) or "folded". A link that sets anything of a folded section opens it, unless it says otherwise.
    It is there `when` that holds, with its `parts` below it. `step` leads through the stages of its figure, for a
    lecture's arrow keys. One with a clock of its own, or on which the rest of the page depends, runs with the `whole`
    page. `words` names the texts of one that several chapters have. What it asks `first` has a reply before it draws.
    It `asks` other questions, those that it `inquires` with the reason and once more, and those of a `lesson` where one
    stops at it; their replies are settings of its own, as far as it has none of that name. Fields for sequences that it
    has are what the reader `types` in it. Settings that are `given` a teacher chooses for a link: which exercise it is.
    One that is only `of_notes` is there where the page speaks of the lecture notes, and where a link names it.
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
    first: Choice | Quantity | None = None
    asks: tuple[Choice | Quantity, ...] = ()
    inquires: tuple[Inquiry[Any], ...] = ()
    lesson: tuple[Choice | Quantity, ...] = ()
    types: tuple[Literal["src", "tgt"], ...] = ()
    given: tuple[str, ...] = ()
    settings: type[S] = NONE
    cell: str = ""
    reads: tuple[type[Settings], ...] = ()
    sets: tuple[type[Settings], ...] = ()
    when: Callable[[Chapter[Any]], bool] = always
    of_notes: bool = False

    def __post_init__(self) -> None:
        first = () if self.first is None else (self.first,)
        asks = (*first, *self.asks, *(question for one in self.inquires for question in one.asks))
        asked = [one for one in (*asks, *self.lesson) if one.name not in self.settings.kinds()]
        replies = [reply_setting(one.name, isinstance(one, Choice)) for one in asked]
        cells = [cell_setting(one) for one in self.cell.split() if one.partition("=")[0] not in self.settings.kinds()]
        kinds: list[type[Settings]] = [self.settings, *cells, *replies, *(one.settings for one in self.inquires)]
        object.__setattr__(self, "asks", asks)
        if len(kinds) > 1:
            object.__setattr__(self, "settings", composed(self.name.title(), kinds))

    def __call__(self, draw: Callable[[Chapter[S]], object]) -> Self:
        object.__setattr__(self, "draw", draw)
        return self


def deeper(*parts: Section[Any]) -> Section[Any]:
    """What a chapter ends with, for readers who want more."""
    return Section("deeper", look="open", text="text", parts=parts, whole=True)


def flat(listed: Iterable[Section[Any]]) -> Iterator[Section[Any]]:
    """The sections and, below each, its parts."""
    for one in listed:
        yield one
        yield from flat(one.parts)
