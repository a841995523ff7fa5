"""A section further down a page: folded to its title, and drawn once a reader or a link opens it.

A page costs what it shows: what is folded is neither computed nor sent, also when the whole page runs again.
"""

from collections.abc import Callable

import streamlit as st

from ui import address
from ui.fragment import fragment
from ui.shell import Chapter

Lab = Callable[..., object]
ALL = "all"  # in the setting `open`: every section


@fragment
def section(
    chapter: Chapter, name: str, draw: Callable[[], object], *, owns: str, text: str = "", why: str = ""
) -> None:
    """A section `name`, whose title is `name.title`, in a chapter whose settings are `Folding`.

    `draw` puts its figure on the page, between the words `name.<text>` and `name.<why>`, if they are given. `owns`
    names the settings that only this section has: a link that sets one of them opens it, unless it says otherwise.
    """
    key = address.prepare(f"{chapter.name}.{name}.section", is_open(chapter, name, owns))
    box = st.expander(chapter.say(f"{name}.title"), key=key, on_change=_turn, args=(chapter, name, owns))
    if box.open:
        _name(chapter, name)
        with box:
            chapter.heading(name)  # for links and for screen readers; the eye has the title already
            if text:
                chapter.write(f"{name}.{text}")
            draw()
            if why:
                chapter.write(f"{name}.{why}")


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


def _name(chapter: Chapter, name: str) -> None:
    """Let the link name an open section, whatever has opened it: a reply, say, that the link leaves out."""
    said = _said(chapter)
    if name not in said and ALL not in said:
        chapter.put("open", ",".join([*said, name]))


def _said(chapter: Chapter) -> dict[str, None]:
    """The names in the setting `open`, in their order."""
    return dict.fromkeys(filter(None, chapter.settings.open.split(",")))
