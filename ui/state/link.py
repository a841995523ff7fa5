"""What the address says: the link to a chapter as the reader left it, from which a page draws the same again."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from ui.settings.chapters import MAP, OF_ENGLISH, TRANSLATOR, beginning
from ui.settings.fields import Settings
from ui.settings.frame import Frame
from ui.state.borrowed_settings import of_the_reader
from ui.state.store import FRAME, chapter_on_page, is_given, store
from ui.text import is_han


def query(chapter: str, **changes: Any) -> dict[str, str]:
    """Link to a chapter as the reader left it, with the frame as it is; `changes` of the frame or the chapter win.

    To another chapter neither what a story has lent goes along, nor which part of this one stands alone.
    """
    frame = store()[FRAME]
    leads_away = chapter_on_page() not in (None, chapter)
    if leads_away:
        frame = of_the_reader(frame)
    return {**_query(chapter, frame, store().get(chapter), leads_away, **changes)}


@lru_cache(maxsize=4096, typed=True)
def _query(
    chapter: str, frame: Frame, settings: Settings | None, leads_away: bool, **changes: Any
) -> Mapping[str, str]:
    """The same of these settings: each run of a page asks for the links to all chapters."""
    if leads_away:
        frame = frame.whole()
    of_frame = {name: value for name, value in changes.items() if name in Frame.kinds()}
    if of_frame:
        frame = replace(frame, **of_frame)
    said = frame.stop_sets(chapter)
    link = (frame if said else frame.without_stop()).to_query(said)
    if settings is not None:
        of_chapter = {name: value for name, value in changes.items() if name in settings.kinds()}
        link = (replace(settings, **of_chapter) if of_chapter else settings).to_query(said) | link
    else:
        own = {name: _written(value) for name, value in changes.items() if name not in of_frame}
        link = (own or beginning(chapter, frame.model, is_han(frame.src))) | link
    return {**link, "model": frame.model} if is_bare(link) else link


def _written(value: object) -> str:
    """A change to a chapter that nobody has opened: a switch is 1 or 0, as its setting writes it."""
    return str(int(value) if isinstance(value, bool) else value)


def is_bare(query: Mapping[str, str]) -> bool:
    """Whether somebody comes without a link: nothing is set but the language, a lecture, whether the pages speak of
    the lecture notes, and the room of a class.

    Such a newcomer meets a translator; a link that sets something and names no model means the one that copies.
    """
    return not set(query) - {"lang", "room", "follow", "present", "notes"}


def newcomers_model(query: Mapping[str, str], lang: str) -> str:
    """The model that a bare link means to a reader of this language.

    One rule keeps old links as they were: who comes with no setting but a language meets his own alphabet, English
    beside Spanish, or Chinese beside English. A class, a lecture or a page with the notes, which is what any other bare
    link says, has had English and Chinese in every release and keeps them.
    """
    return TRANSLATOR if lang == "zh" or set(query) - {"lang"} else OF_ENGLISH


def place(chapter: str) -> str:
    """Where the chapter's page is, by the name that the reader's browser has for this server."""
    base = (st.context.url or "").split("?")[0]
    root = base.removesuffix(f"/{chapter_on_page()}").rstrip("/")
    return f"{root}/{'' if chapter == MAP else chapter}"


def link_to(chapter: str, said: Mapping[str, str]) -> str:
    """The full link to a chapter that says this."""
    return place(chapter) + (f"?{urlencode(said)}" if said else "")


def url(chapter: str, section: str = "", *, replies: bool = False, **changes: Any) -> str:
    """The full link to what is on screen now, but for the `changes`, at the heading with the anchor `section`.

    The reader's replies to questions are left out, for who follows a link is to guess, unless it is to show them.
    """
    return link_to(chapter, shared(chapter, replies=replies, **changes)) + (f"#{section}" if section else "")


def shared(chapter: str, *, replies: bool = False, **changes: Any) -> dict[str, str]:
    """What `url` says: a link outlives the room of a class, so it leaves that out, too."""
    apart = {"room": "", "follow": True, "own": ""} | ({} if replies else _unanswered(chapter))
    return query(chapter, **apart | changes)


def answered(chapter: str) -> bool:
    """Whether the reader has replied to a question of this chapter."""
    settings = store().get(chapter)
    none = _unanswered(chapter)
    return any(getattr(settings, name) != none[name] and is_given(chapter, name) for name in none)


def _unanswered(chapter: str) -> dict[str, Any]:
    settings = store().get(chapter)
    return {} if settings is None else {name: getattr(settings.default(), name) for name in settings.replies()}
