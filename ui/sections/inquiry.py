"""A question before what it asks about is shown; why; and once more with other numbers, both answers compared."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, TypeVar

import streamlit as st

from ui import state
from ui.classroom import membership
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.sections.prediction import predict, said_first
from ui.sections.question import Choice, reply_setting
from ui.settings.composed import composed
from ui.settings.fields import Settings, by_click, whole

V = TypeVar("V")
T = TypeVar("T")
SEEDS = 999_999
APART = 0.05  # of the larger one, by which numbers to choose from differ


def short(value: float) -> str:
    return number(value, 3)


@dataclass(frozen=True)
class Version:
    """The question once more: which option is `right` now, what is `said` in the blanks of its texts, and the `labels`
    of the options, in their order, where these are computed."""

    right: str
    said: Mapping[str, object] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Inquiry(Generic[V]):
    """The `first` question; why its answer is so, `<first>_why`, one of the `reasons`, `because` of which it is; and
    `again`, a second version, `<first>_again`, made of the same values and a seed: None where they allow of none. Texts
    that this has not it has from the first. Its seed and the reply are settings, so a link can carry them."""

    first: Choice
    reasons: tuple[str, ...]
    because: str
    again: Callable[[V, int], Version | None]

    @property
    def why(self) -> Choice:
        return Choice(f"{self.first.name}_why", self.reasons, self.because, lead="why")

    @property
    def asks(self) -> tuple[Choice, Choice]:
        """What a class can be asked."""
        return self.first, self.why

    @property
    def seed(self) -> str:
        return f"{self.first.name}_seed"

    @property
    def once_more(self) -> str:
        return f"{self.first.name}_again"

    @cached_property
    def settings(self) -> type[Settings]:
        seed = by_click(whole(1, 1, SEEDS))
        kind = type(self.seed.title(), (Settings,), {"__annotations__": {self.seed: object}, self.seed: seed})
        return composed(self.once_more.title(), [reply_setting(self.once_more, picked=True), kind])

    def version(self, values: V, seed: int) -> Choice | None:
        made, first = self.again(values, seed), self.first
        if made is None:
            return None
        options, said = tuple(made.labels) or first.options, {blank: str(value) for blank, value in made.said.items()}
        return Choice(
            self.once_more, options, made.right, measured=True, lead="again", labels=made.labels, said=said,
            like=first.name,
        )  # fmt: skip


def one_of(seed: int, many: Iterable[T], make: Callable[[T], Version | None]) -> Version | None:
    """The version that a seed takes of those that can be made; None where there is none."""
    made = [version for one in many if (version := make(one))]
    return made[seed % len(made)] if made else None


def first_of(seed: int, many: Sequence[T], make: Callable[[T], Version | None]) -> Version | None:
    """The same where making one takes long: the first that can be made from the seed's on."""
    turned = (many[(seed + at) % len(many)] for at in range(len(many)))
    return next((version for one in turned if (version := make(one))), None)


def ranked(numbers: Mapping[str, float], write: Callable[[float], str] = short) -> dict[str, str]:
    """Labels of options that are numbers, from the least on; none where two of them are close to each other."""
    order = sorted(numbers, key=lambda option: numbers[option])
    for low, high in pairwise(numbers[option] for option in order):
        if high - low <= APART * max(abs(high), abs(low)) or write(low) == write(high):
            return {}
    return {option: write(numbers[option]) for option in order}


def inquire(chapter: Chapter[Any], inquiry: Inquiry[V], values: Callable[[], V | None]) -> bool:
    """Ask. True from the reply to the first question on.

    A stop of a lesson asks that alone, and so does the page that leads a class which is asked it: why, and the second
    version, are each reader's own. The reason is told with the answer once the reader has found it, or has it shown.
    """
    first, why = inquiry.asks
    asked = membership.asks(chapter.frame, chapter.name, first.name)
    if chapter.frame.at or (asked and asked.teaches):
        return predict(chapter, first)
    shown = state.picked(f"{chapter.name}.{why.name}.show")
    found = getattr(chapter.settings, why.name) == why.right or bool(shown)
    if not predict(chapter, first, reasoned=found):
        return False
    if predict(chapter, why):
        made = values()
        if made is not None:
            _once_more(chapter, inquiry, made)
    return True


def _once_more(chapter: Chapter[Any], inquiry: Inquiry[V], values: V) -> None:
    shell, seed = chapter.shell, getattr(chapter.settings, inquiry.seed)
    again = inquiry.version(values, seed)
    if again is None:
        return
    frame = chapter.frame
    about = (chapter.at_hand, frame.src, frame.tgt, seed)
    if not predict(chapter, again, about):
        return
    st.markdown(compared(chapter, inquiry.first, again))
    st.button(
        shell("inquiry.other"), icon=":material/refresh:", type="tertiary", key=f"{chapter.name}.{again.name}.other",
        on_click=chapter.then(_other), args=(chapter, inquiry),
    )  # fmt: skip


def _other(chapter: Chapter[Any], inquiry: Inquiry[Any]) -> None:
    chapter.put(inquiry.once_more, None)
    chapter.put(inquiry.seed, getattr(chapter.settings, inquiry.seed) % SEEDS + 1)


def compared(chapter: Chapter[Any], first: Choice, again: Choice) -> str:
    """Both answers beside what the reader has said first, in a sentence."""
    shell, say = chapter.shell, chapter.say
    truths = [one.label(say, one.right) for one in (first, again)]
    replies = [said_first(chapter, one) for one in (first, again)]
    said = [one.label(say, reply) if reply else "" for one, reply in zip((first, again), replies)]
    right = [one == truth for one, truth in zip(said, truths)]
    verdict = {(True, True): "both", (False, True): "second", (True, False): "first", (False, False): "neither"}
    nothing = shell("inquiry.nothing")
    return shell(
        "inquiry.compared",
        said=said[0] or nothing,
        truth=truths[0],
        said_again=said[1] or nothing,
        truth_again=truths[1],
        verdict=shell(f"inquiry.{verdict[right[0], right[1]]}"),
    )
