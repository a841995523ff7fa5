"""The sections of a chapter in their order, and the page that they make."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import streamlit as st

from ui.classroom.page import in_class
from ui.frame.chapter import WHOLE, Chapter
from ui.frame.footer import close_chapter
from ui.frame.header import First, open_chapter
from ui.rerun_metrics import all_reruns
from ui.sections import section_list as on_page
from ui.sections.presenter import presenter, presents
from ui.sections.question import Choice, Quantity
from ui.sections.section import Section, flat
from ui.sections.sequence_fields import sequences
from ui.settings.composed import composed, redefined
from ui.settings.fields import Folding, Settings
from ui.settings.frame import Frame


@dataclass(frozen=True)
class Contents:
    """A chapter: its name, its sections, the `fields` for the sequences that it reads in all of them, if it does, and
    which sections are `opened` where a link says nothing of it. What is to be done `first` is done before the menu is
    drawn, and told of what kind the settings are."""

    name: str
    sections: tuple[Section[Any], ...]
    fields: Callable[[Chapter[Any]], object] | None = None
    opened: str = ""
    first: tuple[First, ...] = ()

    @cached_property
    def every(self) -> tuple[Section[Any], ...]:
        """The sections and, below each, its parts."""
        return tuple(flat(self.sections))

    @cached_property
    def settings(self) -> type[Settings]:
        """Those of all sections, as one value: a link carries it."""
        kinds = [one.settings for one in self.every]
        if any(one.look == "folded" for one in self.every):
            kinds.insert(0, redefined(Folding, open=self.opened) if self.opened else Folding)
        return composed(self.name.title(), kinds)

    @cached_property
    def questions(self) -> tuple[Choice | Quantity, ...]:
        return tuple(question for one in self.every for question in (*one.asks, *one.lesson))

    def controls(self, name: str) -> list[str]:
        """The settings with a control on the screen of a section, which a link can hide."""
        (section,) = (one for one in self.every if one.name == name)
        typed: list[str] = ["src", "tgt"] if self.fields else []
        for one in flat((section,)):
            typed += [*one.types, *one.settings.controls()]
        return list(dict.fromkeys(typed))

    @cached_property
    def follow(self) -> Mapping[str, tuple[str, ...]]:
        """For each setting the sections that show it: those that have it, and those that read what has it; WHOLE for
        one that runs with the whole page."""
        shown: dict[str, list[str]] = {}
        for one in self.every:
            for kind in (one.settings, *one.reads):
                for name in kind.kinds():
                    called = f"frame.{name}" if kind is Frame else name
                    shown.setdefault(called, []).append(WHOLE if one.whole else one.name)
        for name in ("src", "tgt") if self.fields else ():
            shown[f"frame.{name}"] = [WHOLE]
        return {name: tuple(dict.fromkeys(where)) for name, where in shown.items()}

    @cached_property
    def folds(self) -> Mapping[str, frozenset[str]]:
        """Of each section that folds the settings of its own."""
        return {one.name: frozenset(one.settings.kinds()) for one in self.every if one.look == "folded"}


def draw(contents: Contents) -> None:
    with all_reruns.timed("page"):
        titles = partial(on_page.titles, listed=contents.sections)
        chapter = open_chapter(
            contents.name, contents.settings, titles, contents.follow, contents.folds, contents.first
        )
        if presents(chapter):
            presenter(chapter, contents.sections)
        else:
            in_class(chapter, contents.every)
            first = st.container()  # of the story
            if contents.fields:
                chapter = replace(chapter, sequences=sequences(chapter), fields=contents.fields)
            on_page.sections(chapter, *contents.sections, first=first)
        close_chapter(chapter)
