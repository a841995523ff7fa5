"""Put a link together: chapter, section, what to take away, screen, language, model; copy it, open it or scan it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from ui import state
from ui.chapters import contents
from ui.classroom import dialog, membership, qr
from ui.frame import embed
from ui.frame.menu import title
from ui.sections import AnyChapter, Chapter, Frame, Section, controls
from ui.settings.chapters import CHAPTERS
from ui.settings.fields import OneOf, Settings, Whole, choice, flag, text
from ui.text import Words, languages

READERS = "auto"  # language: that of each reader's browser
MODELS = (
    "translate",
    "spanish",
    "translate_deep",
    "spanish_deep",
    "fresh_translate",
    "trained",
    "fresh",
    "notes",
)  # that every reader has


class LinkSettings(Settings):
    link_chapter: str = choice("attention", *CHAPTERS)
    link_section: str = text("", 40)  # the whole chapter where it names none
    link_hide: str = text("", 400)  # names of controls, with commas between them
    link_given: str = text("", 400)  # which exercise: `sheet_task:beam,sheet_seed:7`
    link_present: bool = flag(False)
    link_lang: str = choice(READERS, READERS, *languages())
    link_model: str = choice("translate", *MODELS)


def builder(chapter: Chapter[LinkSettings]) -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        _choices(chapter)
    settings = chapter.settings
    link = state.link_to(settings.link_chapter, query(settings))
    with right:
        qr.code(link, chapter.lang)
    st.code(link, language=None, wrap_lines=True)
    qr.reach(link, chapter.lang)
    st.link_button(chapter.say("builder.open"), link, icon=":material/open_in_new:")
    to, section = settings.link_chapter, section_title(settings.link_chapter, settings.link_section, chapter.lang)
    alone = state.link_to(to, query(replace(settings, link_present=False)))
    embed.offer(alone, f"{title(to, chapter.lang)}: {section}", chapter.lang)


def query(settings: LinkSettings) -> dict[str, str]:
    """What the link says. The model is named, for a link that says nothing of it is a newcomer's, or means another."""
    language = {} if settings.link_lang == READERS else {"lang": settings.link_lang}
    named = {"only": settings.link_section, "hide": settings.link_hide, "present": "1" if settings.link_present else ""}
    given = given_in(settings) if settings.link_section else {}
    return language | {"model": settings.link_model} | {name: value for name, value in named.items() if value} | given


def given_in(settings: LinkSettings) -> dict[str, str]:
    """Which exercise the link is to name, as far as its section lets a teacher choose that."""
    said = dict(part.split(":", 1) for part in settings.link_given.split(",") if ":" in part)
    kind, allowed = contents(settings.link_chapter).settings, {}
    for name in given_of(settings.link_chapter, settings.link_section):
        value = getattr(kind.from_query(said), name)
        if name in said and value != getattr(kind.default(), name):
            allowed[name] = kind.kinds()[name].format(value)
    return allowed


def given_of(chapter: str, section: str) -> tuple[str, ...]:
    """The settings that say which exercise it is."""
    return next((one.given for one in contents(chapter).every if one.name == section), ())


def _choices(chapter: Chapter[LinkSettings]) -> None:
    lang, shell = chapter.lang, chapter.shell
    to = _menu(chapter, "link_chapter", CHAPTERS, lambda one: title(one, lang))
    section = _menu(chapter, "link_section", ["", *sections_of(to)], lambda one: section_title(to, one, lang))
    for name in given_of(to, section):
        _give(chapter, to, name)
    _hide(chapter, to, section)
    controls.toggle(chapter, "link_present")
    names = {READERS: chapter.say("link_lang_option.auto")} | languages()
    _menu(chapter, "link_lang", tuple(names), names.__getitem__)
    _menu(chapter, "link_model", MODELS, lambda one: shell(f"model_kind.{one}"))


def sections_of(chapter: str) -> list[str]:
    """Those that are there by themselves: the difference from another model, in the words of all chapters, is not."""
    return [one.name for one in contents(chapter).every if not one.words]


def controls_of(chapter: str, section: str) -> list[str]:
    """Those that a link to the section can hide, or to the whole chapter, where it names none."""
    named = [section] if section else sections_of(chapter)
    return list(dict.fromkeys(control for one in named for control in contents(chapter).controls(one)))


