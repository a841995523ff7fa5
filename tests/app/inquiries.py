"""Every inquiry of the app, and what its page makes of it: the values and the second version."""

from typing import Any, NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open
from tests.app.telling import scenes_of
from ui.chapters import contents
from ui.sections.inquiry import Inquiry
from ui.sections.question import Choice
from ui.sections.section import Section
from ui.settings.chapters import CHAPTERS, MAP

MODELS = ("trained", "translate", "spanish")  # the shipped ones


class Placed(NamedTuple):
    """An inquiry, and the link to where it is asked."""

    chapter: str
    inquiry: Inquiry[Any]
    link: dict[str, str]

    def replies(self, **others: str) -> dict[str, str]:
        """The right replies to the first question and to why."""
        first, why = self.inquiry.asks
        return self.link | {first.name: first.right, why.name: why.right} | others


def _link(chapter: str, section: Section[Any], inquiry: Inquiry[Any]) -> dict[str, str]:
    if section.look == "story":
        return {"open": "", "scene": str(1 + [scene.asks for scene in scenes_of(chapter)].index(inquiry))}
    return {"open": section.name}


EVERY = [
    Placed(chapter, inquiry, _link(chapter, section, inquiry))
    for chapter in (MAP, *CHAPTERS)
    for section in contents(chapter).every
    for inquiry in section.inquires
]


class Made(NamedTuple):
    app: AppTest
    values: Any
    again: Choice


def made(open_link: Open, monkeypatch: pytest.MonkeyPatch, placed: Placed, **link: str) -> Made:
    """The page with the right replies, the values of its second version, and that."""
    seen: list[tuple[Any, Choice | None]] = []
    version = Inquiry.version

    def noted(inquiry: Inquiry[Any], values: Any, seed: int) -> Choice | None:
        found = version(inquiry, values, seed)
        seen.append((values, found))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Inquiry, "version", noted)
        app = open_link(placed.chapter, **placed.replies(lang="en") | link)
    assert not app.exception
    values, again = seen[-1]
    assert again is not None
    return Made(app, values, again)
