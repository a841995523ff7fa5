"""A chapter while its page runs: what its sections read, say and set."""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from transformer_core.tasks import OwnPairs
from ui import state
from ui.classroom import membership
from ui.figures.markup import glossed
from ui.frame.fragment import run_fragments, run_page
from ui.frame.menu import anchor
from ui.inputs.gloss import glosses_for, segmented
from ui.inputs.sequence import TypedSequences
from ui.model.current_model import ModelAtHand
from ui.settings.fields import Settings
from ui.settings.frame import Frame
from ui.text import LITERAL, Words, in_its_tongue, is_han, set_off
from ui.theme import Mode

WHOLE = ""  # for the name of a section that runs with the whole page

S = TypeVar("S", bound=Settings)
S_co = TypeVar("S_co", bound=Settings, covariant=True)


@dataclass(frozen=True)
class Chapter(Generic[S_co]):
    """A page while it runs. `settings`, `frame` and `mode` are read afresh, also within a fragment; the model stays.

    Each section gets the chapter with settings of its `own`; what it `reads` of others, it asks of them by their kind.
    """

    name: str
    kind: type[Settings]  # all settings of the chapter
    lang: str
    say: Words
    at_hand: ModelAtHand
    compared: ModelAtHand | None = None  # the model at hand is compared with this one
    sequences: TypedSequences | None = None  # what is typed at the top of the page, where a chapter has that
    own: type[Settings] = Settings
    reads: tuple[type[Settings], ...] = ()
    here: str = WHOLE  # the name of the section that this is handed to, if it runs by itself
    named: str = ""  # its name in any case
    place: DeltaGenerator | None = None  # of its next figure, above what is drawn before that
    fields: Callable[["Chapter[Any]"], object] | None = None  # for the sequences, which the lead has below its figure
    follow: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # setting: the sections that show it
    folds: Mapping[str, frozenset[str]] = field(default_factory=dict)  # section that folds: the settings of its own

    @property
    def settings(self) -> S_co:
        return cast(S_co, state.current(self.name, self.kind))

    def of(self, kind: type[S]) -> "Chapter[S]":
        """The chapter with the settings of another section, which this one reads or sets. LookupError if it does not
        declare that."""
        if not any(issubclass(known, kind) for known in (self.own, *self.reads)):
            raise LookupError(f"{self.name}, {self.here}: reads {kind.__name__} and does not declare it")
        return cast("Chapter[S]", replace(self, own=kind))

    def figure_first(self) -> "Chapter[S_co]":
        """The chapter with a place for a figure here: its controls are drawn before it, and stand below."""
        return replace(self, place=st.container())

    @property
    def there(self) -> AbstractContextManager[object]:
        """Where its next figure stands, and what belongs to that."""
        return nullcontext() if self.place is None else self.place

    def draw_fields(self) -> None:
        """Those for the sequences, if they are to stand here."""
        if self.fields:
            self.fields(self)

    @property
    def typed(self) -> TypedSequences:
        """The sequences of a chapter that has fields for them."""
        assert self.sequences is not None
        return self.sequences

    @property
    def called(self) -> str:
        """What the section is called, after its chapter; one that opens the page has the chapter's name alone."""
        chapter, title = Words(self.name, self.lang)("title"), f"{self.named}.title"
        return f"{chapter}: {self.say(title)}" if title in self.say else chapter

    @property
    def frame(self) -> Frame:
        return state.current(state.FRAME, Frame)

    @property
    def notes(self) -> bool:
        """Whether the page speaks of the lecture notes."""
        return self.frame.speaks_of_notes(self.lang)

    @property
    def shell(self) -> Words:
        """The words of the frame, and of what all chapters have."""
        return Words("shell", self.lang)

    @property
    def mode(self) -> Mode:
        return "dark" if st.context.theme.type == "dark" else "light"

    @property
    def waits(self) -> bool:
        """Whether a lesson stops here and its question has no reply yet: what explains the figure comes after it."""
        stop = self.frame.at
        if stop is None:
            return False
        if self.frame.slide:
            return self.frame.slide == "question"
        asked = membership.asks(self.frame, self.name, stop.question)
        if asked:
            return asked.phase != "told"
        return not self.replied(stop.question)

    def replied(self, question: str) -> bool:
        """Whether the reader has replied to a question of this page, or been told its answer."""
        shown = bool(state.picked(f"{self.name}.{question}.show"))
        told = state.stays(f"{self.name}.{question}.told", now=False)
        return shown or told or getattr(self.settings, question, None) not in (None, "")

    def hides(self, control: str) -> bool:
        names = self.kind.names().get(control, (control,))
        return not set(names).isdisjoint(self.frame.hide.split(","))

    def write(self, *keys: str, **values: object) -> None:
        """Put texts on the page. Terms may carry their colour in HTML; values, perhaps typed by a reader, may not.

        What is said with values is measured; what is not explains, and waits for the reply to a stop's question.
        """
        if self.waits and not values:
            return
        st.markdown(self.markdown(*keys, **values), unsafe_allow_html=True)

    def markdown(self, *keys: str, **values: object) -> str:
        """Texts as Markdown, a paragraph each. Terms, and words of another language among the values, are explained in
        HTML."""
        own = self.at_hand.source.every + self.at_hand.target.every if isinstance(self.at_hand.words, OwnPairs) else []
        escaped = {
            name: set_off(value).translate(LITERAL) if value in own else set_off(value)
            for name, value in values.items()
        }
        text = "\n\n".join(self.say.explained(key, **escaped) for key in keys)
        return in_its_tongue(text, self.lang, self.explained)

    @property
    def glosses(self) -> Mapping[str, str]:
        """What words of the model at hand mean, of the language that the page does not speak."""
        return glosses_for(self.lang, self.at_hand.source, self.at_hand.target)

    def explained(self, run: str) -> str:
        """Words in a row, each with its gloss; "" if they are not words of the model."""
        words, between = (run.split(), " ") if not is_han(run) else (segmented(run, self.glosses), "")
        known = words and all(word in self.glosses for word in words)
        return between.join(glossed(word, self.glosses) for word in words) if known else ""

    def heading(self, name: str, **values: object) -> None:
        """The heading of a section, which a link can name: `#name`."""
        if self.frame.at:  # whose screen has a heading of its own
            return
        # An anchor of our own is also for speed: Streamlit would spell one out of the words at every repaint.
        st.header(self.say(f"{name}.title", **values), anchor=anchor(name))
        state.enter(anchor(name))

    def section(self, name: str) -> None:
        self.heading(name)
        self.write(f"{name}.text")

    def put(self, name: str, value: object) -> None:
        """Set a setting that is not a widget: a chosen cell, a preset. KeyError if it is none of the section's."""
        self.own.kinds()[name]
        state.put(self.name, name, value)

    def key(self, section: str) -> str:
        return f"{self.name}.{section}"

    def then(self, act: Callable[..., object] | None = None, setting: str = "") -> Callable[..., None]:
        """What a widget calls when the reader has changed it, and `setting` with it.

        It calls `act`, which may change more, and then exactly the sections run that show any of what has changed; the
        page, where that is the frame's. A folded section shows nothing of it, and runs once it is opened.
        """

        def changed(*args: Any) -> None:
            before, frame = self.settings, self.frame
            if act:
                act(*args)
            after, names = self.settings, {setting} - {""}
            names |= {name for name in self.kind.kinds() if getattr(before, name) != getattr(after, name)}
            shown = {section for name in names for section in self.follow.get(name, ())}
            shown -= {section for section in shown - {self.here} if self._stays_folded(section, names)}
            if self.frame != frame or (self.here != WHOLE and WHOLE in shown):
                run_page()
            if "open" in names:
                shown |= {f"{section.removeprefix('-')}.section" for section in _open(before) ^ _open(after)}
            if self.here != WHOLE and not shown <= {self.here}:
                run_fragments({self.key(name) for name in {self.here, *shown}})

        return changed

    def _stays_folded(self, section: str, changed: Collection[str]) -> bool:
        """One that a change of what it reads leaves folded; a setting of its own would open it."""
        own, alone = self.folds.get(section), self.frame.only or self.frame.present
        closed = state.picked(f"{self.key(section)}.section") is False
        return own is not None and own.isdisjoint(changed) and closed and not alone

    def anew(self, act: Callable[..., object]) -> Callable[..., None]:
        """What a widget calls that stands in a fragment within its section: `act`, and then the whole section runs."""

        def pressed(*args: Any) -> None:
            act(*args)
            run_fragments([self.key(self.here)])

        return pressed


AnyChapter = Chapter[Any]  # whatever the settings of its own


def _open(settings: Any) -> set[str]:
    return set(settings.open.split(","))
