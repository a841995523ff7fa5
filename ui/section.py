"""The sections of a page. One further down is folded to its title, and drawn once a reader or a link opens it.

A page costs what it shows: what is folded is neither computed nor sent, also when the whole page runs again.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from ui import address
from ui.fragment import fragment
from ui.lecture import Step, go_on, lecture_bar
from ui.predict import Choice, Quantity, predict
from ui.settings.fields import ALL
from ui.shell import Chapter
from ui.text import Words


def heading_only(_: Chapter) -> None:
    """What a section draws that is a heading over its parts."""


@dataclass(frozen=True)
class Section:
    """One idea of a chapter: `draw` puts it on the page, between the words `name.<text>` and `name.<why>` if given.

    It runs by itself when only it has changed, and its `parts`, which depend on its controls, with it. Some parts stand
    `before` it; what they need then is set by its `controls`, above them. `look` is "lead" (what the chapter opens
    with, under the page's title), "open" (with a heading `name.title`) or "folded". `owns` names the settings that only
    a folded section has: a link that sets one of them opens it, unless it says otherwise. `step` leads through the
    stages of its figure, for a lecture's arrow keys. One on which the rest of the page depends, or with a clock of its
    own, runs with the `whole` page. `words` names the texts of one that several chapters have. Where a lesson stops at
    it, it `asks` the question of the stop.
    """

    name: str
    draw: Callable[[Chapter], object] = heading_only
    owns: str = ""
    look: Literal["lead", "open", "folded"] = "folded"
    text: str = ""
    why: str = ""
    parts: tuple["Section", ...] = ()
    before: tuple["Section", ...] = ()
    controls: Callable[[Chapter], object] = heading_only
    step: Step | None = None
    whole: bool = False
    words: str = ""
    asks: tuple[Choice | Quantity, ...] = ()


def sections(chapter: Chapter, *listed: Section) -> None:
    """Draw the sections of a page in their order and list them in the menu; `only` in the address shows one alone, and
    `present` one after the other."""
    every = list(_flat(listed))
    frame = chapter.frame
    if frame.present:
        go_on(chapter)
    only = next((one for one in every if one.name == frame.only), every[0] if frame.present else None)
    if only:
        _run(_alone, chapter, only)
        if frame.present:
            lecture_bar(chapter, [one.name for one in every], only.name, only.step, lead=only.look == "lead")
        return
    listed_there = [(one.name, _speaker(chapter, one).say(f"{one.name}.title")) for one in every if one.look != "lead"]
    if listed_there:
        chapter.menu_place.html(chapter.menu.html(listed_there))
    for one in listed:
        _run(_draw, chapter, one)


def _run(draw: Callable[[Chapter, Section], None], chapter: Chapter, one: Section) -> None:
    (draw if one.whole else fragment(draw))(_speaker(chapter, one), one)


def _speaker(chapter: Chapter, one: Section) -> Chapter:
    """The chapter, with the words of the section."""
    return replace(chapter, say=Words(one.words, chapter.lang)) if one.words else chapter


def _flat(listed: tuple[Section, ...]) -> Iterator[Section]:
    for one in listed:
        yield one
        yield from _flat((*one.before, *one.parts))


def _draw(chapter: Chapter, one: Section) -> None:
    one.controls(chapter)
    for part in one.before:
        _run(_draw, chapter, part)
    if one.look == "folded":
        _fold(chapter, one)
    else:
        if one.look == "open":
            chapter.heading(one.name)
        _inside(chapter, one)
    for part in one.parts:
        _run(_draw, chapter, part)


def _alone(chapter: Chapter, one: Section) -> None:
    stop = chapter.frame.at
    with st.container(key="stop") if stop else nullcontext():
        if one.look != "lead":
            chapter.heading(one.name)
        one.controls(chapter)
        _inside(chapter, one)
        for question in one.asks:
            if stop and stop.question == question.name:
                predict(chapter, question)
        for part in one.parts if one.draw is heading_only else ():
            _draw(chapter, part)


def _inside(chapter: Chapter, one: Section) -> None:
    if one.text and not chapter.frame.at:  # a stop says by itself what it is about
        chapter.write(f"{one.name}.{one.text}")
    one.draw(chapter)
    if one.why:
        chapter.write(f"{one.name}.{one.why}")


def _fold(chapter: Chapter, one: Section) -> None:
    """A title, and what is below it once it is open."""
    name, owns = one.name, one.owns
    key = address.prepare(f"{chapter.name}.{name}.section", is_open(chapter, name, owns))
    box = st.expander(chapter.say(f"{name}.title"), key=key, on_change=_turn, args=(chapter, name, owns))
    if box.open:
        _name(chapter, name)
        with box:
            chapter.heading(name)  # for links and for screen readers; the eye has the title already
            _inside(chapter, one)


def alone(chapter: Chapter) -> bool:
    """Whether one section alone is shown, so that no other has to be led to."""
    return bool(chapter.frame.only or chapter.frame.present)


def is_open(chapter: Chapter, name: str, owns: str) -> bool:
    said = _said(chapter)
    if {name, f"-{name}"} & said.keys():
        return name in said
    return _open_unless_said(chapter, owns)


def _open_unless_said(chapter: Chapter, owns: str) -> bool:
    settings = chapter.settings
    changed = any(getattr(settings, field) != getattr(settings.default(), field) for field in owns.split())
    return changed or ALL in _said(chapter)


def _turn(chapter: Chapter, name: str, owns: str) -> None:
    said = _said(chapter)
    opens = not is_open(chapter, name, owns)
    for each in (name, f"-{name}"):
        said.pop(each, None)
    if opens != _open_unless_said(chapter, owns):
        said[name if opens else f"-{name}"] = None
    chapter.put("open", ",".join(said))


def open_section(chapter: Chapter, name: str) -> None:
    """Open one that the reader is led to, from what is called on a click."""
    said = _said(chapter)
    said.pop(f"-{name}", None)
    chapter.put("open", ",".join([*said] if name in said or ALL in said else [*said, name]))


def _name(chapter: Chapter, name: str) -> None:
    """Let the link name an open section, whatever has opened it: a reply, say, that the link leaves out."""
    said = _said(chapter)
    if name not in said and ALL not in said:
        chapter.put("open", ",".join([*said, name]))


def _said(chapter: Chapter) -> dict[str, None]:
    """The names in the setting `open`, in their order."""
    return dict.fromkeys(filter(None, chapter.settings.open.split(",")))
