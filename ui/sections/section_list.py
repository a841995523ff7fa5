"""The sections on the page. One further down is folded to its title, and drawn once a reader or a link opens it.

A page costs what it shows: what is folded is neither computed nor sent, also when the whole page runs again.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import groupby
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import state
from ui.classroom import membership
from ui.frame.chapter import WHOLE, Chapter
from ui.frame.fragment import fragment
from ui.sections.lecture import lecture_bar
from ui.sections.prediction import predict
from ui.sections.question import Choice, Quantity
from ui.sections.section import Section, flat, heading_only
from ui.settings.fields import ALL, Settings
from ui.text import Words


def is_open(chapter: Chapter[Any], name: str, own: type[Settings]) -> bool:
    said = _said(chapter)
    if {name, f"-{name}"} & said.keys():
        return name in said
    return _open_unless_said(chapter, own)


def is_named(chapter: Chapter[Any], name: str, own: type[Settings]) -> bool:
    """Whether a link opens this section, by its name or by a setting of its own."""
    settings = chapter.settings
    said = _said(chapter) if hasattr(settings, "open") else {}
    return name in said or ALL in said or _is_changed(settings, own)


def _is_changed(settings: Settings, own: type[Settings]) -> bool:
    return any(getattr(settings, field) != getattr(settings.default(), field) for field in own.kinds())


def _open_unless_said(chapter: Chapter[Any], own: type[Settings]) -> bool:
    return _is_changed(chapter.settings, own) or ALL in _said(chapter)


def turn(chapter: Chapter[Any], name: str, own: type[Settings]) -> None:
    said = _said(chapter)
    opens = not is_open(chapter, name, own)
    for each in (name, f"-{name}"):
        said.pop(each, None)
    if opens != _open_unless_said(chapter, own):
        said[name if opens else f"-{name}"] = None
    state.put(chapter.name, "open", ",".join(said))


def open_section(chapter: Chapter[Any], name: str) -> None:
    """Open one that the reader is led to, from what is called on a click."""
    said = _said(chapter)
    said.pop(f"-{name}", None)
    state.put(chapter.name, "open", ",".join([*said] if name in said or ALL in said else [*said, name]))


def name_it(chapter: Chapter[Any], name: str) -> None:
    """Let the link name an open section, whatever has opened it: a reply, say, that the link leaves out."""
    said = _said(chapter)
    if name not in said and ALL not in said:
        state.put(chapter.name, "open", ",".join([*said, name]))


def _said(chapter: Chapter[Any]) -> dict[str, None]:
    """The names in the setting `open`, in their order."""
    return dict.fromkeys(filter(None, chapter.settings.open.split(",")))


UNNAMED = ("story", "lead")  # the page's title is theirs


def titles(chapter: Chapter[Any], listed: Sequence[Section[Any]]) -> list[tuple[str, str]]:
    """The name and the title of each section on the page, for the menu; none where one stands alone."""
    every = _there(chapter, listed)
    if _only(chapter, every):
        return []
    return [(one.name, _speaker(chapter, one).say(f"{one.name}.title")) for one in every if one.look not in UNNAMED]


def sections(chapter: Chapter[Any], *listed: Section[Any], first: DeltaGenerator | None = None) -> None:
    """Draw the sections of a page in their order; `only` in the address shows one alone, and `present` one after the
    other. A story stands in the place that is `first` on the page, and what it has opened below it."""
    every, only = standing(chapter, listed)
    if chapter.fields and only and only.look != "lead":
        chapter.fields(chapter)
        chapter = replace(chapter, fields=None)
    if only:
        _run(_alone, chapter, only, first)
        if chapter.frame.present:
            names = [one.name for one in every]
            lecture_bar(_handed(chapter, only), names, only.name, only.step, lead=only.look in UNNAMED)
        return
    _all(chapter, listed, first)


def _all(chapter: Chapter[Any], listed: Sequence[Section[Any]], first: DeltaGenerator | None = None) -> None:
    """Those that are there, one below the other. Each runs by itself; of those that fold, one after the other, the
    titles run together, for a page has many, and a fragment costs more than a title."""
    for _, ones in groupby(_in_order(chapter, listed), _is_title):
        together = tuple(ones)
        if any(one.look == "folded" and not one.whole for one in together):
            key = chapter.key(f"{together[0].name}.titles")
            fragment(_folded, key=key)(chapter, together, key)
        else:
            for one in together:
                _run(_draw, chapter, one, first)


def _in_order(chapter: Chapter[Any], listed: Sequence[Section[Any]]) -> Iterator[Section[Any]]:
    """Those that are there, and after a heading over others these."""
    for one in sorted(listed, key=lambda one: _distance(chapter, one)):
        if _is_there(chapter, one):
            yield one
            if one.draw is heading_only:
                yield from _in_order(chapter, one.parts)


def _is_title(one: Section[Any]) -> bool:
    return (one.look == "folded" and not one.whole) or one.draw is heading_only


def _folded(chapter: Chapter[Any], together: Sequence[Section[Any]], key: str) -> None:
    """Sections that fold, one after the other, and headings over them, in the fragment with this key."""
    for one in together:
        for name in (one.name, f"{one.name}.section"):
            state.draw(chapter.key(name), within=key)
        _draw(_handed(chapter, one), one)


def _distance(chapter: Chapter[Any], one: Section[Any]) -> int:
    """From the stage: what a scene has opened, which the reader explores, stands below it and above all others."""
    return 0 if one.look == "story" else 1 if one.name == getattr(chapter.settings, "follows", "") else 2


def standing(chapter: Chapter[Any], listed: Sequence[Section[Any]]) -> tuple[list[Section[Any]], Section[Any] | None]:
    """The sections of a lecture in their order, and the one that stands alone on the page."""
    every = _there(chapter, listed)
    return every, _only(chapter, every)


def _there(chapter: Chapter[Any], listed: Sequence[Section[Any]]) -> list[Section[Any]]:
    """Those with which a lecture begins come first."""
    return sorted((one for one in flat(listed) if _is_there(chapter, one)), key=lambda one: one.look not in UNNAMED)


def _only(chapter: Chapter[Any], every: Sequence[Section[Any]]) -> Section[Any] | None:
    """The section that stands alone on the page."""
    frame, told = chapter.frame, getattr(chapter.settings, "scene", 0)
    only = next((one for one in every if one.name == frame.only), None)
    if frame.at and frame.at.tells and told:
        only = next((one for one in every if one.look == "story"), only)
    if frame.present and only is None:  # the lecture begins: with the story where that is told
        only = next(one for one in every if told or one.look != "story")
    return only


def _is_there(chapter: Chapter[Any], one: Section[Any]) -> bool:
    if not one.when(chapter):
        return False
    return (
        not one.of_notes or chapter.notes or one.name == chapter.frame.only or is_named(chapter, one.name, one.settings)
    )


def _run(
    draw: Callable[[Chapter[Any], Section[Any]], None],
    chapter: Chapter[Any],
    one: Section[Any],
    first: DeltaGenerator | None = None,
) -> None:
    if not one.whole:
        draw = fragment(draw, key=chapter.key(one.name), place=first if one.look == "story" else None)
    draw(_handed(chapter, one), one)


def _handed(chapter: Chapter[Any], one: Section[Any]) -> Chapter[Any]:
    here = WHOLE if one.whole else one.name
    reads = (*one.reads, *one.sets)
    return replace(_speaker(chapter, one), own=one.settings, reads=reads, here=here, named=one.name)


def _speaker(chapter: Chapter[Any], one: Section[Any]) -> Chapter[Any]:
    """The chapter, with the words of the section."""
    return replace(chapter, say=Words(one.words, chapter.lang)) if one.words else chapter


def _draw(chapter: Chapter[Any], one: Section[Any]) -> None:
    if one.look == "folded":
        _fold(chapter, one)
    else:
        if one.look == "open":
            chapter.heading(one.name)
        _inside(chapter, one)
    if one.draw is not heading_only:
        _all(chapter, one.parts)


def _alone(chapter: Chapter[Any], one: Section[Any]) -> None:
    stop = chapter.frame.at
    with st.container(key="stop") if stop else nullcontext():
        if one.look not in UNNAMED:
            chapter.heading(one.name)
        for question in (*one.asks, *one.lesson):
            if _unanswered(chapter, one, question):
                if stop:
                    predict(chapter, question.of(chapter.settings, chapter.frame))
                return
        _inside(chapter, one)
        for question in one.lesson:
            if stop and stop.question == question.name and not question.in_section:
                predict(chapter, question.of(chapter.settings, chapter.frame))
        if one.draw is heading_only:
            _all(chapter, one.parts)


def _unanswered(chapter: Chapter[Any], one: Section[Any], question: Choice | Quantity) -> bool:
    """Whether a lesson stops at this question, or a class is asked it, and the section, whose figure tells the answer,
    waits for the reply."""
    if chapter.frame.slide or one.look == "story" or question.in_section or question.about_figure:
        return False
    stop, asked = chapter.frame.at, membership.asks(chapter.frame, chapter.name, question.name)
    if asked or not (stop and stop.question == question.name):
        return bool(asked and asked.phase != "told")
    return chapter.waits


def _inside(chapter: Chapter[Any], one: Section[Any]) -> None:
    if one.text and not chapter.frame.at:  # a stop says by itself what it is about
        chapter.write(f"{one.name}.{one.text}")
    if one.first is None or predict(chapter, one.first):
        one.draw(chapter)
        if one.why:
            chapter.write(f"{one.name}.{one.why}")


def _fold(chapter: Chapter[Any], one: Section[Any]) -> None:
    """A title, and what is below it once it is open, which runs without it."""
    name, own = one.name, one.settings
    key = state.prepare(f"{chapter.name}.{name}.section", is_open(chapter, name, own))
    box = st.expander(chapter.say(f"{name}.title"), key=key, on_change=turn, args=(chapter, name, own))
    if not box.open:
        return
    if one.whole:
        with box:
            _unfolded(chapter, one)
    else:
        fragment(_unfolded, key=chapter.key(name), place=box)(chapter, one)


def _unfolded(chapter: Chapter[Any], one: Section[Any]) -> None:
    name_it(chapter, one.name)
    chapter.heading(one.name)  # for links and for screen readers; the eye has the title already
    _inside(chapter, one)


def alone(chapter: Chapter[Any]) -> bool:
    """Whether one section alone is shown, so that no other has to be led to."""
    return bool(chapter.frame.only or chapter.frame.present)
