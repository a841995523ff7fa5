"""A page begins: its language, title and menu, the model at hand."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import streamlit as st

from ui import state
from ui.classroom import membership
from ui.frame import comparison, model_choice, notices
from ui.frame.chapter import Chapter
from ui.frame.embed import embedded
from ui.frame.menu import menu
from ui.frame.menu_links import below_menu, language
from ui.frame.style import apply_embedded_style, apply_style
from ui.model.shipped import NotShipped
from ui.model.shipped import boot as boot_server
from ui.session import session
from ui.settings.chapters import CHAPTERS, MAP, TEACHERS, page
from ui.settings.fields import Settings
from ui.settings.frame import Frame
from ui.settings.shared import Compared
from ui.text import Words

ICON = Path(__file__).resolve().parents[2] / "assets" / "icon.svg"

Follow = Mapping[str, tuple[str, ...]]  # of each setting the sections that show it
Folds = Mapping[str, frozenset[str]]  # of each section that folds the settings of its own
Titles = Callable[[Chapter[Any]], Sequence[tuple[str, str]]]  # the sections that the menu names: name and title
First = Callable[[type[Any]], object]  # what is done before anything is drawn


def open_chapter(
    name: str,
    kind: type[Settings],
    titles: Titles,
    follow: Follow = MappingProxyType({}),
    folds: Folds = MappingProxyType({}),
    first: Sequence[First] = (),
) -> Chapter[Any]:
    """The first call of every page: boot, language, title and promise, menu."""
    session()
    state.open_link(name, kind, language)
    membership.attend(name)
    if to := state.elsewhere():
        st.switch_page(page(to[0]), query_params=to[1])
    for act in first:
        act(kind)
    frame = state.current(state.FRAME, Frame)
    lang = language(frame.lang)
    state.arrive(lang)
    say = Words(name, lang)
    tab = say("title") if name == MAP else f"{say('title')} · Glassformer"
    st.set_page_config(tab, page_icon=ICON, layout="wide", initial_sidebar_state="auto")
    _boot(lang)
    within = embedded()
    apply_style(lang, searched=not within)
    at_hand = model_choice.chosen(frame, lang)
    other = comparison.compared(frame, at_hand, lang)
    shown = at_hand.healthy if name in notices.BEFORE_TRAINING else at_hand
    chapter = Chapter[Any](
        name, kind, lang, say, shown, other, own=Settings if follow else kind, follow=follow, folds=folds
    )
    if within:
        apply_embedded_style()
    else:
        with st.sidebar:
            st.html(menu(name, lang, frame.speaks_of_notes(lang)).html(titles(chapter)))
            model_choice.choice(frame, at_hand, lang)
            comparison.choice(frame, at_hand, other, lang, shown=issubclass(kind, Compared))
            below_menu(name, kind, lang, frame)
    st.title(_heading(frame, lang) or say("title"), anchor=name)
    state.enter("")
    if within:
        model_choice.missing(frame, at_hand, lang)
        comparison.missing(frame, at_hand, other, lang)
    notices.banner(name, frame, at_hand, lang)
    story = any(getattr(chapter.settings, name, None) for name in ("scene", "explored"))
    told = within or frame.present or frame.at or story
    if not told:  # what a stop asks, and a story, say it better
        _promise(say, leads=name == MAP)
    return chapter


def _heading(frame: Frame, lang: str) -> str:
    """What a stop of a lesson is about."""
    return Words(TEACHERS, lang)(f"{frame.lesson}.stop_{frame.at_stop}") if frame.at else ""


def _promise(say: Words, *, leads: bool) -> None:
    """What the page is about; where the app starts it `leads` to the first chapter."""
    if not leads:
        st.markdown(say("promise"))
        return
    with st.container(horizontal=True, vertical_alignment="center", key="promise"):
        st.markdown(say("promise"), width="content")
        st.button(say("begin"), type="primary", icon=":material/arrow_forward:", key="begin", on_click=_begin)


def _begin() -> None:
    first = CHAPTERS[0]
    state.go_to(first, state.query(first, scene=1))


def _boot(lang: str) -> None:
    """Once per process. Without the shipped models there are pages with nothing to show; then a sentence says so."""
    try:
        boot_server()
    except NotShipped as problem:
        st.error(Words("shell", lang)("model_broken", file=problem.file))
        st.stop()
