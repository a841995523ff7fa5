"""Which sections are open: as the reader or a link has said, or because a link sets something of theirs."""

from typing import Any

from ui import state
from ui.frame.chapter import Chapter
from ui.settings.fields import ALL, Settings


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
