"""A chapter's story as its page tells it to a reader: the page, what it is made of, and its scenes."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import streamlit as st

from tests.app.conftest import Open
from ui.chapters import contents
from ui.frame.chapter import Chapter
from ui.sections.story import Scene, Story, Told

Scenes = list[tuple[Scene[Any], Told, Told]]  # on the wide stage, and on the narrow one
Telling = tuple[Chapter[Any], Any, Scenes]


def story_of(chapter: str) -> Story[Any]:
    """Of a chapter with a story, as it is written."""
    (section,) = (one for one in contents(chapter).every if one.look == "story")
    assert isinstance(section.draw, partial)
    story: Story[Any] = section.draw.args[0]
    return story


def scenes_of(chapter: str) -> tuple[Scene[Any], ...]:
    return story_of(chapter).scenes


_told: dict[tuple[object, ...], Telling] = {}


def telling(chapter: str, open_link: Open, monkeypatch: pytest.MonkeyPatch, **link: str) -> Telling:
    """Told once in a process: what it is made of, no test changes."""
    link = {"scene": "1", "lang": "en", "open": "", **link}
    key = chapter, *sorted(link.items())
    if key not in _told:
        _told[key] = told_anew(chapter, open_link, monkeypatch, **link)
    return _told[key]


def told_anew(chapter: str, open_link: Open, monkeypatch: pytest.MonkeyPatch, **link: str) -> Telling:
    seen: list[Telling] = []
    tell = Story.tell

    def noted(story: Story[Any], page: Chapter[Any]) -> Scenes:
        values = story.values(page)
        scenes = tell(replace(story, values=lambda _: values), page)
        seen.append((page, values, scenes))
        return scenes

    with monkeypatch.context() as patch:
        patch.setattr(Story, "tell", noted)
        for keeps in ("texts_made", "texts_cached"):  # told anew
            patch.setattr(f"ui.sections.story.{keeps}", lambda *given: [partial(str, text) for text in given[-1]()])
        app = open_link(chapter, **link)
    assert not app.exception
    (found,) = seen
    return found


def with_a_button(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of a story's stage, the button by which a reader takes over at the end of the scene, "take over", or
    plays again what was taken over, "play again"."""

    def mount(*_: object, scene: int, stays: bool, on_take: Any, on_again: Any, **__: object) -> None:
        if stays:
            st.button("play again", key="play again", on_click=on_again)
        else:
            st.button("take over", key="take over", on_click=on_take, args=(scene, 999, "wide"))

    monkeypatch.setattr("ui.sections.story.mount", mount)