def section_title(chapter: str, section: str, lang: str) -> str:
    """As the chapter calls it; what it opens with has no title of its own."""
    said, here = Words(chapter, lang), Words("teachers", lang)
    if not section:
        return here("builder.whole")
    return said(f"{section}.title") if f"{section}.title" in said else here("builder.lead")


def control_name(chapter: str, control: str, lang: str) -> str:
    """As its label has it: the chapter's own word, or that of a control which many chapters have."""
    said = Words(chapter, lang)
    return said(control) if control in said else Words("shell", lang)(control)


def _menu(chapter: Chapter[LinkSettings], name: str, options: Sequence[str], written: Callable[[str], str]) -> str:
    """One of many options; what is none of them, of another chapter perhaps, becomes the first."""
    value: str = getattr(chapter.settings, name)
    if value not in options:
        value = options[0]
        chapter.put(name, value)
    key = state.prepare_widget(chapter.name, name, value)
    # No search: its "No results" is English in every language.
    return st.selectbox(chapter.say(name), options, list(options).index(value), written, key, filter_mode=None)


def _give(chapter: Chapter[LinkSettings], to: str, name: str) -> None:
    """A menu, or a field for a number; one that is out of its range is refused in words."""
    kinds, said, key = contents(to).settings, Words(to, chapter.lang), f"{chapter.name}.given.{name}"
    kind, value = kinds.kinds()[name], getattr(kinds.from_query(given_in(chapter.settings)), name)
    changed, about, before = partial(_given, chapter), (name, key), state.picked(key)
    if isinstance(kind, OneOf):
        at = kind.options.index(value)
        st.selectbox(
            said(name), kind.options, at, lambda one: said(f"{name}_option.{one}"), state.prepare(key, value), None,
            changed, about, filter_mode=None,
        )  # fmt: skip
    elif isinstance(kind, Whole):
        st.number_input(
            said(name),
            value=int(value),
            step=1,
            format="%d",
            key=state.prepare(key, value),
            on_change=changed,
            args=about,
        )
        if not (before is None or kind.allows(before)):
            words = chapter.shell
            st.warning(words("out_of_range", label=said(name), low=kind.low, high=kind.high, given=before, kept=value))


def _given(chapter: Chapter[LinkSettings], name: str, key: str) -> None:
    value = state.picked(key)
    if contents(chapter.settings.link_chapter).settings.allows(name, value):
        given = {**given_in(chapter.settings), name: str(value)}
        chapter.put("link_given", ",".join(f"{one}:{value}" for one, value in given.items()))


def _hide(chapter: Chapter[LinkSettings], to: str, section: str) -> None:
    """A check box for each control of the section; a checked one is taken away."""
    offered = controls_of(to, section)
    hidden = [name for name in offered if name in chapter.settings.link_hide.split(",")]
    chapter.put("link_hide", ",".join(hidden))
    st.markdown(chapter.say("link_hide" if offered else "builder.nothing_to_hide"))
    with st.container(horizontal=True, key="builder-hide"):
        for name in offered:
            key = state.prepare(f"{chapter.name}.hide.{name}", name in hidden)
            label = f"{control_name(to, name, chapter.lang)} `{name}`"
            st.checkbox(label, key=key, on_change=_turn, args=(chapter, name))


def _turn(chapter: Chapter[LinkSettings], name: str) -> None:
    hidden = dict.fromkeys(filter(None, chapter.settings.link_hide.split(",")))
    if name in hidden:
        del hidden[name]
    else:
        hidden[name] = None
    chapter.put("link_hide", ",".join(hidden))


BUILDER = Section("builder", builder, settings=LinkSettings, look="open", text="text")


def room(chapter: AnyChapter) -> None:
    dialog.just_opened(chapter.lang)
    seen = membership.taught(chapter.frame)
    if seen:
        dialog.inside(seen, chapter.lang)
    else:
        dialog.open_button(chapter.lang, "teachers.open_room")


ROOM: Section[Any] = Section("room", room, look="open", text="text", reads=(Frame,), whole=True)
